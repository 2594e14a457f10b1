/** Operations as server-sent events (HTML living standard, section 9.2). */
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { NonFinite } from '../messages/numbers.js';
import type { Operations } from './jobs/operations.js';
import { writeJson } from './json.js';

/** Milliseconds after which a comment tells proxies that the connection lives. */
const KEEP_ALIVE = 15_000;

export interface EventOptions {
  readonly style: NonFinite;
  /** The fit's messages as they come, when draws are wanted. */
  readonly messages: Readable | undefined;
}

/** The identifier of the last event; a client that has seen it need not come back. */
export const LAST_EVENT = 'done';

/**
 * Events of an operation: `progress` with the operation whenever a chain has got further, `draw` with the message of a draw when
 * they are wanted, and at the end `done` with the operation and its result; broken off where the server ends first. Progress
 * that a slow client cannot take is left out; draws never are.
 */
export function operationEvents(operations: Operations, id: string, { style, messages }: EventOptions): Readable {
  const stream = new PassThrough();
  const gone = new AbortController();
  const keepAlive = setInterval(() => stream.write(':\n\n'), KEEP_ALIVE);
  stream.once('close', () => {
    clearInterval(keepAlive);
    gone.abort();
    messages?.destroy();
  });
  const progress = (operation: object) => {
    if (!stream.writableNeedDrain) stream.write(event('progress', writeJson(operation, style)));
  };
  const send = async () => {
    progress(await operations.get(id));
    const ended = operations.follow(id, progress, gone.signal);
    if (messages !== undefined) {
      for await (const line of drawsOf(messages)) {
        if (!stream.write(event('draw', line))) await once(stream, 'drain', { signal: gone.signal });
      }
    }
    await ended;
    const operation = await operations.get(id);
    if (!operation.done) throw new Error('the operation is left to the next server');
    stream.end(event('done', writeJson(operation, style), LAST_EVENT));
  };
  send().catch((error: Error) => stream.destroy(gone.signal.aborted ? undefined : error));
  return stream;
}

function event(name: string, data: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`;
}

/** The lines that hold a draw. */
async function* drawsOf(messages: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of messages.setEncoding('utf8')) {
    const lines = (rest + String(piece)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line.includes('"topic":"sample","values":{'));
  }
}
