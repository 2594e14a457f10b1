/**
 * Models whose log likelihoods the compiler derives, with the results of the R package loo for the log likelihoods that the programs
 * compute themselves.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Variables } from 'leapfrog';
import { ROOT } from '../project/tree.js';

export interface OwnLogLikelihood {
  readonly name: string;
  /** Declares data `N`, `y` and any other data, parameters and a model. */
  readonly program: string;
  /** Statements that compute `log_lik`, a vector of N elements. */
  readonly own: string;
  readonly data: Variables;
}

const N = 20;
const each = <T>(value: (n: number) => T): T[] => Array.from({ length: N }, (_, n) => value(n));
/** Seemingly random numbers from -1 to 1. */
const noise = each((n) => Math.sin(7.3 * n * n + 1.7 * n + 0.4));
const x = each((n) => (n - 9.5) / 6);
const group = each((n) => (n % 4) + 1);
const counts = each((n) => Math.max(0, Math.round(3 + 2 * x[n] + 4 * noise[n])));
const binary = each((n) => (x[n] + noise[n] > 0 ? 1 : 0));
const linear = each((n) => 1 + 0.7 * x[n] + noise[n] + (n === 7 ? 5 : 0));
const positive = linear.map((value) => Math.exp(value / 2));

const real = 'int N; vector[N] x; vector[N] y;';
const integer = 'int N; vector[N] x; array[N] int y;';
const regression = { N, x, y: linear };

/** A program with one line per block. `row` is the log density of one observation. */
function model(name: string, data: string, parameters: string, statements: string, row: string, values: Variables) {
  const program = `data { ${data} }\nparameters { ${parameters} }\nmodel { ${statements} }\n`;
  return { name, program, own: `for (n in 1:N) log_lik[n] = ${row};`, data: values };
}

