import type { Algorithm } from './algorithm.js';
import { diagnose } from './diagnose.js';
import { fixedParam } from './fixed-param.js';
import { hmcAlgorithms } from './hmc/hmc.js';
import { recommended } from './hmc/recommended.js';
import { laplaceSample } from './laplace-sample.js';
import { newton } from './optimize/newton.js';
import { bfgs, lbfgs } from './optimize/quasi-newton.js';
import { pathfinderMulti, pathfinderSingle } from './pathfinder/pathfinder.js';
import { standaloneGenerate } from './standalone-generate.js';
import { tempered } from './tempered.js';
import { fullrank, meanfield } from './variational/advi.js';

/** All algorithms. */
export const algorithms: readonly Algorithm[] = [
  ...hmcAlgorithms,
  recommended,
  tempered,
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

/** The samplers whose metric cannot be chosen. The argument `algorithm` of `sample` selects them by name. */
export const ownSamplers: readonly string[] = [recommended, tempered].map(({ name }) => name);

/** The full names of an algorithm. Stan's functions are also available as `engine::services::…`. */
export function functionNames({ functionName }: Algorithm): readonly string[] {
  return functionName.startsWith('stan::')
    ? [functionName, functionName.replace('stan::', 'engine::')]
    : [functionName];
}

/** The algorithm with a short or full name. */
export function findAlgorithm(name: string): Algorithm | undefined {
  return algorithms.find((algorithm) => algorithm.name === name || functionNames(algorithm).includes(name));
}
