import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes sure that one process alone uses a folder. The sign is a local socket that the process listens on: it
 * ceases with the process however that ends, and unlike a file with a process number it is never stale.
 * Returns what gives the folder free. Throws when another process has it.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = socketPath(await realpath(folder));
  const server = (await listen(path)) ?? ((await isAnswered(path)) ? undefined : await replace(path));
  if (server === undefined)
    throw new Error(`the folder ${folder} is in use by another server; give --store another one`);
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}

function socketPath(folder: string): string {
  const name = `leapfrog-${createHash('sha256').update(folder).digest('hex').slice(0, 24)}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Takes over the socket of a process that is gone. */
async function replace(path: string): Promise<Server | undefined> {
  await rm(path, { force: true });
  return listen(path);
}

/** Undefined when the path is taken. */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end());
    server.once('error', (error: Error & { code?: string }) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => resolve(server));
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
  });
}
