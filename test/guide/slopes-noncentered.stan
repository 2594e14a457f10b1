// The same as slopes-centered.stan, but non-centered, by a Cholesky factor of the correlations, and with group predictors.
data {
  int<lower=0> N, J, G;
  array[N] int<lower=1, upper=J> group;
  matrix[N, 2] x;
  matrix[J, G] u;
  vector[N] y;
}
parameters {
  matrix[2, J] z;
  cholesky_factor_corr[2] L_Omega;
  vector<lower=0, upper=pi() / 2>[2] tau_angle;
  matrix[G, 2] gamma;
  real<lower=0> sigma;
}
transformed parameters {
  vector<lower=0>[2] tau = 2.5 * tan(tau_angle);
  matrix[J, 2] beta = u * gamma + (diag_pre_multiply(tau, L_Omega) * z)';
}
model {
  to_vector(z) ~ std_normal();
  L_Omega ~ lkj_corr_cholesky(2);
  to_vector(gamma) ~ normal(0, 5);
  y ~ normal(rows_dot_product(beta[group], x), sigma);
}
generated quantities {
  matrix[2, 2] Omega = multiply_lower_tri_self_transpose(L_Omega);
}
