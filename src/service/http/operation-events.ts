/** Operations as server-sent events (HTML living standard, section 9.2). */
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { writeJson } from '../../formats/json.js';
import type { NonFinite } from '../../formats/numbers.js';
import { GivenUp } from '../fits/live-fits.js';
import type { Operations } from '../operations/operations.js';
import type { OperationResource } from '../schemas/operations.js';

/** Milliseconds between comments that make proxies keep the connection open. */
const KEEP_ALIVE = 15_000;

export interface EventOptions {
  readonly style: NonFinite;
  /** The draws as events, in slices of any length, if requested. */
  readonly draws: AsyncGenerator<Uint8Array> | undefined;
  /** Aborted when the client has disconnected or has received everything. */
  readonly gone: AbortSignal;
}

/** The identifier of the last event, after which a client does not reconnect. */
export const LAST_EVENT = 'done';

/**
 * Events of an operation: `progress` with the operation whenever a chain advances, `draw` with the message of a draw if
 * requested, and finally `done` with the operation and its result. The stream breaks off if the server ends first. Slow
 * clients do not receive all progress events, but receive all draws.
 */
export function operationEvents(operations: Operations, id: string, { style, draws, gone }: EventOptions): Readable {
  const stream = new PassThrough();
  /** Whether the output ends with a complete event, so that another one may follow. */
  let isBetween = true;
  const keepAlive = setInterval(() => isBetween && stream.write(':\n\n'), KEEP_ALIVE);
  stream.once('close', () => clearInterval(keepAlive));
  const progress = (operation: OperationResource) => {
    if (isBetween && !stream.writableNeedDrain) stream.write(event('progress', writeJson(operation, style)));
  };
  const sendDraws = async () => {
    for await (const slice of draws ?? []) {
      if (slice.length === 0) continue;
      isBetween = endsEvent(slice);
      if (!stream.write(slice)) await once(stream, 'drain', { signal: gone });
    }
  };
  const send = async () => {
    progress(await operations.get(id));
    const ended = operations.follow(id, progress, gone);
    await sendDraws().catch((error) => {
      if (!(error instanceof GivenUp)) throw error;
    });
    await ended;
    const operation = await operations.get(id);
    if (!operation.done) throw new GivenUp('this server is shutting down; the next server completes the operation');
    stream.end(event('done', writeJson(operation, style), LAST_EVENT));
  };
  send().catch((error: Error) => stream.destroy(gone.aborted ? undefined : error));
  return stream;
}

function event(name: string, data: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`;
}

/** Whether bytes of events end with a complete event, that is, with an empty line. */
function endsEvent(slice: Uint8Array): boolean {
  const { length } = slice;
  return slice[length - 1] === NEWLINE && (length === 1 || slice[length - 2] === NEWLINE);
}

const NEWLINE = 10;
