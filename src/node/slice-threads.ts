/** Threads of this process that evaluate slices of a density (`run/sliced-model.ts`). */
import { availableParallelism } from 'node:os';
import type { SliceThreads } from '../run/slice-helper.js';
import { startThread } from './entries.js';

export const sliceThreads: SliceThreads = {
  cores: availableParallelism(),
  start(order) {
    const worker = startThread('slice-worker', new URL('./slice-worker.js', import.meta.url), { workerData: order });
    // A chain whose helper ends early computes its slices itself.
    worker.on('error', () => undefined);
    worker.unref();
  },
};
