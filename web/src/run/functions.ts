/** The functions of the services namespace, as forms are made of them. */
import type { Algorithm } from '#engine/inference/algorithms/algorithm.js';
import type { Argument, ArgumentValue } from '#engine/inference/algorithms/arguments.js';
import { algorithms, findAlgorithm } from '#engine/inference/algorithms/registry.js';
import { argumentsOf, isSampler as hasSeveralChains } from '#engine/run/functions.js';
import type { RunSettings } from '../state/project.js';
import type { Run } from '../state/run.js';

/** Shown at once; the others stand behind “more”. */
const COMMON = ['num_chains', 'num_warmup', 'num_samples', 'random_seed'];

export function algorithmOf({ functionName }: RunSettings): Algorithm {
  const found = findAlgorithm(functionName) ?? algorithms[0];
  return found;
}

const TITLES: Readonly<Record<string, string>> = {
  'stan::services::sample': 'Sampling',
  'leapfrog::services::sample': 'Sampling, beyond Stan',
  'stan::services::optimize': 'Optimization',
  'stan::services::experimental::advi': 'Variational approximation',
  'stan::services::pathfinder': 'Pathfinder',
  'stan::services::diagnose': 'Checks',
  'stan::services': 'From an earlier run',
};

/** What a function does, as the headings of menus have it. */
export function titleOf({ functionName }: Algorithm): string {
  const namespace = functionName.split('::').slice(0, -1).join('::');
  return TITLES[namespace] ?? 'Other functions';
}

export function commonArguments(algorithm: Algorithm): readonly Argument[] {
  const all = argumentsOf(algorithm);
  return COMMON.flatMap((name) => all.filter((argument) => argument.name === name));
}

export function furtherArguments(algorithm: Algorithm): readonly Argument[] {
  return argumentsOf(algorithm).filter(({ name }) => !COMMON.includes(name) && name !== 'refresh');
}

/** The page samples from four chains, as people compare them. */
const OWN_DEFAULTS: Readonly<Record<string, ArgumentValue>> = { num_chains: 4 };

export function defaultOf(argument: Argument): ArgumentValue | undefined {
  return OWN_DEFAULTS[argument.name] ?? argument.default;
}

/** Arguments of a function: the settings, completed with the page's own defaults. */
export function givenArguments(settings: RunSettings): Readonly<Record<string, ArgumentValue>> {
  const given: Record<string, ArgumentValue> = {};
  for (const argument of argumentsOf(algorithmOf(settings))) {
    const value = settings.arguments[argument.name] ?? OWN_DEFAULTS[argument.name];
    if (value !== undefined) given[argument.name] = value;
  }
  return given;
}

/** Whether a request is for a function that there is; whoever takes it checks the arguments. */
export function isRequest<Request extends { readonly function: string }>(request: {
  readonly function: string;
}): request is Request {
  return algorithms.some(({ functionName }) => functionName === request.function);
}

/** Whether a run's draws come from Markov chains, whose convergence can be judged. */
export function isSampler({ source }: Pick<Run, 'source'>): boolean {
  return hasSeveralChains(algorithmOf(source.settings));
}
