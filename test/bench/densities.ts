import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CorpusModel } from './corpus.js';
import { compareGradients, type GradientRow } from './gradients.js';

/**
 * A density at N = 1,000. The outcome is y: `real`, `positive`, `unit` (between 0 and 1), `above` (at least 1) or a count; the arguments
 * are numbers of these kinds: r any, s and t positive, u between 0 and 1, k an integer.
 */
interface Case {
  readonly name: string;
  readonly outcome: 'real' | 'positive' | 'unit' | 'above' | 'count' | 'binary';
  readonly arguments: string;
}

const CONTINUOUS: readonly Case[] = [
  { name: 'normal', outcome: 'real', arguments: 'r, s' },
  { name: 'std_normal', outcome: 'real', arguments: '' },
  { name: 'exp_mod_normal', outcome: 'real', arguments: 'r, s, t' },
  { name: 'skew_normal', outcome: 'real', arguments: 'r, s, q' },
  { name: 'student_t', outcome: 'real', arguments: 't, r, s' },
  { name: 'cauchy', outcome: 'real', arguments: 'r, s' },
  { name: 'double_exponential', outcome: 'real', arguments: 'r, s' },
  { name: 'skew_double_exponential', outcome: 'real', arguments: 'r, s, u' },
  { name: 'logistic', outcome: 'real', arguments: 'r, s' },
  { name: 'gumbel', outcome: 'real', arguments: 'r, s' },
  { name: 'von_mises', outcome: 'real', arguments: 'r, s' },
  { name: 'lognormal', outcome: 'positive', arguments: 'r, s' },
  { name: 'chi_square', outcome: 'positive', arguments: 's' },
  { name: 'inv_chi_square', outcome: 'positive', arguments: 's' },
  { name: 'scaled_inv_chi_square', outcome: 'positive', arguments: 's, t' },
  { name: 'exponential', outcome: 'positive', arguments: 's' },
  { name: 'gamma', outcome: 'positive', arguments: 's, t' },
  { name: 'inv_gamma', outcome: 'positive', arguments: 's, t' },
  { name: 'weibull', outcome: 'positive', arguments: 's, t' },
  { name: 'frechet', outcome: 'positive', arguments: 's, t' },
  { name: 'rayleigh', outcome: 'positive', arguments: 's' },
  { name: 'loglogistic', outcome: 'positive', arguments: 's, t' },
  { name: 'pareto', outcome: 'above', arguments: 'u, s' },
  { name: 'pareto_type_2', outcome: 'above', arguments: 'u, s, t' },
  { name: 'beta', outcome: 'unit', arguments: 's, t' },
  { name: 'beta_proportion', outcome: 'unit', arguments: 'u, s' },
  { name: 'wiener', outcome: 'above', arguments: 's, u, u, r' },
];

const DISCRETE: readonly Case[] = [
  { name: 'bernoulli', outcome: 'binary', arguments: 'u' },
  { name: 'bernoulli_logit', outcome: 'binary', arguments: 'r' },
  { name: 'binomial', outcome: 'count', arguments: 'k, u' },
  { name: 'binomial_logit', outcome: 'count', arguments: 'k, r' },
  { name: 'beta_binomial', outcome: 'count', arguments: 'k, s, t' },
  { name: 'neg_binomial', outcome: 'count', arguments: 's, t' },
  { name: 'neg_binomial_2', outcome: 'count', arguments: 's, t' },
  { name: 'neg_binomial_2_log', outcome: 'count', arguments: 'r, t' },
  { name: 'beta_neg_binomial', outcome: 'count', arguments: 's, t, s' },
  { name: 'poisson', outcome: 'count', arguments: 's' },
  { name: 'poisson_log', outcome: 'count', arguments: 'r' },
];

const N = 1000;
const K = 20;

/** The outcome of a form: all arguments parameters, or the outcome data and the rest parameters. */
type Form = 'parameters' | 'data';

const OUTCOMES: Readonly<Record<Case['outcome'], Readonly<Record<Form, string>>>> = {
  real: { parameters: 'x', data: 'real_data' },
  positive: { parameters: 'x_positive', data: 'positive_data' },
  unit: { parameters: 'x_unit', data: 'unit_data' },
  above: { parameters: 'x_above', data: 'above_data' },
  count: { parameters: 'counts', data: 'counts' },
  binary: { parameters: 'outcomes', data: 'outcomes' },
};

