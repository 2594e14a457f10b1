data {
  int<lower=0> K; // doses
  vector[K] dose; // log of the dose, centered
  array[K] int<lower=0> n; // animals given it
  array[K] int<lower=0> y; // animals that responded
}
parameters {
  real alpha; // log odds at the middle dose
  real beta; // their growth with the dose
}
model {
  alpha ~ normal(0, 2.5);
  beta ~ normal(0, 5);
  y ~ binomial_logit(n, alpha + beta * dose);
}
generated quantities {
  real ed50 = -alpha / beta; // dose at which half respond
  array[K] int y_rep = binomial_rng(n, inv_logit(alpha + beta * dose));
}
