/** The parts of the web's interfaces for workers (HTML Standard, "Web workers") that the library uses. */
import type { Order, Said } from '../protocol.js';

/** A worker, seen from its page. */
export interface WebWorker {
  onmessage: ((event: { readonly data: Said }) => void) | null;
  onerror: ((event: { readonly message?: string; preventDefault(): void }) => void) | null;
  onmessageerror: (() => void) | null;
  postMessage(order: Order): void;
  terminate(): void;
}

/** The global scope of a worker. */
export interface WorkerScope {
  onmessage: ((event: { readonly data: Order }) => void) | null;
  postMessage(said: Said, handed?: readonly ArrayBuffer[]): void;
}
