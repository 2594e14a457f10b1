/** The in-process engine with the kernels of this package. */
import { inProcessEngine } from '../run/in-process.js';
import { leapfrogCompiler } from '../run/leapfrog-compiler.js';
import { leapfrogModels } from '../run/leapfrog-models.js';
import { loadKernels } from './kernels.js';
import { sharing } from './sharing.js';

const kernels = loadKernels();

export const compiler = leapfrogCompiler(kernels.library);
export const models = leapfrogModels(new WebAssembly.Module(kernels.linear), sharing);
export const engine = inProcessEngine(compiler, models);
