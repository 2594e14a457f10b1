/** The in-process engine with the kernels of this package. */

import { leapfrogModels } from '../chain/leapfrog-models.js';
import { inProcessEngine } from '../engine/in-process.js';
import { leapfrogCompiler } from '../engine/leapfrog-compiler.js';
import { loadKernels } from './kernels.js';
import { sharing } from './sharing.js';

const kernels = loadKernels();

export const compiler = leapfrogCompiler(kernels.library);
export const models = leapfrogModels(new WebAssembly.Module(kernels.linear), sharing);
export const engine = inProcessEngine(compiler, models);
