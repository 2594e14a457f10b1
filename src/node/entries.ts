/** Entry modules of threads. A bundle can contain them, which makes them start faster. */
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { threadLimits } from './address-space.js';
import { entryUrl } from './entry-url.js';
import { purpose } from './purpose.js';
import { resetV8Flags } from './v8-flags.js';

/** Starts an entry in a thread. Sets `options.argv`. */
export function startThread(name: string, plain: URL, options: Omit<WorkerOptions, 'argv'> = {}): Worker {
  const own = purpose();
  resetV8Flags();
  const resourceLimits = { ...options.resourceLimits, ...threadLimits() };
  return new Worker(entryUrl(name, plain), { ...options, resourceLimits, argv: own === '' ? [] : [own] });
}
