/** CmdStan's methods: the functions of the services namespace that each can run, and the options that select one. */
import type { Algorithm, Input } from '../inference/algorithms/algorithm.js';
import type { Argument } from '../inference/algorithms/arguments.js';
import { algorithms, ownSamplers } from '../inference/algorithms/registry.js';
import { isSampler } from './functions.js';

export interface Method {
  readonly name: MethodName;
  readonly algorithms: readonly Algorithm[];
  /** Arguments that choose the algorithm. */
  readonly selectors: readonly Argument[];
  /** Its inputs other than arguments. */
  readonly inputs: readonly Input[];
  /** Whether the method can run several chains. */
  readonly isSampler: boolean;
  /** The short name of the algorithm. No algorithm has this name if the values are incompatible. */
  choose(given: Selection): string;
}

export type MethodName =
  | 'sample'
  | 'optimize'
  | 'laplace'
  | 'variational'
  | 'pathfinder'
  | 'generate'
  | 'diagnose_gradient';

/** Values by which an algorithm is chosen: those of the selectors, with defaults, and other given arguments. */
interface Selection {
  readonly algorithm?: string;
  readonly metric?: string;
  readonly adapt_engaged?: boolean;
  readonly num_paths?: number;
}

const named = (...names: readonly string[]) => algorithms.filter(({ name }) => names.includes(name));
const samplers = algorithms.filter(isSampler);
/** Puts the default sampler first, so that its defaults are shown. */
const usual = samplers.toSorted((a, b) => Number(isUsual(b)) - Number(isUsual(a)));

function isUsual({ name }: Algorithm): boolean {
  return name === 'hmc_nuts_diag_e_adapt';
}

function choice(name: string, description: string, choices: readonly string[]): Argument {
  return { name, type: 'string', choices, default: choices[0], description };
}

export const methods: readonly Method[] = [
  {
    name: 'sample',
    algorithms: usual,
    selectors: [
      choice('algorithm', 'sampler', ['nuts', 'static', 'fixed_param', ...ownSamplers]),
      choice('metric', 'shape of the metric', ['diag_e', 'dense_e', 'unit_e', 'low_rank']),
      {
        name: 'adapt_engaged',
        type: 'boolean',
        default: true,
        description: 'adapt step size and metric during warmup',
      },
    ],
    inputs: ['init', 'warm_start', 'continue'],
    isSampler: true,
    choose: ({ adapt_engaged, algorithm = '', metric }) => {
      if (algorithm === 'fixed_param') return algorithm;
      if (ownSamplers.includes(algorithm) && metric === 'diag_e' && adapt_engaged) return algorithm;
      return `hmc_${algorithm}_${metric}${adapt_engaged ? '_adapt' : ''}`;
    },
  },
  {
    name: 'optimize',
    algorithms: named('lbfgs', 'bfgs', 'newton'),
    selectors: [choice('algorithm', 'optimizer', ['lbfgs', 'bfgs', 'newton'])],
    inputs: ['init'],
    isSampler: false,
    choose: ({ algorithm = '' }) => algorithm,
  },
  {
    name: 'laplace',
    algorithms: named('laplace_sample'),
    selectors: [],
    inputs: ['mode'],
    isSampler: false,
    choose: () => 'laplace_sample',
  },
  {
    name: 'variational',
    algorithms: named('meanfield', 'fullrank'),
    selectors: [choice('algorithm', 'family of the approximation', ['meanfield', 'fullrank'])],
    inputs: ['init'],
    isSampler: false,
    choose: ({ algorithm = '' }) => algorithm,
  },
  {
    name: 'pathfinder',
    algorithms: named('pathfinder_lbfgs_multi', 'pathfinder_lbfgs_single'),
    selectors: [],
    inputs: ['init'],
    isSampler: false,
    choose: ({ num_paths }) => (num_paths === 1 ? 'pathfinder_lbfgs_single' : 'pathfinder_lbfgs_multi'),
  },
  {
    name: 'generate',
    algorithms: named('standalone_generate'),
    selectors: [],
    inputs: ['fitted_params'],
    isSampler: false,
    choose: () => 'standalone_generate',
  },
  {
    name: 'diagnose_gradient',
    algorithms: named('diagnose'),
    selectors: [],
    inputs: ['init'],
    isSampler: false,
    choose: () => 'diagnose',
  },
];

/** The method with this name. */
export function methodNamed(name: MethodName): Method {
  const found = methods.find((method) => method.name === name);
  if (found === undefined) throw new Error(`no method ${name}`);
  return found;
}

/** The arguments without the number of paths, which a single path does not accept. */
export function withoutPaths(
  algorithm: string,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (algorithm !== 'pathfinder_lbfgs_single') return given;
  const { num_paths: _, ...rest } = given;
  return rest;
}
