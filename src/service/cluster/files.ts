/** Transfers local files to and from NATS objects in pieces, so that no file is held in memory as a whole. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { ObjectInfo, ObjectStore } from '@nats-io/obj';
import { DamagedFile } from '../../fit-files/checksums.js';
import { deferred } from '../queue/deferred.js';
import { PRIVATE_FILE, unfinishedPath } from '../store/files.js';
import { LostStore } from '../store/store.js';
import { asLoss, inNats, tryFor } from './away.js';
import type { Cluster } from './cluster.js';

/**
 * Bytes of a piece. Each is sent when the previous one has been stored. Below the default limit of NATS, 1 MB per
 * message.
 */
const PIECE = 1 << 19;

/** Stores files, one after the other, as an object. */
export async function putFiles(objects: ObjectStore, name: string, paths: readonly string[]): Promise<void> {
  const pieces = contentsOf(paths);
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void pieces.return(undefined),
  });
  await inNats(objects.put({ name, options: { max_chunk_size: PIECE } }, stream));
}

async function* contentsOf(paths: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const path of paths) yield* createReadStream(path);
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

/**
 * Writes an object to files of these sizes, which appear in this order when all are complete. Throws `DamagedFile` if
 * the object is missing, or its checksum or size does not match.
 */
export async function getFiles(
  cluster: Cluster,
  name: string,
  files: readonly { readonly path: string; readonly bytes: number }[],
): Promise<void> {
  const written = files.map(({ path, bytes }) => ({ path, bytes, temporary: unfinishedPath(path) }));
  const what = files.at(-1)?.path ?? name;
  try {
    const isThere = await tryAgain(async () => {
      const pieces = await piecesOf(cluster, name);
      if (pieces === undefined) return false;
      try {
        const parts = new Parts(pieces);
        for (const { bytes, temporary } of written)
          await pipeline(parts.next(bytes), createWriteStream(temporary, { mode: PRIVATE_FILE }));
        await parts.end();
      } finally {
        await pieces.return(undefined);
      }
      return true;
    }, what);
    if (!isThere) throw new DamagedFile(what);
    for (const { path, temporary } of written) await rename(temporary, path);
  } catch (error) {
    for (const { temporary } of written) await rm(temporary, { force: true });
    throw error;
  }
}

/** The bytes of an object; undefined if it does not exist. Throws `DamagedFile` if its checksum does not match. */
export async function getBytes(cluster: Cluster, name: string): Promise<Buffer | undefined> {
  return tryAgain(async () => {
    const pieces = await piecesOf(cluster, name);
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

/** Errors of reads that have been retried. */
const final = new WeakSet<DamagedFile>();

/**
 * Retries a read if a file is missing or incomplete: it may have been replaced or removed, or may not have reached
 * every NATS server yet. Throws `DamagedFile` if all retries fail. Reads within a read are not retried again.
 */
export async function whenWhole<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await tryFor(COMPLETION, (error) => error instanceof DamagedFile && !final.has(error), read);
  } catch (error) {
    if (error instanceof DamagedFile) final.add(error);
    throw error;
  }
}

/** Removes an object, if it exists, including its deletion marker. */
export async function removeObject(cluster: Cluster, name: string): Promise<void> {
  const { files, manager } = cluster;
  const { stream, data, metadata } = subjectsOf(cluster);
  const info = await inNats(files.info(name));
  if (info === null) return;
  // Readers of several pieces need the marker: without it, they would wait for missing pieces.
  if (info.chunks > 1) await inNats(files.delete(name));
  else await inNats(manager.streams.purge(stream, { filter: data(info) }));
  await inNats(manager.streams.purge(stream, { filter: metadata(name) }));
}

/** Names in the object store: its stream, and the subjects of an object's data and of its description. */
function subjectsOf({ prefix }: Cluster) {
  const bucket = `${prefix}_files`;
  const encoded = (name: string) => Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  return {
    stream: `OBJ_${bucket}`,
    data: ({ nuid }: ObjectInfo) => `$O.${bucket}.C.${nuid}`,
    metadata: (name: string) => `$O.${bucket}.M.${encoded(name)}`,
  };
}

/** Undefined if the object does not exist. */
async function piecesOf(cluster: Cluster, name: string): Promise<AsyncGenerator<Uint8Array> | undefined> {
  let pieces = await findPieces(cluster, name);
  // A NATS server that was disconnected may not have caught up with others.
  for (let attempt = 0; pieces === undefined && attempt < ATTEMPTS; attempt++) {
    await pause(PAUSE);
    pieces = await findPieces(cluster, name);
  }
  return pieces;
}

async function findPieces(cluster: Cluster, name: string): Promise<AsyncGenerator<Uint8Array> | undefined> {
  const { files } = cluster;
  const info = await inNats(files.info(name));
  if (info === null || info.deleted) return undefined;
  if (info.chunks === 1) return onlyPiece(cluster, info);
  const object = await inNats(files.get(name));
  if (object === null) return undefined;
  // The stream reports the same error.
  object.error.catch(() => undefined);
  return readPieces(object.data.getReader());
}

/** Reads an object that is one message without a consumer, which the NATS servers would have to agree on. */
async function onlyPiece(cluster: Cluster, info: ObjectInfo): Promise<AsyncGenerator<Uint8Array> | undefined> {
  const { stream, data } = subjectsOf(cluster);
  const message = await inNats(cluster.manager.streams.getMessage(stream, { last_by_subj: data(info) }));
  if (message === null) return undefined;
  const digest = createHash('sha256').update(message.data).digest('base64url');
  if (info.digest.replace(/=+$/, '') !== `SHA-256=${digest}`) throw new Error(`${CORRUPT}: ${info.name}`);
  return (async function* () {
    yield message.data;
  })();
}

/** Divides pieces of any size into parts of required sizes. Throws if there are fewer or more bytes. */
class Parts {
  private readonly pieces: AsyncGenerator<Uint8Array>;
  private rest: Uint8Array = new Uint8Array(0);

  constructor(pieces: AsyncGenerator<Uint8Array>) {
    this.pieces = pieces;
  }

  async *next(bytes: number): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      if (!(await this.read())) throw new Error(`${CORRUPT}: it is too short`);
      const piece = this.rest.subarray(0, left);
      this.rest = this.rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** Reads the end, which verifies the checksum. */
  async end(): Promise<void> {
    if (await this.read()) throw new Error(`${CORRUPT}: it is too long`);
  }

  private async read(): Promise<boolean> {
    while (this.rest.length === 0) {
      const { done, value } = await this.pieces.next();
      if (done === true) return false;
      this.rest = value;
    }
    return true;
  }
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
