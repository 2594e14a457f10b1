/** A program with a quantity in each block, and its data, for tests of commands. */
export const NORMAL = `data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
transformed parameters {
  real precision = 1 / sigma ^ 2;
}
model {
  mu ~ normal(0, 10);
  sigma ~ normal(0, 10);
  y ~ normal(mu, sigma);
}
generated quantities {
  real twice = 2 * mu;
}
`;
export const DATA = '{"N": 8, "y": [4.1, 5.2, 3.9, 6.0, 5.5, 4.4, 4.9, 5.7]}';
