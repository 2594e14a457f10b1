/** The functions of the services namespace, prepared for forms. */

import type { RefitSampler } from 'leapfrog';
import type { Algorithm } from '#engine/inference/algorithms/algorithm.js';
import type { Argument, ArgumentValue } from '#engine/inference/algorithms/arguments.js';
import { algorithms, findAlgorithm } from '#engine/inference/algorithms/registry.js';
import { argumentsOf, isSampler as hasSeveralChains } from '#engine/requests/functions.js';
import type { RunSettings } from '../state/project.js';
import type { Run } from '../state/run.js';
import { t } from '../words/messages.js';
import type { PlainKey } from '../words/types.js';
import { samplerParts, shortName } from './function-names.js';

/** Arguments that are always shown; the others are behind “more”. */
const COMMON = ['num_chains', 'num_warmup', 'num_samples', 'iter', 'draws', 'num_draws', 'random_seed'];
/** Arguments for adaptation of samplers and approximations, and for convergence of optimizers, which few users change. */
const TUNING = [
  ...['stepsize', 'stepsize_jitter', 'inv_metric', 'adapt_metric', 'reparameterize', 'gamma', 'kappa', 't0'],
  ...['integrate', 'init_buffer', 'term_buffer', 'window', 'eta', 'adapt_engaged', 'adapt_iterations'],
  ...['init_alpha', 'tol_obj', 'tol_rel_obj', 'tol_grad', 'tol_rel_grad', 'tol_param', 'history_size'],
];
/** The most frequently changed arguments, in this order. */
const FIRST = ['delta', 'max_depth'];
const OUTPUT = ['save_warmup', 'num_thin', 'save_iterations', 'calculate_lp', 'chain'];

export function algorithmOf({ functionName }: RunSettings): Algorithm {
  const found = findAlgorithm(functionName) ?? algorithms[0];
  return found;
}

const TITLES: Readonly<Record<string, PlainKey>> = {
  'stan::services::sample': 'write.sampling',
  'leapfrog::services::sample': 'write.samplingBeyond',
  'stan::services::optimize': 'write.optimization',
  'stan::services::experimental::advi': 'write.variational',
  'stan::services::pathfinder': 'write.pathfinder',
  'stan::services::diagnose': 'write.checks',
  'stan::services': 'write.fromEarlier',
};

/** A function's purpose, as the heading of a menu. */
export function titleOf({ functionName }: Algorithm): string {
  const namespace = functionName.split('::').slice(0, -1).join('::');
  return t(TITLES[namespace] ?? 'write.otherFunctions');
}

export function commonArguments(algorithm: Algorithm): readonly Argument[] {
  const all = argumentsOf(algorithm);
  return COMMON.flatMap((name) => all.filter((argument) => argument.name === name));
}

/** Arguments behind “more” under one heading. */
interface ArgumentGroup {
  readonly title: 'Run' | 'Adaptation' | 'Convergence' | 'Output';
  readonly arguments: readonly Argument[];
}

/** The arguments behind “more”: frequently changed ones, adaptation or convergence, and output. Groups without arguments are omitted. */
export function argumentGroups(algorithm: Algorithm): readonly ArgumentGroup[] {
  const further = argumentsOf(algorithm).filter(({ name }) => !COMMON.includes(name) && name !== 'refresh');
  const of = (names: readonly string[]) =>
    names.flatMap((name) => further.filter((argument) => argument.name === name));
  const isOfRun = (name: string) => ![...FIRST, ...TUNING, ...OUTPUT].includes(name);
  const isAdapted = algorithm.functionName.includes('::sample::') || algorithm.functionName.includes('::advi::');
  const groups: readonly ArgumentGroup[] = [
    { title: 'Run', arguments: [...of(FIRST), ...further.filter((argument) => isOfRun(argument.name))] },
    { title: isAdapted ? 'Adaptation' : 'Convergence', arguments: of(TUNING) },
    { title: 'Output', arguments: of(OUTPUT) },
  ];
  return groups.filter((group) => group.arguments.length > 0);
}

/** The page runs four chains by default, so that they can be compared. */
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

/** Ids of the chains of a run, including those that wait for a thread. */
export function chainIds(settings: RunSettings): readonly number[] {
  const { chain = 1, num_chains: count = 1 } = givenArguments(settings);
  if (typeof chain !== 'number' || typeof count !== 'number') return [];
  return Array.from({ length: count }, (_, index) => chain + index);
}

/** Whether the function of a request exists. The receiver checks the arguments. */
export function isRequest<Request extends { readonly function: string }>(request: {
  readonly function: string;
}): request is Request {
  return algorithms.some(({ functionName }) => functionName === request.function);
}

/** Whether a run's draws come from Markov chains, whose convergence can be judged. */
export function isSampler({ source }: Pick<Run, 'source'>): boolean {
  return hasSeveralChains(algorithmOf(source.settings));
}

/** Arguments that a calibration and refits determine themselves. */
const NOT_CALIBRATED = ['num_chains', 'chain', 'save_warmup', 'refresh'];
const USUAL_SAMPLER = 'stan::services::sample::hmc_nuts_diag_e_adapt';

/** The sampler of the settings with its arguments, for a calibration or refits; the usual one if the settings are those of another function. */
export function calibratedArguments(settings: RunSettings): {
  readonly functionName: string;
  readonly given: Readonly<Record<string, ArgumentValue>>;
} {
  const algorithm = algorithmOf(settings);
  const seed = settings.arguments.random_seed;
  if (!algorithm.inputs.includes('warm_start'))
    return { functionName: USUAL_SAMPLER, given: seed === undefined ? {} : { random_seed: seed } };
  const given = Object.entries(givenArguments(settings)).filter(([name]) => !NOT_CALIBRATED.includes(name));
  return { functionName: algorithm.functionName, given: Object.fromEntries(given) };
}

/** The sampler of a calibration or refits as fields of the library's `sample`, which checks their values. */
export function samplerFields(settings: RunSettings): Omit<RefitSampler, 'num_chains'> {
  const { functionName, given } = calibratedArguments(settings);
  const fields = { ...given, ...choiceOf(shortName(functionName)) };
  if (!areSampler(fields)) throw new Error(t('runs.noFunction', { name: functionName }));
  return fields;
}

/** The fields of `sample` that choose a sampler. */
function choiceOf(short: string): Readonly<Record<string, ArgumentValue>> {
  const { adapt, kind, metric } = samplerParts(short);
  return kind === undefined || metric === undefined
    ? { algorithm: short }
    : { algorithm: kind, metric, adapt_engaged: adapt !== undefined };
}

function areSampler(fields: Readonly<Record<string, ArgumentValue>>): fields is RefitSampler & typeof fields {
  return typeof fields.algorithm === 'string';
}
