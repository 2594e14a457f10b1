/** Transfers local files to and from NATS objects in pieces, so that no file is held in memory as a whole. */
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { ObjectStore } from '@nats-io/obj';
import { DamagedFile } from '../../fit-files/checksums.js';
import { deferred } from '../queue/deferred.js';
import { PRIVATE_FILE } from '../store/files.js';
import { LostStore } from '../store/store.js';
import { asLoss, inNats, tryFor } from './away.js';
import type { Cluster } from './cluster.js';

/**
 * Bytes of a piece. Each is sent when the previous one has been stored. Below the default limit of NATS, 1 MB per
 * message.
 */
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
/** Number of attempts to find a missing object, and milliseconds between two. */
const ATTEMPTS = 3;
const PAUSE = 300;
/** Milliseconds in which a write reaches every NATS server, and between two checks. */
const COMPLETION = { time: 8000, interval: PAUSE };
/** The client's message for an object with a wrong digest. */
const CORRUPT = 'received a corrupt object';

/** Writes an object to a file. Throws `DamagedFile` if the object is missing or its checksum does not match. */
export async function getFile(objects: ObjectStore, name: string, path: string): Promise<void> {
  const isThere = await tryAgain(async () => {
    const pieces = await piecesOf(objects, name);
    if (pieces === undefined) return false;
    await pipeline(Readable.from(pieces), createWriteStream(path, { mode: PRIVATE_FILE }));
    return true;
  }, path);
  if (!isThere) throw new DamagedFile(path);
}

/** The bytes of an object; undefined if it does not exist. Throws `DamagedFile` if its checksum does not match. */
export async function getBytes(objects: ObjectStore, name: string): Promise<Buffer | undefined> {
  return tryAgain(async () => {
    const pieces = await piecesOf(objects, name);
    return pieces && (await joined(pieces));
  }, name);
}

/**
 * Retries a read that was interrupted because a NATS server stopped, or that was incomplete because a server had not
 * caught up.
 */
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
 * Retries a read if a file is missing or incomplete: it may have been replaced or removed, or may not have reached
 * every NATS server yet. Throws `DamagedFile` if all retries fail.
 */
export function whenWhole<Value>(read: () => Promise<Value>): Promise<Value> {
  return tryFor(COMPLETION, (error) => error instanceof DamagedFile, read);
}

/** Removes an object, if it exists, including its deletion marker. */
export async function removeObject({ files, manager, prefix }: Cluster, name: string): Promise<void> {
  await inNats(files.delete(name));
  const encoded = Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  await inNats(manager.streams.purge(`OBJ_${prefix}_files`, { filter: `$O.${prefix}_files.M.${encoded}` }));
}

/** Undefined if the object does not exist. */
async function piecesOf(objects: ObjectStore, name: string): Promise<AsyncGenerator<Uint8Array> | undefined> {
  let object = await inNats(objects.get(name));
  // A NATS server that was disconnected may not have caught up with others.
  for (let attempt = 0; object === null && attempt < ATTEMPTS; attempt++) {
    await pause(PAUSE);
    object = await inNats(objects.get(name));
  }
  if (object === null) return undefined;
  // The stream reports the same error.
  object.error.catch(() => undefined);
  return readPieces(object.data.getReader());
}

/** Throws `LostStore` if no data arrive for some time: the sending server may have stopped. */
async function* readPieces(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      const silence = deferred<never>();
      timer = setTimeout(() => silence.reject(new LostStore('NATS has sent only part of a file')), LONGEST_SILENCE);
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
