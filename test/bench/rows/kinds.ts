import { createRng } from '../../../src/inference/random/random-stream.js';
import type { Rng } from '../../../src/inference/random/rng.js';

/** Data as they are written to JSON. */
export type RowsData = Readonly<Record<string, number | readonly number[] | readonly (readonly number[])[]>>;

/** A type of model whose number of rows can be chosen. */
export interface RowsKind {
  readonly name: string;
  readonly program: string;
  readonly dataOf: (rows: number) => RowsData;
}

const GROUPS = 50;
const TIMES = 40;
const CELLS = [6, 5, 4];
const COLUMNS = 10;

const LINE = 'vector[N] x; vector[N] y;';
const LINE_PARAMETERS = 'parameters { real a; real b; real<lower=0> s; }';

/** Twelve types of models: likelihoods that become sums, tables or distinct rows when data are bound, and others. */
export const KINDS: readonly RowsKind[] = [
  {
    name: 'linear regression',
    program: `data { int N; ${LINE} } ${LINE_PARAMETERS} model { y ~ normal(a + b * x, s); }`,
    dataOf: (rows) => lineOf(rows, (random, x) => 1 + 0.5 * x + random.normal()),
  },
  {
    name: 'normal_id_glm, 10 columns',
    program: `data { int N; matrix[N, ${COLUMNS}] X; vector[N] y; }
      parameters { real a; vector[${COLUMNS}] b; real<lower=0> s; }
      model { y ~ normal_id_glm(X, a, b, s); }`,
    dataOf: (rows) => {
      const random = createRng(1, 1);
      const X = matrixOf(rows, random);
      return { N: rows, X, y: X.map(([x]) => x + random.normal()) };
    },
  },
  {
    name: 'effects of 50 groups',
    program: `data { int N; array[N] int<lower=1, upper=${GROUPS}> g; ${LINE} }
      parameters { vector[${GROUPS}] a; real m; real<lower=0> t; real b; real<lower=0> s; }
      model { a ~ normal(m, t); y ~ normal(a[g] + b * x, s); }`,
    dataOf: (rows) => {
      const random = createRng(1, 2);
      return { g: below(rows, GROUPS, random), ...lineOf(rows, (own, x) => x + own.normal()) };
    },
  },
  {
    name: 'gamma, independent',
    program:
      'data { int N; vector<lower=0>[N] y; } parameters { real<lower=0> a; real<lower=0> b; } model { y ~ gamma(a, b); }',
    dataOf: (rows) => {
      const random = createRng(1, 3);
      return { N: rows, y: vectorOf(rows, () => 0.01 + random.normal() ** 2) };
    },
  },
  {
    name: 'neg_binomial_2, independent',
    program:
      'data { int N; array[N] int<lower=0> y; } parameters { real<lower=0> m; real<lower=0> p; } model { y ~ neg_binomial_2(m, p); }',
    dataOf: (rows) => ({ N: rows, y: below(rows, 30, createRng(1, 4)) }),
  },
  {
    name: 'logistic, 120 cells of a survey',
    program: `data { int N; ${CELLS.map((size, k) => `array[N] int<lower=1, upper=${size}> g${k};`).join(' ')} array[N] int<lower=0, upper=1> y; }
      parameters { ${CELLS.map((size, k) => `vector[${size}] a${k};`).join(' ')} }
      model { ${CELLS.map((_, k) => `a${k} ~ std_normal();`).join(' ')}
        y ~ bernoulli_logit(${CELLS.map((_, k) => `a${k}[g${k}]`).join(' + ')}); }`,
    dataOf: (rows) => {
      const random = createRng(1, 5);
      const groups = CELLS.map((size, k) => [`g${k}`, below(rows, size, random)] as const);
      return { N: rows, ...Object.fromEntries(groups), y: binary(rows, random) };
    },
  },
  {
    name: 'growth curve, 40 times',
    program: `data { int N; vector[N] t; vector[N] y; }
      parameters { real<lower=0> v; real<lower=0> k; real<lower=0> s; }
      model { y ~ normal(v * (1 - exp(-k * t)), s); }`,
    dataOf: (rows) => {
      const random = createRng(1, 6);
      const t = below(rows, TIMES, random).map((time) => 0.25 * time);
      return { N: rows, t, y: t.map((time) => 3 * (1 - Math.exp(-0.4 * time)) + random.normal()) };
    },
  },
  {
    name: 'student_t regression',
    program: `data { int N; ${LINE} } ${LINE_PARAMETERS} model { y ~ student_t(4, a + b * x, s); }`,
    dataOf: (rows) => lineOf(rows, (random, x) => 1 + 0.5 * x + 2 * random.normal()),
  },
  {
    name: 'logistic, 10 columns',
    program: `data { int N; matrix[N, ${COLUMNS}] X; array[N] int<lower=0, upper=1> y; }
      parameters { real a; vector[${COLUMNS}] b; }
      model { y ~ bernoulli_logit_glm(X, a, b); }`,
    dataOf: (rows) => {
      const random = createRng(1, 7);
      return { N: rows, X: matrixOf(rows, random), y: binary(rows, random) };
    },
  },
  {
    name: 'poisson_log regression',
    program: `data { int N; vector[N] x; array[N] int<lower=0> y; } parameters { real a; real b; } model { y ~ poisson_log(a + b * x); }`,
    dataOf: (rows) => {
      const random = createRng(1, 8);
      return { N: rows, x: vectorOf(rows, () => random.normal()), y: below(rows, 12, random) };
    },
  },
  {
    name: 'mixture of two normals',
    program: `data { int N; vector[N] y; }
      parameters { real<lower=0, upper=1> p; ordered[2] m; real<lower=0> s; }
      model { for (n in 1:N) target += log_mix(p, normal_lpdf(y[n] | m[1], s), normal_lpdf(y[n] | m[2], s)); }`,
    dataOf: (rows) => {
      const random = createRng(1, 9);
      return { N: rows, y: vectorOf(rows, () => random.normal() + (random.uniform() < 0.3 ? 3 : 0)) };
    },
  },
  {
    name: 'garch, a recurrence',
    program: `data { int N; vector[N] y; }
      parameters { real m; real<lower=0> w; real<lower=0, upper=1> a; real<lower=0, upper=1 - a> b; }
      model { real s = 1;
        for (n in 2:N) { s = sqrt(w + a * square(y[n - 1] - m) + b * square(s)); y[n] ~ normal(m, s); } }`,
    dataOf: (rows) => {
      const random = createRng(1, 10);
      return { N: rows, y: vectorOf(rows, () => random.normal()) };
    },
  },
];

function vectorOf(rows: number, element: () => number): number[] {
  return Array.from({ length: rows }, element);
}

function lineOf(
  rows: number,
  response: (random: Rng, x: number) => number,
): RowsData & { readonly y: readonly number[] } {
  const random = createRng(1, 0);
  const x = vectorOf(rows, () => random.normal());
  return { N: rows, x, y: x.map((value) => response(random, value)) };
}

function matrixOf(rows: number, random: Rng): number[][] {
  return Array.from({ length: rows }, () => vectorOf(COLUMNS, () => random.normal()));
}

/** Integers from 1 to `limit`. */
function below(rows: number, limit: number, random: Rng): number[] {
  return vectorOf(rows, () => 1 + Math.floor(limit * random.uniform()));
}

function binary(rows: number, random: Rng): number[] {
  return vectorOf(rows, () => (random.uniform() < 0.4 ? 1 : 0));
}
