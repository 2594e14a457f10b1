/** Table of the commands that run an algorithm, one row per method. */
import { Option } from 'commander';
import type { DerivedKind } from '../../derive/derived-names.js';
import type { Argument } from '../../inference/algorithms/arguments.js';
import * as run from '../../requests/methods.js';
import { booleanOption, flagName } from './flags.js';

export interface Method extends Omit<run.Method, 'choose' | 'selectors'> {
  readonly command: string;
  readonly aliases: readonly string[];
  readonly description: string;
  /** Options that select the algorithm. */
  readonly selectors: readonly Option[];
  /** Options that are short forms of selectors with a value. */
  readonly shortForms: readonly Option[];
  /** The short name of the algorithm. `given` contains the values of the selectors and of the other options. */
  choose(given: Selection): string;
  readonly examples: readonly string[];
  /** The derived program to run instead of the given one. */
  readonly derived?: DerivedKind;
}

export interface Selection {
  readonly algorithm?: string;
  readonly metric?: string;
  readonly adaptEngaged?: boolean;
  readonly numPaths?: number;
}

interface Row {
  readonly name: run.MethodName;
  readonly command?: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly examples: readonly string[];
  readonly derived?: DerivedKind;
}

const ROWS: readonly Row[] = [
  {
    name: 'sample',
    description: 'Draw from the posterior by Markov chain Monte Carlo.',
    examples: [
      'leapfrog sample model.stan --data data.json --chains 4 --seed 1',
      'leapfrog sample model.stan --data data.json --chains 4 --metric dense_e --delta 0.95 --output fits/',
      'leapfrog sample model.stan --data data.json --init 0.5 --num-warmup 500 --num-samples 2000 --output draws.arrow',
    ],
  },
  {
    name: 'sample',
    command: 'prior',
    derived: 'prior',
    description: 'Draw from the prior distribution: the program without the statements that condition on data.',
    examples: [
      'leapfrog prior model.stan --data data.json --chains 4 --output prior.csv',
      'leapfrog predict model.stan --data data.json --fitted-params prior_*.csv --output prior-predictive.csv',
    ],
  },
  {
    name: 'optimize',
    description: 'Find a mode of the posterior.',
    examples: [
      'leapfrog optimize model.stan --data data.json',
      'leapfrog optimize model.stan --data data.json --algorithm newton --jacobian --output mode.csv',
    ],
  },
  {
    name: 'laplace',
    description: 'Draw from the Laplace approximation at a mode.',
    examples: [
      'leapfrog optimize model.stan --data data.json --jacobian --output mode.csv',
      'leapfrog laplace model.stan --data data.json --mode mode.csv --draws 4000',
    ],
  },
  {
    name: 'variational',
    description: 'Fit a normal approximation by automatic differentiation variational inference (ADVI).',
    examples: ['leapfrog variational model.stan --data data.json --algorithm fullrank --output-samples 2000'],
  },
  {
    name: 'pathfinder',
    description: 'Draw from normal approximations found along the paths of an optimizer (Pathfinder).',
    examples: [
      'leapfrog pathfinder model.stan --data data.json --num-paths 8 --output start.csv',
      'leapfrog sample model.stan --data data.json --chains 4 --init start.csv',
    ],
  },
  {
    name: 'generate',
    aliases: ['generate_quantities'],
    description: 'Compute generated quantities for existing draws.',
    examples: [
      'leapfrog generate model.stan --data data.json --fitted-params model-sample_1.csv model-sample_2.csv --output generated.csv',
    ],
  },
  {
    name: 'generate',
    command: 'predict',
    derived: 'replicated',
    description: 'Draw replicated data for existing draws: y_rep for an outcome y, derived from the program.',
    examples: [
      'leapfrog predict model.stan --data data.json --fitted-params model-sample_1.csv model-sample_2.csv --output replicated.csv',
    ],
  },
  {
    name: 'diagnose_gradient',
    command: 'diagnose-gradient',
    description: 'Compare the gradient with finite differences.',
    examples: ['leapfrog diagnose-gradient model.stan --data data.json --epsilon 1e-5'],
  },
];

export const methods: readonly Method[] = ROWS.map((row) => {
  const method = run.methodNamed(row.name);
  return {
    ...method,
    ...row,
    command: row.command ?? row.name,
    aliases: row.aliases ?? [],
    selectors: method.selectors.map(selectorOption),
    shortForms: row.name === 'sample' ? [recommendedOption()] : [],
    choose: ({ adaptEngaged: adapt_engaged, algorithm, metric, numPaths: num_paths }) =>
      method.choose({
        ...(adapt_engaged !== undefined && { adapt_engaged }),
        ...(algorithm !== undefined && { algorithm }),
        ...(metric !== undefined && { metric }),
        ...(num_paths !== undefined && { num_paths }),
      }),
  };
});

/** The short form of the recommended algorithm. */
function recommendedOption(): Option {
  return new Option(
    '--recommended',
    'short form of --algorithm recommended, whose warmup has 300 iterations by default',
  ).implies({ algorithm: 'recommended' });
}

function selectorOption({ description, name, ...row }: Argument): Option {
  if (row.type === 'boolean') return booleanOption(flagName(name), description).default(row.default);
  if (row.type !== 'string') throw new Error(`the selector ${name} is neither a word nor a flag`);
  return new Option(`--${flagName(name)} <word>`, description).choices(row.choices).default(row.default);
}
