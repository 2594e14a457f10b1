// Correlated functions of one input: a Gaussian process along the points, a correlation matrix across the outputs.
data {
  int<lower=1> N, D;
  array[N] real x;
  matrix[N, D] y;
}
parameters {
  real<lower=0> rho;
  vector<lower=0>[D] alpha;
  real<lower=0> sigma;
  cholesky_factor_corr[D] L_Omega;
  matrix[N, D] eta;
}
transformed parameters {
  matrix[N, D] f;
  {
    matrix[N, N] K = add_diag(gp_exp_quad_cov(x, 1.0, rho), 1e-9);
    f = cholesky_decompose(K) * eta * diag_pre_multiply(alpha, L_Omega)';
  }
}
model {
  rho ~ inv_gamma(5, 5);
  alpha ~ std_normal();
  sigma ~ std_normal();
  L_Omega ~ lkj_corr_cholesky(3);
  to_vector(eta) ~ std_normal();
  to_vector(y) ~ normal(to_vector(f), sigma);
}
generated quantities {
  matrix[D, D] Omega = L_Omega * L_Omega';
}
