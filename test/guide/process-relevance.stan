// A length scale for each input: which of them matter is found from the data.
data {
  int<lower=1> N, D;
  array[N] vector[D] x;
  vector[N] y;
}
parameters {
  array[D] real<lower=0> rho;
  real<lower=0> alpha, sigma;
}
model {
  matrix[N, N] K = gp_exp_quad_cov(x, alpha, rho)
                   + diag_matrix(rep_vector(square(sigma), N));
  rho ~ inv_gamma(3, 3);
  alpha ~ std_normal();
  sigma ~ std_normal();
  y ~ multi_normal_cholesky(rep_vector(0, N), cholesky_decompose(K));
}
