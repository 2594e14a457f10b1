import { parentPort } from 'node:worker_threads';
import type { Say } from '../../library/platform.js';
import type { Order } from '../../library/protocol.js';

/** Makes a thread handle the messages that it receives. */
export function answerOrders(open: (say: Say) => (order: Order) => void): void {
  const port = parentPort;
  if (port === null) throw new Error('the worker entry must be started as a worker thread');
  const perform = open((said, handed) => port.postMessage(said, handed));
  port.on('message', perform);
}
