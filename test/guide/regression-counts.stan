// Overdispersed counts with exposure: negative binomial regression, and the log likelihood of each observation.
data {
  int<lower=0> N;
  array[N] int<lower=0> y;
  vector<lower=0>[N] exposure;
  vector[N] x;
}
parameters {
  real alpha, beta;
  real<lower=0> phi;
}
transformed parameters {
  vector[N] eta = alpha + beta * x + log(exposure);
}
model {
  target += normal_lpdf(alpha | 0, 2) + normal_lpdf(beta | 0, 2);
  1 / sqrt(phi) ~ normal(0, 1);
  target += log(phi) * -1.5;
  y ~ neg_binomial_2_log(eta, phi);
}
generated quantities {
  vector[N] log_lik;
  for (n in 1 : N) {
    log_lik[n] = neg_binomial_2_log_lpmf(y[n] | eta[n], phi);
  }
}
