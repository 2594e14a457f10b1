/** Fits as they are sent: from disk, a piece at a time, non-finite numbers in the style that the client wants. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type NonFinite, restyleNonFinite } from '../messages/numbers.js';
import { unlessMissing } from './store/files.js';

const PIECE_BYTES = 1 << 18;
const POLL_MILLISECONDS = 100;

/** A finished fit. On disk non-finite numbers are strings. */
export function streamFit(path: string, style: NonFinite): Readable {
  const bytes = createReadStream(path, { highWaterMark: PIECE_BYTES });
  return style === 'string' ? bytes : Readable.from(restyled(bytes, style));
}

/** A fit that is being made: its messages as they come, until `isMade` says that there will be no more. */
export async function followFit(path: string, style: NonFinite, isMade: () => boolean): Promise<Readable | undefined> {
  const file = await unlessMissing(open(path, 'r'));
  return file && Readable.from(restyled(growing(file, isMade), style));
}

async function* growing(file: FileHandle, isMade: () => boolean): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const last = isMade();
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE_BYTES));
        if (bytesRead === 0) break;
        yield buffer.subarray(0, bytesRead);
      }
      if (last) return;
      await pause(POLL_MILLISECONDS);
    }
  } finally {
    await file.close();
  }
}

/** Whole lines in another style. */
async function* restyled(bytes: AsyncIterable<Uint8Array>, style: NonFinite): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of bytes) {
    const text = rest + decoder.decode(piece, { stream: true });
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    if (end > 0) yield restyleNonFinite(text.slice(0, end), style);
  }
}
