data {
  int<lower=1> G; // persons
  int<lower=0> N; // measurements
  array[N] int<lower=1, upper=G> person;
  vector[N] week;
  vector[N] y;
}
parameters {
  vector[2] mu; // mean intercept and slope
  vector<lower=0>[2] tau; // their spread between persons
  cholesky_factor_corr[2] L;
  array[G] vector[2] b; // intercept and slope of each person
  real<lower=0> sigma;
}
model {
  mu ~ normal([10, 0], [5, 2]);
  tau ~ normal(0, 2);
  L ~ lkj_corr_cholesky(2);
  b ~ multi_normal_cholesky(mu, diag_pre_multiply(tau, L));
  sigma ~ normal(0, 2);
  y ~ normal(to_vector(b[person, 1]) + to_vector(b[person, 2]) .* week,
             sigma);
}
generated quantities {
  real rho = multiply_lower_tri_self_transpose(L)[2, 1]; // correlation of intercepts and slopes
}
