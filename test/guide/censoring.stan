// Censored data: as latent parameters above the limit, and integrated out; both find the same mean.
data {
  int<lower=0> N_obs, N_cens;
  array[N_obs] real y_obs;
  real<lower=max(y_obs)> limit;
}
parameters {
  array[N_cens] real<lower=limit> y_cens;
  array[2] real mu;
  array[2] real<lower=0> sigma;
}
model {
  mu ~ normal(0, 10);
  sigma ~ exponential(0.5);
  y_obs ~ normal(mu[1], sigma[1]);
  y_cens ~ normal(mu[1], sigma[1]);
  y_obs ~ normal(mu[2], sigma[2]);
  target += N_cens * normal_lccdf(limit | mu[2], sigma[2]);
}
