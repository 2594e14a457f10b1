/** Parameters of the functions of the services namespace: the arguments of their algorithms, their inputs, and the arguments common to all. */
import type { Algorithm } from '../inference/algorithms/algorithm.js';
import { type Argument, type ArgumentValue, readArguments } from '../inference/algorithms/arguments.js';
import { algorithms, findAlgorithm } from '../inference/algorithms/registry.js';
import { enumeration } from './enumeration.js';
import type { ArgumentDescription, FunctionDescription, InputDescription } from './function-description.js';

export const MAX_CHAINS = 10_000;

/** The functions whose chains can be continued, and run in blocks, for messages. */
export const CONTINUABLE = enumeration([
  'hmc_nuts_…',
  ...algorithms
    .filter(({ inputs, name }) => inputs.includes('continue') && !name.startsWith('hmc_nuts_'))
    .map(({ name }) => name),
]);

const NUM_CHAINS: Argument = {
  name: 'num_chains',
  type: 'integer',
  default: 1,
  minimum: 1,
  maximum: MAX_CHAINS,
  description: 'Number of chains, with the same seed and ids from `chain` upward.',
};

/**
 * The arguments of a function, including the number of chains if a fit may have several; for an unknown function, all existing arguments.
 */
export function argumentsOf(algorithm: Algorithm | undefined): readonly Argument[] {
  if (algorithm !== undefined) return isSampler(algorithm) ? [...algorithm.arguments, NUM_CHAINS] : algorithm.arguments;
  const byName = new Map(algorithms.flatMap((each) => each.arguments).map((argument) => [argument.name, argument]));
  return [...byName.values(), NUM_CHAINS];
}

/** The valid arguments of a function among the given ones. */
export function knownArguments(
  functionName: string,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, ArgumentValue>> {
  const algorithm = findAlgorithm(functionName);
  const read: Record<string, ArgumentValue> = {};
  for (const argument of algorithm === undefined ? [] : argumentsOf(algorithm)) {
    const value = given[argument.name];
    if (value === undefined) continue;
    const one = readArguments([argument], { [argument.name]: value });
    if ('settings' in one) Object.assign(read, one.settings.entries());
  }
  return read;
}

/** Whether a fit by the function may have several chains. */
export function isSampler({ functionName }: Pick<Algorithm, 'functionName'>): boolean {
  return functionName.includes('::services::sample::');
}

const INPUTS: readonly InputDescription[] = [
  {
    name: 'init',
    required: false,
    description:
      'Initial values: an object with one member per parameter, where missing parameters start at random; or a finished fit (over HTTP its name), where each chain starts from a different draw.',
  },
  {
    name: 'warm_start',
    required: false,
    description:
      'A finished fit (over HTTP its name): the chains start with its last positions, step size and metric. Parameters are matched by name and size; others start as if warm_start were absent, and the log lists them. `init` and `inv_metric` take precedence.',
  },
  {
    name: 'continue',
    required: false,
    description:
      'A finished fit of the same program, data and sampler (over HTTP its name). Its chains continue where they ended, without warmup, with the same seed, step size and metric. The new fit contains the further draws.',
  },
  {
    name: 'mode',
    required: true,
    description:
      'The mode: an object with one member per parameter, or a finished fit of an optimizer (over HTTP its name).',
  },
  {
    name: 'fitted_params',
    required: true,
    description:
      'Draws of the parameters: an array of objects, one per draw, with one member per parameter; or a finished fit (over HTTP its name). The new fit has the same chains.',
  },
];

/** The inputs of a function; for an unknown function, all existing inputs. */
export function inputsOf(algorithm: Algorithm | undefined): readonly InputDescription[] {
  return INPUTS.filter(({ name }) => algorithm === undefined || algorithm.inputs.includes(name));
}

export const SAVE: ArgumentDescription = {
  name: 'save',
  type: 'array',
  elements: 'string',
  description: "Variables to save in draws and diagnostics, besides the function's own columns; all if absent.",
};

/** All functions of the services namespace. */
export const functions: readonly FunctionDescription[] = algorithms.map(describeFunction);

/** Describes a row of the registry in the interface's terms. */
export function describeFunction(algorithm: Algorithm): FunctionDescription {
  const { functionName, name, description, draws } = algorithm;
  return {
    name: functionName,
    short_name: name,
    description,
    inputs: inputsOf(algorithm),
    arguments: [...argumentsOf(algorithm), SAVE],
    draws,
  };
}

/** The name of a request's type: `HmcNutsDiagEAdaptRequest` of `hmc_nuts_diag_e_adapt`. */
export function requestName({ name }: Algorithm): string {
  const words = name.split('_').map((word) => word[0].toUpperCase() + word.slice(1));
  return `${words.join('')}Request`;
}
