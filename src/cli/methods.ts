/** Commands that run an algorithm, as rows: which algorithms each may run, and how its options choose one. */
import { Option } from 'commander';
import type { Algorithm, Input } from '../inference/algorithms/algorithm.js';
import { algorithms } from '../inference/algorithms/registry.js';
import { booleanOption } from './flags.js';

export interface Method {
  readonly command: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly algorithms: readonly Algorithm[];
  /** Options that choose the algorithm. */
  readonly selectors: readonly Option[];
  /** The short name of the algorithm; `given` has the values of the selectors and of the other options. */
  choose(given: Selection): string;
  /** What it takes beside arguments. */
  readonly inputs: readonly Input[];
  /** Whether it runs several chains. */
  readonly isSampler: boolean;
  readonly examples: readonly string[];
}

export interface Selection {
  readonly algorithm?: string;
  readonly metric?: string;
  readonly adaptEngaged?: boolean;
  readonly numPaths?: number;
}

const named = (...names: readonly string[]) => algorithms.filter(({ name }) => names.includes(name));
const samplers = algorithms.filter(({ functionName }) => functionName.startsWith('stan::services::sample::'));
/** The one with the most arguments first: its defaults are shown. */
const usual = samplers.toSorted((a, b) => Number(isUsual(b)) - Number(isUsual(a)));

function isUsual({ name }: Algorithm): boolean {
  return name === 'hmc_nuts_diag_e_adapt';
}

function choice(name: string, description: string, choices: readonly string[]): Option {
  return new Option(`--${name} <word>`, description).choices(choices).default(choices[0]);
}

export const methods: readonly Method[] = [
  {
    command: 'sample',
    aliases: [],
    description: 'Draw from the posterior by Markov chain Monte Carlo.',
    algorithms: usual,
    selectors: [
      choice('algorithm', 'sampler', ['nuts', 'static', 'fixed_param']),
      choice('metric', 'shape of the metric', ['diag_e', 'dense_e', 'unit_e']),
      booleanOption('adapt-engaged', 'adapt step size and metric during warmup').default(true),
    ],
    choose: ({ algorithm, metric, adaptEngaged }) =>
      algorithm === 'fixed_param' ? algorithm : `hmc_${algorithm}_${metric}${adaptEngaged ? '_adapt' : ''}`,
    inputs: ['init'],
    isSampler: true,
    examples: [
      'leapfrog sample model.stan --data data.json --chains 4 --seed 1',
      'leapfrog sample model.stan --data data.json --chains 4 --metric dense_e --delta 0.95 --output fits/',
      'leapfrog sample model.stan --data data.json --init 0.5 --num-warmup 500 --num-samples 2000 --output draws.arrow',
    ],
  },
  {
    command: 'optimize',
    aliases: [],
    description: 'Find a mode of the posterior.',
    algorithms: named('lbfgs', 'bfgs', 'newton'),
    selectors: [choice('algorithm', 'optimizer', ['lbfgs', 'bfgs', 'newton'])],
    choose: ({ algorithm = '' }) => algorithm,
    inputs: ['init'],
    isSampler: false,
    examples: [
      'leapfrog optimize model.stan --data data.json',
      'leapfrog optimize model.stan --data data.json --algorithm newton --jacobian --output mode.csv',
    ],
  },
  {
    command: 'laplace',
    aliases: [],
    description: 'Draw from the Laplace approximation at a mode.',
    algorithms: named('laplace_sample'),
    selectors: [],
    choose: () => 'laplace_sample',
    inputs: ['mode'],
    isSampler: false,
    examples: [
      'leapfrog optimize model.stan --data data.json --jacobian --output mode.csv',
      'leapfrog laplace model.stan --data data.json --mode mode.csv --draws 4000',
    ],
  },
  {
    command: 'variational',
    aliases: [],
    description: 'Fit a normal approximation by automatic differentiation variational inference (ADVI).',
    algorithms: named('meanfield', 'fullrank'),
    selectors: [choice('algorithm', 'family of the approximation', ['meanfield', 'fullrank'])],
    choose: ({ algorithm = '' }) => algorithm,
    inputs: ['init'],
    isSampler: false,
    examples: ['leapfrog variational model.stan --data data.json --algorithm fullrank --output-samples 2000'],
  },
  {
    command: 'pathfinder',
    aliases: [],
    description: 'Draw from normal approximations found along the paths of an optimizer (Pathfinder).',
    algorithms: named('pathfinder_lbfgs_multi', 'pathfinder_lbfgs_single'),
    selectors: [],
    choose: ({ numPaths }) => (numPaths === 1 ? 'pathfinder_lbfgs_single' : 'pathfinder_lbfgs_multi'),
    inputs: ['init'],
    isSampler: false,
    examples: [
      'leapfrog pathfinder model.stan --data data.json --num-paths 8 --output start.csv',
      'leapfrog sample model.stan --data data.json --chains 4 --init start.csv',
    ],
  },
  {
    command: 'generate',
    aliases: ['generate_quantities'],
    description: 'Compute generated quantities for existing draws.',
    algorithms: named('standalone_generate'),
    selectors: [],
    choose: () => 'standalone_generate',
    inputs: ['fitted_params'],
    isSampler: false,
    examples: [
      'leapfrog generate model.stan --data data.json --fitted-params model-sample_1.csv model-sample_2.csv --output generated.csv',
    ],
  },
  {
    command: 'diagnose-gradient',
    aliases: [],
    description: 'Compare the gradient with finite differences.',
    algorithms: named('diagnose'),
    selectors: [],
    choose: () => 'diagnose',
    inputs: ['init'],
    isSampler: false,
    examples: ['leapfrog diagnose-gradient model.stan --data data.json --epsilon 1e-5'],
  },
];
