import type { Algorithm } from './algorithm.js';
import { diagnose } from './diagnose.js';
import { fixedParam } from './fixed-param.js';
import { hmcAlgorithms } from './hmc/hmc.js';
import { laplaceSample } from './laplace-sample.js';
import { newton } from './optimize/newton.js';
import { bfgs, lbfgs } from './optimize/quasi-newton.js';
import { pathfinderMulti, pathfinderSingle } from './pathfinder/pathfinder.js';
import { standaloneGenerate } from './standalone-generate.js';
import { fullrank, meanfield } from './variational/advi.js';

/** Every algorithm there is. */
export const algorithms: readonly Algorithm[] = [
  ...hmcAlgorithms,
  fixedParam,
  lbfgs,
  bfgs,
  newton,
  laplaceSample,
  meanfield,
  fullrank,
  pathfinderSingle,
  pathfinderMulti,
  standaloneGenerate,
  diagnose,
];

/** The algorithm of a name: short, or full under either prefix, `stan::services::` or `engine::services::`. */
export function findAlgorithm(name: string): Algorithm | undefined {
  const full = name.replace(/^engine::/, 'stan::');
  return algorithms.find((algorithm) => algorithm.functionName === full || algorithm.name === name);
}
