import type { Data } from '../../src/node/library/index.js';

/** Programs of different types for simulation-based calibration. Values of outcomes in the data do not matter: they are simulated. */
export interface CalibratedProgram {
  readonly name: string;
  readonly program: string;
  readonly data: Exclude<Data, string>;
}

const zeros = (count: number): number[] => new Array<number>(count).fill(0);
/** Numbers from -1 to 1 in a seemingly random order. */
const spread = (count: number, step: number): number[] =>
  Array.from({ length: count }, (_, k) => (2 * ((k * step) % count)) / (count - 1) - 1);

/** Two predictors that are nearly equal. */
const first = spread(24, 7);
const correlated = first.map((x, k) => [x, x + 0.2 * spread(24, 11)[k], spread(24, 5)[k]]);
const groups = Array.from({ length: 40 }, (_, k) => 1 + (k % 8));

export const PROGRAMS: readonly CalibratedProgram[] = [
  {
    name: 'a linear regression on correlated predictors',
    program: `data { int N; matrix[N, 3] x; vector[N] y; }
parameters { real alpha; vector[3] beta; real<lower=0> sigma; }
model {
  alpha ~ normal(0, 1);
  beta ~ normal(0, 2);
  sigma ~ lognormal(0, 0.5);
  y ~ normal(alpha + x * beta, sigma);
}`,
    data: { N: 24, x: correlated, y: zeros(24) },
  },
  {
    name: 'a logistic regression',
    program: `data { int N; matrix[N, 3] x; array[N] int<lower=0, upper=1> y; }
parameters { real alpha; vector[3] beta; }
model {
  alpha ~ normal(0, 1);
  beta ~ normal(0, 1.5);
  y ~ bernoulli_logit(alpha + x * beta);
}`,
    data: { N: 24, x: correlated, y: zeros(24) },
  },
  {
    name: 'centered groups, few data each',
    program: `data { int J; vector[J] y; vector<lower=0>[J] s; }
parameters { real mu; real<lower=0> tau; vector[J] theta; }
model {
  mu ~ normal(1, 2);
  tau ~ lognormal(0, 0.5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, s);
}`,
    data: { J: 6, y: zeros(6), s: [0.1, 0.3, 1, 1, 3, 10] },
  },
  {
    name: 'non-centered intercepts and slopes of groups',
    program: `data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; vector[N] y; }
parameters {
  vector[2] mu;
  vector<lower=0>[2] tau;
  matrix[J, 2] z;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 2);
  tau ~ lognormal(-0.5, 0.5);
  to_vector(z) ~ std_normal();
  sigma ~ lognormal(-0.5, 0.5);
  y ~ normal(mu[1] + tau[1] * z[g, 1] + (mu[2] + tau[2] * z[g, 2]) .* x, sigma);
}`,
    data: { N: 40, J: 8, g: groups, x: spread(40, 7), y: zeros(40) },
  },
  {
    name: 'counts of groups with a centered log rate and exposure',
    program: `data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] e; array[N] int<lower=0> k; }
parameters { real mu; real<lower=0> tau; vector[J] a; }
model {
  mu ~ normal(0.5, 0.5);
  tau ~ lognormal(-1, 0.4);
  a ~ normal(mu, tau);
  k ~ poisson_log(a[g] + e);
}`,
    data: { N: 40, J: 8, g: groups, e: spread(40, 9), k: zeros(40) },
  },
  {
    name: 'a stationary autoregression',
    program: `data { int T; vector[T] y; }
parameters { real mu; real<lower=-1, upper=1> phi; real<lower=0> sigma; }
model {
  mu ~ normal(0, 1);
  phi ~ normal(0.4, 0.3);
  sigma ~ lognormal(0, 0.3);
  y[1] ~ normal(mu, sigma);
  for (t in 2:T) y[t] ~ normal(mu + phi * (y[t - 1] - mu), sigma);
}`,
    data: { T: 30, y: zeros(30) },
  },
  {
    name: 'a covariance by its correlations',
    program: `data { int N; array[N] vector[3] y; }
parameters { vector[3] mu; vector<lower=0>[3] s; cholesky_factor_corr[3] L; }
model {
  mu ~ normal(0, 1);
  s ~ lognormal(0, 0.5);
  L ~ lkj_corr_cholesky(2);
  y ~ multi_normal_cholesky(mu, diag_pre_multiply(s, L));
}`,
    data: { N: 15, y: Array.from({ length: 15 }, () => zeros(3)) },
  },
  {
    name: 'ordered categories',
    program: `data { int N; vector[N] x; array[N] int<lower=1, upper=4> k; }
parameters { real beta; ordered[3] c; }
model {
  beta ~ normal(0, 1.5);
  c ~ normal(0, 2);
  k ~ ordered_logistic(beta * x, c);
}`,
    data: { N: 30, x: spread(30, 11), k: new Array<number>(30).fill(1) },
  },
  {
    name: 'shares of types',
    program: `data { int N; int K; array[N] int<lower=1, upper=K> k; vector<lower=0>[K] a; }
parameters { simplex[K] p; }
model { p ~ dirichlet(a); k ~ categorical(p); }`,
    data: { N: 15, K: 4, k: new Array<number>(15).fill(1), a: [1, 2, 0.7, 3] },
  },
  {
    name: 'a saturating curve with heavy-tailed errors',
    program: `data { int N; vector[N] x; vector[N] y; }
parameters { real<lower=0> top; real<lower=0> half; real<lower=0> sigma; }
model {
  top ~ lognormal(1, 0.4);
  half ~ lognormal(0, 0.5);
  sigma ~ lognormal(-1, 0.4);
  y ~ student_t(5, top * x ./ (half + x), sigma);
}`,
    data: { N: 20, x: Array.from({ length: 20 }, (_, k) => 0.2 * (k + 1)), y: zeros(20) },
  },
  {
    name: 'a centered random walk',
    program: `data { int T; vector[T] y; }
parameters { vector[T] x; real<lower=0> s; }
model {
  s ~ lognormal(-1, 0.5);
  x[1] ~ normal(0, s);
  for (t in 2:T) x[t] ~ normal(x[t - 1], s);
  y ~ normal(x, 0.5);
}`,
    data: { T: 12, y: zeros(12) },
  },
  {
    name: 'centered effects in rows, each with a scale',
    program: `data { int P; int N; array[P, N] int<lower=0> y; }
parameters { vector[P] mu; vector<lower=0>[P] tau; array[P, N] real theta; }
model {
  mu ~ normal(1, 0.5);
  tau ~ lognormal(-1, 0.5);
  for (p in 1:P) {
    theta[p] ~ normal(mu[p], tau[p]);
    y[p] ~ poisson_log(theta[p]);
  }
}`,
    data: { P: 3, N: 5, y: [zeros(5), zeros(5), zeros(5)] },
  },
  {
    name: 'rates with a gamma distribution',
    program: `data { int J; array[J] int<lower=0> y; }
parameters { real<lower=0> alpha; real<lower=0> beta; vector<lower=0>[J] rate; }
model {
  alpha ~ lognormal(1, 0.5);
  beta ~ lognormal(0, 0.5);
  rate ~ gamma(alpha, beta);
  y ~ poisson(rate);
}`,
    data: { J: 10, y: zeros(10) },
  },
];
