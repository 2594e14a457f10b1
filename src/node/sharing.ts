/**
 * Resources that models share with other threads of this process: slices of a density (`chain/sliced-model.ts`), and memory with bound data.
 */

import type { Sharing } from '../chain/leapfrog-models.js';
import type { SliceThreads } from '../chain/model-host.js';
import { threadsAvailable } from './address-space.js';
import { startThread } from './entries.js';
import { loadLinearKernel } from './kernels.js';

const sliceThreads: SliceThreads = {
  cores: threadsAvailable(),
  start(order) {
    const worker = startThread('slice-worker', new URL('./slice-worker.js', import.meta.url), { workerData: order });
    // A chain whose helper ends early computes its slices itself.
    worker.on('error', () => undefined);
    worker.unref();
  },
};

export const sharing: Sharing = { sliceThreads, loadLinear: loadLinearKernel };
