import type { Server } from 'node:http';

/** Milliseconds in which the response must begin. */
const PATIENCE = 3000;

/**
 * Answers requests of clients that have closed their side of the connection, which TCP permits. A client that has
 * disconnected looks the same, so a response that has not begun in time is cancelled with the work for it.
 */
export function allowHalfClosed(server: Server): void {
  // The setting exists since Node 0.5, but is not in Node's documentation or types.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket) => {
    socket.once('end', () => {
      const { bytesWritten } = socket;
      const patience = setTimeout(() => {
        if (socket.bytesWritten === bytesWritten && socket.writableLength === 0) socket.destroy();
      }, PATIENCE);
      socket.once('close', () => clearTimeout(patience));
    });
  });
}
