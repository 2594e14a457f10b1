/** The library's platform in Node: worker threads, and kernels in the package's folder. */

import type { Worker } from 'node:worker_threads';
import type { Platform, Thread, ThreadListener } from '../../library/platform.js';
import type { Order, Said } from '../../library/protocol.js';
import { threadsAvailable } from '../address-space.js';
import { startThread } from '../entries.js';
import { loadKernelBytes } from '../kernels.js';
import { sharing } from '../sharing.js';
import { timeSoFar } from '../time-so-far.js';

export const nodePlatform: Platform = {
  parallelism: threadsAvailable(),
  sharing,
  timeSoFar,
  loadKernels: async () => loadKernelBytes(),
  startThread: (kind, listener) =>
    new NodeThread(startThread(`${kind}-worker`, new URL(`./${kind}-worker.js`, import.meta.url)), listener),
};

class NodeThread implements Thread {
  private readonly worker: Worker;

  constructor(worker: Worker, listener: ThreadListener) {
    this.worker = worker;
    worker.on('message', (said: Said) => listener.receive(said));
    worker.on('error', (error: Error) => listener.fail(error));
    worker.on('exit', (code) => listener.fail(new Error(`a worker thread exited with code ${code}`)));
  }

  post(order: Order): void {
    this.worker.postMessage(order);
  }

  terminate(): void {
    void this.worker.terminate();
  }

  hold(isBusy: boolean): void {
    if (isBusy) this.worker.ref();
    else this.worker.unref();
  }
}
