/** A model with valid inputs for every function of the services namespace. */
import type { FunctionResource } from '../../src/service/schemas/functions.js';

export const PROGRAM = `data {
  int<lower=0> N;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real<lower=0, upper=1> theta;
  simplex[3] p;
}
model {
  y ~ bernoulli(theta);
  p ~ dirichlet([2, 3, 4]');
}
generated quantities {
  vector[3] twice = 2 * p;
  real noise = normal_rng(0, 1);
}
`;
export const DATA = { N: 4, y: [0, 1, 1, 0] };
export const NUTS = 'stan::services::sample::hmc_nuts_diag_e_adapt';

const VALUES = { theta: 0.5, p: [0.2, 0.3, 0.5] };
export const INPUTS: Readonly<Record<string, unknown>> = {
  init: VALUES,
  mode: VALUES,
  fitted_params: Array.from({ length: 20 }, () => VALUES),
};

/** The required inputs of a function. */
export function neededInputs({ inputs }: FunctionResource): Record<string, unknown> {
  return Object.fromEntries(inputs.filter(({ required }) => required).map(({ name }) => [name, INPUTS[name]]));
}
