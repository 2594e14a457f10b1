/** Files of this machine as objects of NATS, in pieces: none is ever whole in memory. */
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ObjectStore } from '@nats-io/obj';
import { DamagedFile } from '../store/checksums.js';
import { PRIVATE_FILE } from '../store/files.js';
import { asLoss, inNats } from './away.js';

export async function putFile(objects: ObjectStore, name: string, path: string): Promise<void> {
  const file = createReadStream(path);
  const pieces = file.iterator();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void file.destroy(),
  });
  await inNats(objects.put({ name }, stream));
}

/** How the client says that an object's digest is wrong. */
const CORRUPT = 'received a corrupt object';

/** Throws `DamagedFile` when the object is not there, or not as it was put there. */
export async function getFile(objects: ObjectStore, name: string, path: string): Promise<void> {
  const object = await inNats(objects.get(name));
  if (object === null) throw new DamagedFile(path);
  // Both tell of the same error.
  object.error.catch(() => undefined);
  try {
    await pipeline(Readable.from(piecesOf(object.data)), createWriteStream(path, { mode: PRIVATE_FILE }));
  } catch (error) {
    throw error instanceof Error && error.message.startsWith(CORRUPT) ? new DamagedFile(path) : asLoss(error);
  }
}

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
