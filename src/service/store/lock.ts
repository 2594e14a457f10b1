import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unlessMissing } from './files.js';

const MARK_LENGTH = 8;
/** Names of sockets in the lock folder. Other files in it are not the store's. */
const SIGN = /^[\da-f]{8}(\.new)?$/;
/** Suffix of a socket on which no process listens yet. The owner of the folder removes such sockets. */
const UNREADY = '.new';
/** Maximum bytes of a folder's path. Every system supports paths of this length plus a socket's name. */
const LONGEST_FOLDER = 100 - '/'.length - MARK_LENGTH - UNREADY.length;

/** Errors of file systems that do not support sockets. */
const NO_SOCKETS: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'];
/** Errors of a socket on which no process listens. */
const NO_LISTENER: readonly (string | undefined)[] = ['ECONNREFUSED', 'ENOENT'];

export interface Lock {
  /** Unlocks the folder. */
  release(): Promise<void>;
  /** Whether the socket still exists. Without it, another process may have locked the folder. */
  isHeld(): Promise<boolean>;
}

/**
 * Locks a folder for this process. The lock is a local socket in the folder on which the process listens. It ends with
 * the process, even if the process crashes, so unlike a file with a process number it is never stale. Throws if another
 * process has locked the folder.
 */
export async function lockFolder(folder: string): Promise<Lock> {
  const lock = await lockPath(await realpath(folder));
  if (lock !== undefined) return lock;
  throw new Error(`the folder ${folder} is in use by another server; set --store to another folder`);
}

async function lockPath(path: string): Promise<Lock | undefined> {
  if (process.platform === 'win32') {
    const server = await listen(`\\\\.\\pipe\\${nameOf(path)}`);
    return server && { release: () => close(server), isHeld: async () => true };
  }
  const inside = join(path, 'lock');
  const outside = join(tmpdir(), nameOf(path));
  if (Buffer.byteLength(inside) > LONGEST_FOLDER) return claim(outside);
  try {
    return await claim(inside);
  } catch (error) {
    if (!NO_SOCKETS.includes(codeOf(error))) throw error;
    return claim(outside);
  }
}

/**
 * Undefined if another process has locked the folder. Every process creates its socket before it searches for others,
 * so at least one of two processes finds the other. Two processes that start simultaneously may both fail.
 */
async function claim(signs: string): Promise<Lock | undefined> {
  await mkdir(signs, { recursive: true, mode: 0o700 });
  const own = randomUUID().slice(0, MARK_LENGTH);
  const server = await listen(join(signs, own + UNREADY));
  if (server === undefined) return undefined;
  const sign = join(signs, own);
  const release = async () => {
    await rm(sign, { force: true });
    await close(server);
  };
  const isHeld = async () => (await unlessMissing(lstat(sign))) !== undefined;
  try {
    await rename(sign + UNREADY, sign);
  } catch (error) {
    await release();
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const entries = await readdir(signs, { withFileTypes: true });
  const isSign = ({ name }: { readonly name: string }) => SIGN.test(name) && name !== own;
  const others = entries.filter((entry) => !entry.isDirectory() && isSign(entry)).map(({ name }) => name);
  const answers = await Promise.all(others.map((name) => !name.endsWith(UNREADY) && isAnswered(join(signs, name))));
  if (answers.includes(true)) {
    await release();
    return undefined;
  }
  for (const name of others) await rm(join(signs, name), { force: true });
  return { release, isHeld };
}

function nameOf(folder: string): string {
  return `leapfrog-${createHash('sha256').update(folder).digest('hex').slice(0, 24)}`;
}

/** Undefined if the path exists. */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end());
    server.once('error', (error) => {
      if (codeOf(error) === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => resolve(server.unref()));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(true)).once('error', (error) => resolve(!NO_LISTENER.includes(codeOf(error))));
    socket.once('close', () => socket.destroy());
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
