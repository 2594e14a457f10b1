/** Programs and requests that several of these tests share. */

export const NUTS = 'stan::services::sample::hmc_nuts_diag_e_adapt';

export const BERNOULLI = `data {
  int<lower=0> N;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real<lower=0, upper=1> theta;
}
model {
  theta ~ beta(1, 1);
  y ~ bernoulli(theta);
}
generated quantities {
  real odds = theta / (1 - theta);
}
`;
export const BERNOULLI_DATA = { N: 10, y: [0, 1, 0, 0, 0, 0, 0, 0, 0, 1] };

export const NORMAL = 'parameters { real x; } model { x ~ normal(0, 1); }';

/** Runs until it is stopped: each evaluation takes about a millisecond. */
export const SLOW = `parameters { vector[2] x; }
model { real s = 0; for (n in 1:200000) s += sin(x[1] * n); target += 1e-9 * s; x ~ normal(0, 1); }`;

export const ENDLESS = 'parameters { real x; } model { real s = 0; while (1) { s += x; } target += s; }';

/** The messages of a fit. */
export function messagesOf(fit: string): Message[] {
  return fit
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export interface Message {
  readonly version: number;
  readonly topic: string;
  readonly values: readonly (string | number)[] | Readonly<Record<string, string | number>>;
  readonly chain?: number;
}

export type Draw = Readonly<Record<string, string | number>>;

/** The draws of a fit, in order. */
export function drawsOf(fit: string): Draw[] {
  return messagesOf(fit).flatMap(({ topic, values }) =>
    topic === 'sample' && !Array.isArray(values) ? [Object.fromEntries(Object.entries(values))] : [],
  );
}
