// Missing entries of a series are parameters, put among the data by multi-indexed assignment.
data {
  int<lower=0> N_obs, N_mis;
  array[N_obs] int<lower=1, upper=N_obs + N_mis> ii_obs;
  array[N_mis] int<lower=1, upper=N_obs + N_mis> ii_mis;
  array[N_obs] real y_obs;
}
transformed data {
  int<lower=0> N = N_obs + N_mis;
}
parameters {
  array[N_mis] real y_mis;
  real<lower=0> sigma;
  real<lower=-1, upper=1> rho;
}
transformed parameters {
  array[N] real y;
  y[ii_obs] = y_obs;
  y[ii_mis] = y_mis;
}
model {
  sigma ~ gamma(2, 2);
  y[1] ~ normal(0, sigma / sqrt(1 - rho ^ 2));
  y[2 : N] ~ normal(to_vector(y[1 : N - 1]) * rho, sigma);
}
