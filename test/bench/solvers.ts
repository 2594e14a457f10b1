import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CorpusModel, corpus } from './corpus.js';
import { compareGradients, type GradientRow } from './gradients.js';

/** Names of functions that take functions. */
const SOLVERS = /\b(ode_|integrate_|dae|solve_|algebra_solver|laplace_|map_rect|reduce_sum)\w*\s*\(/;

/** Time per gradient of programs with higher-order functions: the models of a folder with a solver, and the cost by size. */
export function benchSolvers(folder: string, only: RegExp, seconds: number): GradientRow[] {
  const models = corpus(folder, only).filter(({ text }) => SOLVERS.test(text));
  return [...compareGradients(models, seconds), ...compareGradients(sizedPrograms(only), seconds)];
}

/** A program that is measured for several sizes, which are data. */
interface Template {
  readonly name: string;
  readonly text: string;
  readonly sizes: readonly (readonly number[])[];
  readonly label: (sizes: readonly number[]) => string;
  readonly dataOf: (sizes: readonly number[]) => object;
  /** The number of unconstrained parameters. */
  readonly dimension: (sizes: readonly number[]) => number;
}

/** Numbers between 0 and 1 without a generator: fractional parts of multiples of the golden ratio. */
function spread(i: number): number {
  return (i * 0.6180339887498949 + 0.137) % 1;
}

function numbers(count: number, of: (i: number) => number): number[] {
  return Array.from({ length: count }, (_, i) => of(i));
}

const TIMES = 10;

/** A ring of compartments whose outflows saturate; every parameter scales one or more of them. */
function compartments(method: string, tolerances: string): string {
  return `functions {
  vector slope(real t, vector y, vector theta, data vector speed) {
    int N = size(y);
    int P = size(theta);
    int most = max({N, P});
    vector[N] rate = rep_vector(0, N);
    for (k in 1 : most) rate[(k - 1) % N + 1] += theta[(k - 1) % P + 1] * N / most;
    vector[N] flow = speed .* rate .* y ./ (1 + y);
    vector[N] result = -flow;
    for (i in 1 : N) result[i % N + 1] += flow[i];
    return result;
  }
}
data {
  int N;
  int P;
  int T;
  array[T] real times;
  vector[N] initial;
  vector[N] speed;
  array[T] vector[N] observed;
}
parameters {
  vector<lower=0>[P] theta;
}
model {
  array[T] vector[N] y = ode_${method}_tol(slope, initial, 0, times, ${tolerances}, theta, speed);
  theta ~ lognormal(0, 0.5);
  for (t in 1 : T) observed[t] ~ normal(y[t], 0.2);
}
`;
}

function compartmentData([N, P]: readonly number[], stiffness: number): object {
  return {
    N,
    P,
    T: TIMES,
    times: numbers(TIMES, (i) => 0.5 * (i + 1)),
    initial: numbers(N, (i) => 0.5 + spread(i)),
    speed: numbers(N, (i) => (0.75 + 0.5 * spread(i + 7)) * stiffness ** (i / Math.max(1, N - 1))),
    observed: numbers(TIMES, (t) => t).map((t) => numbers(N, (i) => 0.4 + spread(i + 3 * t))),
  };
}

const COMPARTMENTS: readonly (readonly number[])[] = [
  [10, 4],
  [10, 16],
  [10, 64],
  [2, 4],
  [50, 4],
];

const LATENT = `functions {
  real counts(vector theta, array[] int y, real level) {
    return poisson_log_lpmf(y | theta + level);
  }
  matrix covariance(array[] real x, real alpha, real rho) {
    return add_diag(gp_exp_quad_cov(x, alpha, rho), 1e-6);
  }
}
data {
  int n;
  array[n] real x;
  array[n] int y;
}
parameters {
  real level;
  real<lower=0> alpha;
  real<lower=0> rho;
}
model {
  level ~ normal(0, 2);
  alpha ~ lognormal(0, 0.5);
  rho ~ lognormal(0, 0.5);
  target += laplace_marginal(counts, (y, level), 1, covariance, (x, alpha, rho));
}
`;

const TEMPLATES: readonly Template[] = [
  ...[
    { method: 'rk45', tolerances: '1e-6, 1e-6, 100000', stiffness: 1 },
    { method: 'bdf', tolerances: '1e-6, 1e-8, 100000', stiffness: 1e4 },
  ].map(
    ({ method, tolerances, stiffness }): Template => ({
      name: `ode_${method}`,
      text: compartments(method, tolerances),
      sizes: COMPARTMENTS,
      label: ([N, P]) => `${N} states, ${P} parameters`,
      dataOf: (sizes) => compartmentData(sizes, stiffness),
      dimension: ([, P]) => P,
    }),
  ),
  {
    name: 'laplace_marginal',
    text: LATENT,
    sizes: [[20], [100], [500]],
    label: ([n]) => `n = ${n}`,
    dataOf: ([n]) => ({
      n,
      x: numbers(n, (i) => (10 * i) / n),
      y: numbers(n, (i) => Math.floor(6 * spread(i) * (1 + Math.sin((10 * i) / n)))),
    }),
    dimension: () => 3,
  },
];

/** The template's program, with data of each size. */
export function sizedPrograms(only: RegExp): CorpusModel[] {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-solvers-'));
  return TEMPLATES.flatMap(({ name, text, sizes, label, dataOf, dimension }) => {
    const program = join(folder, `${name}.stan`);
    writeFileSync(program, text);
    return sizes.flatMap((size): CorpusModel[] => {
      const full = `${name}, ${label(size)}`;
      if (!only.test(full)) return [];
      const dataText = JSON.stringify(dataOf(size));
      const data = join(folder, `${name}-${size.join('-')}.json`);
      writeFileSync(data, dataText);
      const points = [0, 1, 2].map((k) => numbers(dimension(size), (i) => 0.6 * spread(i + 11 * k) - 0.3));
      return [{ name: full, program, text, data, dataText, points, recorded: {} }];
    });
  });
}
