/**
 * Frames over a socket on the loopback interface, for clients without binary pipes to a process, such as R. The process
 * prints a port and a token, accepts the one connection that begins with the token, and exits when that connection
 * ends.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { PipeEngine } from './engine.js';
import { EvaluatorSession } from './evaluator.js';
import { FrameReader } from './frames.js';

const TOKEN_BYTES = 64;

/** Milliseconds after which the process exits if no client has connected. */
const PATIENCE_MS = 60_000;

export type Role = 'engine' | 'evaluate';

/** Listens, and prints `PORT TOKEN` in one line. */
export function listen(role: Role): void {
  // Ctrl-C in a terminal reaches all of its processes. The client decides how to react.
  process.on('SIGINT', () => {});
  const token = Buffer.from(randomBytes(TOKEN_BYTES / 2).toString('hex'));
  const patience = setTimeout(() => process.exit(1), PATIENCE_MS);
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    whenTokenArrives(socket, token, (rest) => {
      clearTimeout(patience);
      server.close();
      socket.on('close', () => process.exit());
      const reader = new FrameReader(receiver(role, (pieces) => writeAtOnce(socket, pieces)));
      reader.add(rest);
      socket.on('data', (chunk: Uint8Array) => reader.add(chunk));
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    process.stdout.write(`${address.port} ${token}\n`);
  });
}

/** Passes on the bytes after the token. Closes a connection that does not begin with the token. */
function whenTokenArrives(socket: Socket, token: Buffer, accept: (rest: Uint8Array) => void): void {
  let received = Buffer.alloc(0);
  const collect = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < TOKEN_BYTES) return;
    socket.off('data', collect);
    if (timingSafeEqual(received.subarray(0, TOKEN_BYTES), token)) accept(received.subarray(TOKEN_BYTES));
    else socket.destroy();
  };
  socket.on('data', collect);
}

type Write = (pieces: readonly Uint8Array[]) => void;

function receiver(role: Role, write: Write): ConstructorParameters<typeof FrameReader>[0] {
  if (role === 'engine') {
    const engine = new PipeEngine(write, 'string');
    return (frame) => void engine.receive(frame);
  }
  const session = new EvaluatorSession();
  return ({ header, kind, payload }) => void session.answer(kind, header, payload).then(write);
}

function writeAtOnce(socket: Socket, pieces: readonly Uint8Array[]): void {
  socket.cork();
  for (const piece of pieces) socket.write(piece);
  socket.uncork();
}
