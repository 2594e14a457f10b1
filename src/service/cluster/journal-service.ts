/** Serves the journals of running chains to other processes. */
import { open } from 'node:fs/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { Type } from 'typebox';
import { readerOf } from './messages.js';

/** Maximum bytes of a reply. */
const PIECE_BYTES = 1 << 17;
/** Milliseconds to wait for a reply. */
const ANSWER_TIME = 2000;

const readRequest = readerOf(Type.Object({ from: Type.Integer({ minimum: 0 }) }));

/** Subject of requests for the journal of a chain that `owner` runs. */
export function journalSubject(prefix: string, key: string, owner: string): string {
  return `${prefix}.journal.${key}.${owner}`;
}

/** Serves parts of a journal until the returned function is called. */
export function serveJournal(connection: NatsConnection, subject: string, path: string): () => void {
  const subscription = connection.subscribe(subject, {
    callback: (error, message) => {
      const request = error === null ? readRequest(message.string()) : undefined;
      if (request === undefined) return;
      readPiece(path, request.from).then(
        (bytes) => message.respond(bytes),
        () => undefined,
      );
    },
  });
  return () => subscription.unsubscribe();
}

/** The bytes of a journal from a position to its current end, possibly none; undefined without a reply. */
export async function requestJournal(
  connection: NatsConnection,
  subject: string,
  from: number,
): Promise<Uint8Array | undefined> {
  try {
    const { data } = await connection.request(subject, JSON.stringify({ from }), { timeout: ANSWER_TIME });
    return data.length <= PIECE_BYTES ? data : undefined;
  } catch {
    return undefined;
  }
}

async function readPiece(path: string, from: number): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const bytes = new Uint8Array(PIECE_BYTES);
    const { bytesRead } = await file.read(bytes, 0, PIECE_BYTES, from);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
