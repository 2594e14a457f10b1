/** The environment that the library requires: kernels and threads. A page has web workers, Node has worker threads. */
import type { Sharing } from '../chain/leapfrog-models.js';
import type { SpentTime } from '../fits/thread-need.js';
import type { KernelBytes, Order, Said, ThreadKind } from './protocol.js';

export interface Platform {
  /** Number of threads that run concurrently. */
  readonly parallelism: number;
  /** Data that models share with other threads; absent if sharing is not possible. */
  readonly sharing?: Sharing;
  timeSoFar(): SpentTime;
  loadKernels(): Promise<KernelBytes>;
  startThread(kind: ThreadKind, listener: ThreadListener): Thread;
}

/** Callbacks for a thread's messages. */
export interface ThreadListener {
  receive(said: Said): void;
  /** The thread cannot continue. */
  fail(error: Error): void;
}

export interface Thread {
  post(order: Order): void;
  terminate(): void;
  /** Whether the process must wait for the thread before it exits. */
  hold(isBusy: boolean): void;
}

/** Posts a message from a thread to its owner. */
export type Say = (said: Said, handed?: readonly ArrayBuffer[]) => void;
