// Linear regression with a prior on every parameter, and a posterior predictive check of the largest outcome.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  vector[N] y;
}
parameters {
  real alpha;
  vector[K] beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5);
  beta ~ normal(0, 2);
  sigma ~ exponential(1);
  y ~ normal(alpha + x * beta, sigma);
}
generated quantities {
  array[N] real y_new = normal_rng(alpha + x * beta, sigma);
  int<lower=0, upper=1> exceeds = max(y_new) > max(y);
}
