import type { Algorithm } from './algorithm.js';
import { fixedParam } from './fixed-param.js';
import { hmcAlgorithms } from './hmc/hmc.js';
import { newton } from './optimize/newton.js';
import { bfgs, lbfgs } from './optimize/quasi-newton.js';

/** Every algorithm there is. */
export const algorithms: readonly Algorithm[] = [...hmcAlgorithms, fixedParam, lbfgs, bfgs, newton];

/** The algorithm of a name: short, or full under either prefix, `stan::services::` or `engine::services::`. */
export function findAlgorithm(name: string): Algorithm | undefined {
  const full = name.replace(/^engine::/, 'stan::');
  return algorithms.find((algorithm) => algorithm.functionName === full || algorithm.name === name);
}
