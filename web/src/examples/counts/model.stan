data {
  int<lower=0> N;
  vector[N] x;
  array[N] int<lower=0> y; // counts
}
parameters {
  real alpha;
  real beta;
  real<lower=0> phi; // small: counts spread more than a Poisson's
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 1);
  phi ~ lognormal(1, 1);
  y ~ neg_binomial_2_log(alpha + beta * x, phi);
}
generated quantities {
  array[N] int y_rep = neg_binomial_2_log_rng(alpha + beta * x, phi);
  vector[N] log_lik;
  for (i in 1 : N) {
    log_lik[i] = neg_binomial_2_log_lpmf(y[i] | alpha + beta * x[i], phi);
  }
}