/**
 * One program for all densities: `which` selects the statement, and sizes of 0 omit the parameters that it does not use. A discrete outcome
 * is data in both forms; if all arguments are parameters, the first real argument has one element per outcome.
 */
function programOf(cases: readonly Case[]): string {
  const statements = cases.flatMap((each, k) =>
    (['parameters', 'data'] as const).map((form, j) => {
      const isDiscrete = each.outcome === 'count' || each.outcome === 'binary';
      const list = isDiscrete && form === 'parameters' ? each.arguments.replace(/[rsu]/, 'x_$&') : each.arguments;
      return `  if (which == ${2 * k + j}) ${OUTCOMES[each.outcome][form]} ~ ${each.name}(${list});`;
    }),
  );
  return `data {
  int which;
  int k;
  array[7] int sizes;
  vector[${N}] real_data;
  vector[${N}] positive_data;
  vector[${N}] unit_data;
  vector[${N}] above_data;
  array[${N}] int counts;
  array[${N}] int outcomes;
}
parameters {
  real r;
  real q;
  real<lower=0> s;
  real<lower=0> t;
  real<lower=0, upper=1> u;
  vector[sizes[1]] x;
  vector<lower=0>[sizes[2]] x_positive;
  vector<lower=0, upper=1>[sizes[3]] x_unit;
  vector<lower=1>[sizes[4]] x_above;
  vector[sizes[5]] x_r;
  vector<lower=0>[sizes[6]] x_s;
  vector<lower=0, upper=1>[sizes[7]] x_u;
}
model {
${statements.join('\n')}
}
`;
}

const SIZED = ['x', 'x_positive', 'x_unit', 'x_above', 'x_r', 'x_s', 'x_u'];

/** Numbers between 0 and 1 without a generator: fractional parts of multiples of the golden ratio. */
function spread(i: number): number {
  return (i * 0.6180339887498949 + 0.137) % 1;
}

function itemsOf(cases: readonly Case[], folder: string, only: RegExp): CorpusModel[] {
  const text = programOf(cases);
  const program = join(folder, `${cases[0].name}.stan`);
  writeFileSync(program, text);
  const list = Array.from({ length: N }, (_, i) => spread(i));
  return cases.flatMap((each, k) =>
    (['parameters', 'data'] as const).flatMap((form, j): CorpusModel[] => {
      const name = `${each.name} ${form}`;
      if (!only.test(name)) return [];
      const isDiscrete = each.outcome === 'count' || each.outcome === 'binary';
      const first = /[rsu]/.exec(each.arguments)?.[0];
      const sized = form === 'data' ? null : isDiscrete ? `x_${first}` : OUTCOMES[each.outcome].parameters;
      const sizes = SIZED.map((variable) => (variable === sized ? N : 0));
      const dataText = JSON.stringify({
        which: 2 * k + j,
        k: K,
        sizes,
        real_data: list.map((z) => 4 * z - 2),
        positive_data: list.map((z) => 3 * z + 0.1),
        unit_data: list.map((z) => 0.02 + 0.96 * z),
        above_data: list.map((z) => 1 + 2 * z),
        counts: list.map((z) => Math.floor(15 * z)),
        outcomes: list.map((z) => (z < 0.4 ? 1 : 0)),
      });
      const data = join(folder, `${cases[0].name}-${2 * k + j}.json`);
      writeFileSync(data, dataText);
      const point = [0.3, 0.7, 0.4, 0.6, -0.2, ...list.slice(0, sized === null ? 0 : N).map((z) => 2 * z - 1)];
      return [{ name, program, text, data, dataText, points: [point], recorded: {} }];
    }),
  );
}

/** Time per gradient of every elementwise density at N = 1,000, compared with real Stan, in both forms. */
export function benchDensities(_folder: string, only: RegExp, seconds: number): GradientRow[] {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-densities-'));
  return compareGradients(
    [CONTINUOUS, DISCRETE].flatMap((cases) => itemsOf(cases, folder, only)),
    seconds,
  );
}
