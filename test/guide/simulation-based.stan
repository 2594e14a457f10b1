// Simulation-based calibration: the data are drawn in the program itself, for all chains alike; how far off the draws are.
transformed data {
  real mu_sim = normal_rng(0, 1);
  real<lower=0> sigma_sim = lognormal_rng(0, 1);
  int<lower=0> J = 10;
  vector[J] y = to_vector(normal_rng(rep_vector(mu_sim, J), sigma_sim));
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 1);
  sigma ~ lognormal(0, 1);
  y ~ normal(mu, sigma);
}
generated quantities {
  array[2] real error = {mu - mu_sim, sigma - sigma_sim};
  array[2] int<lower=0, upper=1> lt_sim = {mu < mu_sim, sigma < sigma_sim};
}
