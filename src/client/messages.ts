import { numberOf, numbersOf } from './transport.js';
import type { Draw, Message } from './types.js';

/** The messages in the text of a fit, which contains one per line. */
export async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  for await (const line of readLines(body)) yield readMessage(line);
}

/**
 * Type of the rows before the draws of a chain: warmup, the mean of an approximation, iterations before the last one,
 * or none.
 */
export type RowsBefore = 'warmup' | 'mean' | 'iterations' | 'none';

/**
 * The rows among the messages. Rows before the message that ends a sampler's adaptation are draws of warmup.
 * `rowsBefore`, which depends on the function of the fit, is called if a chain begins with rows.
 */
export async function* readDraws(
  messages: AsyncIterable<Message>,
  rowsBefore: () => Promise<RowsBefore>,
): AsyncGenerator<Draw> {
  const begun = new Set<number>();
  /** The latest iteration, which is a draw if no other iteration follows. */
  let latest: Draw | undefined;
  let before: RowsBefore | undefined;
  for await (const { chain = 1, topic, values } of messages) {
    if (topic !== 'sample') continue;
    if (isDraw(values)) {
      if (!begun.has(chain)) before ??= await rowsBefore();
      if (before === 'iterations') {
        if (latest !== undefined) yield { ...latest, warmup: true };
        latest = { chain, warmup: false, values };
        continue;
      }
      yield { chain, warmup: before !== 'none' && !begun.has(chain), values };
      if (before === 'mean') begun.add(chain);
    } else if (values[0] === END_OF_WARMUP) {
      begun.add(chain);
    }
  }
  if (latest !== undefined) yield latest;
}

/** Message of every sampler at the end of its warmup. */
const END_OF_WARMUP = 'Adaptation terminated';

type Named = Readonly<Record<string, number>>;

function isDraw(values: Named | readonly [string]): values is Named {
  return !Array.isArray(values);
}

/** Converts strings for non-finite numbers to numbers. */
function readMessage(line: string): Message {
  const message: Message = JSON.parse(line);
  switch (message.topic) {
    case 'logger':
      return message;
    case 'initialization':
      return { ...message, values: message.values.map(numberOf) };
    default:
      return isDraw(message.values) ? { ...message, values: numbersOf(message.values) } : message;
  }
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line !== '');
      if (!done) continue;
      if (rest !== '') yield rest;
      return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
