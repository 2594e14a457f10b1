data {
  int<lower=1> N;
  array[N] real x;
  vector[N] y;
}
parameters {
  real<lower=0> rho; // length scale
  real<lower=0> alpha; // size of the function
  real<lower=0> sigma; // noise
}
model {
  matrix[N, N] K = gp_exp_quad_cov(x, alpha, rho);
  K = add_diag(K, square(sigma));
  rho ~ inv_gamma(5, 5);
  alpha ~ normal(0, 2);
  sigma ~ normal(0, 1);
  y ~ multi_normal_cholesky(rep_vector(0, N), cholesky_decompose(K));
}
generated quantities {
  vector[N] f; // the function at x
  {
    matrix[N, N] K = gp_exp_quad_cov(x, alpha, rho);
    matrix[N, N] weights = K / add_diag(K, square(sigma));
    f = multi_normal_rng(weights * y, add_diag(K - weights * K, 1e-9));
  }
}
