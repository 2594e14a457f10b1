// A latent Gaussian process behind counts.
data {
  int<lower=1> N;
  array[N] real x;
  array[N] int<lower=0> y;
}
transformed data {
  real delta = 1e-9;
}
parameters {
  real<lower=0> rho, alpha;
  real a;
  vector[N] eta;
}
transformed parameters {
  vector[N] f;
  {
    matrix[N, N] L_K;
    matrix[N, N] K = gp_matern52_cov(x, alpha, rho);
    for (n in 1 : N) {
      K[n, n] = K[n, n] + delta;
    }
    L_K = cholesky_decompose(K);
    f = L_K * eta;
  }
}
model {
  rho ~ inv_gamma(5, 5);
  alpha ~ std_normal();
  a ~ std_normal();
  eta ~ std_normal();
  y ~ poisson_log(a + f);
}
generated quantities {
  vector[N] log_rate = a + f;
}