export const MODELS: readonly OwnLogLikelihood[] = [
  model(
    'regression',
    real,
    'real a; real b; real<lower=0> s;',
    'a ~ normal(0, 5); b ~ normal(0, 5); s ~ exponential(1); y ~ normal(a + b * x, s);',
    'normal_lpdf(y[n] | a + b * x[n], s)',
    regression,
  ),
  model(
    'robust regression',
    real,
    'real a; real b; real<lower=0> s;',
    'a ~ normal(0, 5); b ~ normal(0, 5); s ~ exponential(1); for (n in 1:N) y[n] ~ student_t(4, a + b * x[n], s);',
    'student_t_lpdf(y[n] | 4, a + b * x[n], s)',
    regression,
  ),
  model(
    'unequal variances',
    real,
    'real a; real b; real c; real d;',
    '{a, b, c, d} ~ normal(0, 2); y ~ normal(a + b * x, exp(c + d * x));',
    'normal_lpdf(y[n] | a + b * x[n], exp(c + d * x[n]))',
    regression,
  ),
  model(
    'groups',
    'int N; array[N] int g; vector[N] y;',
    'vector[4] m; real a; real<lower=0> t; real<lower=0> s;',
    'a ~ normal(0, 5); t ~ exponential(1); s ~ exponential(1); m ~ normal(a, t); y ~ normal(m[g], s);',
    'normal_lpdf(y[n] | m[g[n]], s)',
    { N, g: group, y: linear },
  ),
  model(
    'logistic regression',
    integer,
    'real a; real b;',
    'a ~ normal(0, 2); b ~ normal(0, 2); y ~ bernoulli_logit(a + b * x);',
    'bernoulli_logit_lpmf(y[n] | a + b * x[n])',
    { N, x, y: binary },
  ),
  model(
    'probit regression',
    integer,
    'real a; real b;',
    'a ~ normal(0, 1); b ~ normal(0, 1); y ~ bernoulli(Phi(a + b * x));',
    'bernoulli_lpmf(y[n] | Phi(a + b * x[n]))',
    { N, x, y: binary },
  ),
  model(
    'Poisson regression',
    integer,
    'real a; real b;',
    'a ~ normal(0, 2); b ~ normal(0, 2); y ~ poisson_log(a + b * x);',
    'poisson_log_lpmf(y[n] | a + b * x[n])',
    { N, x, y: counts },
  ),
  model(
    'counts with an effect each',
    integer,
    'real a; vector[N] e; real<lower=0> t;',
    'a ~ normal(0, 2); t ~ exponential(1); e ~ normal(0, t); y ~ poisson_log(a + e);',
    'poisson_log_lpmf(y[n] | a + e[n])',
    { N, x, y: counts },
  ),
  model(
    'negative binomial regression',
    integer,
    'real a; real b; real<lower=0> phi;',
    'a ~ normal(0, 2); b ~ normal(0, 2); phi ~ exponential(0.1); y ~ neg_binomial_2_log(a + b * x, phi);',
    'neg_binomial_2_log_lpmf(y[n] | a + b * x[n], phi)',
    { N, x, y: counts },
  ),
  model(
    'binomial regression',
    'int N; vector[N] x; array[N] int trials; array[N] int y;',
    'real a; real b;',
    'a ~ normal(0, 2); b ~ normal(0, 2); target += binomial_logit_lpmf(y | trials, a + b * x);',
    'binomial_logit_lpmf(y[n] | trials[n], a + b * x[n])',
    { N, x, y: counts, trials: counts.map((count) => count + 4) },
  ),
  model(
    'mixture',
    'int N; vector[N] y;',
    'ordered[2] m; real<lower=0, upper=1> p; real<lower=0> s;',
    `m ~ normal(0, 3); p ~ beta(2, 2); s ~ exponential(1);
  for (n in 1:N) target += log_mix(p, normal_lpdf(y[n] | m[1], s), normal_lpdf(y[n] | m[2], s));`,
    'log_mix(p, normal_lpdf(y[n] | m[1], s), normal_lpdf(y[n] | m[2], s))',
    { N, y: linear },
  ),
  model(
    'gamma regression',
    real,
    'real a; real b; real<lower=0> shape;',
    'a ~ normal(0, 2); b ~ normal(0, 2); shape ~ exponential(0.2); y ~ gamma(shape, shape * exp(-(a + b * x)));',
    'gamma_lpdf(y[n] | shape, shape * exp(-(a + b * x[n])))',
    { N, x, y: positive },
  ),
  model(
    'lognormal',
    real,
    'real a; real b; real<lower=0> s;',
    'a ~ normal(0, 2); b ~ normal(0, 2); s ~ exponential(1); y ~ lognormal(a + b * x, s);',
    'lognormal_lpdf(y[n] | a + b * x[n], s)',
    { N, x, y: positive },
  ),
  model(
    'generalized linear model',
    'int N; matrix[N, 2] X; vector[N] y;',
    'real a; vector[2] b; real<lower=0> s;',
    'a ~ normal(0, 5); b ~ normal(0, 5); s ~ exponential(1); y ~ normal_id_glm(X, a, b, s);',
    'normal_lpdf(y[n] | a + X[n] * b, s)',
    { N, X: x.map((value) => [value, value * value]), y: linear },
  ),
  model(
    'ordered outcomes',
    integer,
    'real b; ordered[2] c;',
    'b ~ normal(0, 2); c ~ normal(0, 3); y ~ ordered_logistic(b * x, c);',
    'ordered_logistic_lpmf(y[n] | b * x[n], c)',
    { N, x, y: counts.map((count) => (count < 2 ? 1 : count < 5 ? 2 : 3)) },
  ),
];

/** The program with its own `log_lik`. */
export function withOwn({ own, program }: OwnLogLikelihood): string {
  return `${program}generated quantities { vector[N] log_lik; ${own} }\n`;
}

export interface RecordedLoo {
  readonly name: string;
  readonly columns: readonly string[];
  /** Draws of the parameters, row by row, one array per chain. */
  readonly chains: readonly (readonly number[])[];
  readonly expected: {
    readonly elpd: readonly number[];
    readonly effectiveParameters: readonly number[];
    readonly paretoK: readonly number[];
    readonly estimates: Readonly<Record<'elpd_loo' | 'p_loo' | 'looic', readonly [estimate: number, error: number]>>;
  };
}

/** The recordings of `record-derived-loo.ts` and `record-derived-loo.R`. */
export function readDerivedLoo(): readonly RecordedLoo[] {
  const text = gunzipSync(readFileSync(join(ROOT, 'test/reference/derived-loo.json.gz'))).toString();
  const { cases }: { readonly cases: readonly RecordedLoo[] } = JSON.parse(text);
  return cases;
}
