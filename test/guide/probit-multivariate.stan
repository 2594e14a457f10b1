// Multivariate probit: signs of correlated normals, whose latent values are parameters on either side of zero.
data {
  int<lower=1> D;
  int<lower=0> N, N_pos, N_neg;
  array[N_pos] int<lower=1, upper=N> n_pos;
  array[N_pos] int<lower=1, upper=D> d_pos;
  array[N_neg] int<lower=1, upper=N> n_neg;
  array[N_neg] int<lower=1, upper=D> d_neg;
  vector[N] x;
}
parameters {
  vector[D] alpha, beta;
  cholesky_factor_corr[D] L_Omega;
  vector<lower=0>[N_pos] z_pos;
  vector<upper=0>[N_neg] z_neg;
}
transformed parameters {
  array[N] vector[D] z;
  for (n in 1 : N_pos) {
    z[n_pos[n], d_pos[n]] = z_pos[n];
  }
  for (n in 1 : N_neg) {
    z[n_neg[n], d_neg[n]] = z_neg[n];
  }
}
model {
  L_Omega ~ lkj_corr_cholesky(4);
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  array[N] vector[D] mu;
  for (n in 1 : N) {
    mu[n] = alpha + beta * x[n];
  }
  z ~ multi_normal_cholesky(mu, L_Omega);
}
generated quantities {
  corr_matrix[D] Omega = multiply_lower_tri_self_transpose(L_Omega);
}
