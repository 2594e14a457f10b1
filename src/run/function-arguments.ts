/** What the functions of the services namespace take: the arguments of their algorithms, and the number of chains. */
import type { Algorithm } from '../inference/algorithms/algorithm.js';
import type { Argument } from '../inference/algorithms/arguments.js';
import { algorithms } from '../inference/algorithms/registry.js';

export const MAX_CHAINS = 10_000;

const NUM_CHAINS: Argument = {
  name: 'num_chains',
  type: 'integer',
  default: 1,
  minimum: 1,
  maximum: MAX_CHAINS,
  description: 'Chains to run, with ids from `chain` upward and the same seed.',
};

/** The arguments of a function, the number of chains among them where several make one fit; of an unknown one, all there are. */
export function argumentsOf(algorithm: Algorithm | undefined): readonly Argument[] {
  if (algorithm !== undefined) return isSampler(algorithm) ? [...algorithm.arguments, NUM_CHAINS] : algorithm.arguments;
  const byName = new Map(algorithms.flatMap((each) => each.arguments).map((argument) => [argument.name, argument]));
  return [...byName.values(), NUM_CHAINS];
}

/** Whether several chains of a function make one fit. */
function isSampler({ functionName }: Algorithm): boolean {
  return functionName.startsWith('stan::services::sample::');
}
