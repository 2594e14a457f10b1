/** Entry point of a thread that evaluates slices of a density. */
import { workerData } from 'node:worker_threads';
import { leapfrogModels } from '../chain/leapfrog-models.js';
import { performSlices } from '../chain/slice-helper.js';
import { loadLinearKernel } from './kernels.js';
import { sharing } from './sharing.js';
import { setV8Flags } from './v8-flags.js';

setV8Flags();
performSlices(leapfrogModels(new WebAssembly.Module(loadLinearKernel()), sharing), workerData);
