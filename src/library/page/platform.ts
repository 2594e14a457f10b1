/** The library's platform in a page: web workers, and kernels as files next to those of the page. */
import { LoadError } from '../errors.js';
import type { Platform, Thread, ThreadListener } from '../platform.js';
import type { ThreadKind } from '../protocol.js';
import type { WebWorker } from './web-worker.js';

declare const Worker: new (url: URL, options: { readonly type: 'module' }) => WebWorker;
declare const navigator: { readonly hardwareConcurrency?: number };

/** Number of threads if the browser does not report the number of processors. */
const USUAL_PARALLELISM = 4;

export const webPlatform: Platform = {
  parallelism: navigator.hardwareConcurrency ?? USUAL_PARALLELISM,
  // A page cannot measure processor time.
  timeSoFar() {
    const elapsed = performance.now();
    return { elapsed, processor: elapsed };
  },
  async loadKernels() {
    const [math, linear] = await Promise.all([
      load(new URL('../../../../build/math.wasm', import.meta.url)),
      load(new URL('../../../../build/linear.wasm', import.meta.url)),
    ]);
    return { math, linear };
  },
  startThread(kind, listener) {
    return new WebThread(WORKERS[kind](), listener);
  },
};

/** Bundlers recognize only this form. */
const WORKERS: Readonly<Record<ThreadKind, () => WebWorker>> = {
  compiler: () => new Worker(new URL('./compiler-worker.js', import.meta.url), { type: 'module' }),
  runner: () => new Worker(new URL('./runner-worker.js', import.meta.url), { type: 'module' }),
  statistics: () => new Worker(new URL('./statistics-worker.js', import.meta.url), { type: 'module' }),
};

async function load(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url).catch((error: unknown) => {
    throw new LoadError(`${url} cannot be loaded: ${error}`);
  });
  if (!response.ok) throw new LoadError(`${url} cannot be loaded: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

class WebThread implements Thread {
  private readonly worker: WebWorker;

  constructor(worker: WebWorker, listener: ThreadListener) {
    this.worker = worker;
    worker.onmessage = ({ data }) => listener.receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      // Only errors that occur inside the worker have a message.
      const { message } = event;
      listener.fail(message === undefined ? new LoadError('a web worker cannot be loaded') : new Error(message));
    };
    worker.onmessageerror = () => listener.fail(new Error('a message of a web worker could not be read'));
  }

  post(order: Parameters<Thread['post']>[0]): void {
    this.worker.postMessage(order);
  }

  terminate(): void {
    this.worker.terminate();
  }

  hold(): void {}
}
