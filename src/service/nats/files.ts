/** Files of this machine as objects of NATS, in pieces: none is ever whole in memory. */
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { ObjectStore } from '@nats-io/obj';
import { deferred } from '../queue/deferred.js';
import { DamagedFile } from '../store/checksums.js';
import { PRIVATE_FILE } from '../store/files.js';
import { LostStore } from '../store/store.js';
import { asLoss, inNats, tryFor } from './away.js';
import type { Cluster } from './cluster.js';

/** Bytes that are sent at a time: each piece waits until the one before is kept. A message may have a million. */
const PIECE = 1 << 19;

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
  await inNats(objects.put({ name, options: { max_chunk_size: PIECE } }, stream));
}

/** Milliseconds. */
const LONGEST_SILENCE = 4000;
/** How often what is not there is looked for again, and after how many milliseconds. */
const ATTEMPTS = 3;
const PAUSE = 300;
/** Milliseconds in which what has been written comes to every server of NATS, and between two looks. */
const COMPLETION = { time: 8000, interval: PAUSE };
/** The client's message for a wrong digest of an object. */
const CORRUPT = 'received a corrupt object';

/** Throws `DamagedFile` when the object is not there, or not as it was put there. */
export async function getFile(objects: ObjectStore, name: string, path: string): Promise<void> {
  const isThere = await tryAgain(async () => {
    const pieces = await piecesOf(objects, name);
    if (pieces === undefined) return false;
    await pipeline(Readable.from(pieces), createWriteStream(path, { mode: PRIVATE_FILE }));
    return true;
  }, path);
  if (!isThere) throw new DamagedFile(path);
}

/** The bytes of an object; undefined when it is not there. Throws `DamagedFile` when it is not as it was put there. */
export async function getBytes(objects: ObjectStore, name: string): Promise<Buffer | undefined> {
  return tryAgain(async () => {
    const pieces = await piecesOf(objects, name);
    return pieces && (await joined(pieces));
  }, name);
}

/** What is interrupted when a server of NATS goes may be had from another one, and whole from one that has caught up. */
async function tryAgain<Value>(read: () => Promise<Value>, name: string): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      const isCorrupt = error instanceof Error && error.message.startsWith(CORRUPT);
      const mayPass = isCorrupt || asLoss(error) instanceof LostStore;
      if (!mayPass || attempt === ATTEMPTS) throw isCorrupt ? new DamagedFile(name) : asLoss(error);
      await pause(PAUSE * attempt);
    }
  }
}

/**
 * Repeats a read that misses a file or finds an incomplete one: it may have been replaced or removed, or not have reached
 * every NATS server yet. Throws `DamagedFile` if repetition does not help.
 */
export function whenWhole<Value>(read: () => Promise<Value>): Promise<Value> {
  return tryFor(COMPLETION, (error) => error instanceof DamagedFile, read);
}

/** Removes an object without a trace; nothing when it is not there. */
export async function removeObject({ files, manager, prefix }: Cluster, name: string): Promise<void> {
  await inNats(files.delete(name));
  const encoded = Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  await inNats(manager.streams.purge(`OBJ_${prefix}_files`, { filter: `$O.${prefix}_files.M.${encoded}` }));
}

/** Undefined when there is no such object. */
async function piecesOf(objects: ObjectStore, name: string): Promise<AsyncGenerator<Uint8Array> | undefined> {
  let object = await inNats(objects.get(name));
  // A server of NATS that was cut off for a while may know less than others.
  for (let attempt = 0; object === null && attempt < ATTEMPTS; attempt++) {
    await pause(PAUSE);
    object = await inNats(objects.get(name));
  }
  if (object === null) return undefined;
  // Both report the same error.
  object.error.catch(() => undefined);
  return readPieces(object.data.getReader());
}

/** Throws `LostStore` when nothing comes for a while: who was to send it may be gone. */
async function* readPieces(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      const silence = deferred<never>();
      timer = setTimeout(() => silence.reject(new LostStore('NATS has not sent a whole file')), LONGEST_SILENCE);
      const { done, value } = await Promise.race([reader.read(), silence.promise]);
      clearTimeout(timer);
      if (done) return;
      yield value;
    }
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => undefined);
  }
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
