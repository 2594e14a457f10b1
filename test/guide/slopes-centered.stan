// Intercepts and slopes that vary by group and are correlated: centered, with a correlation matrix and LKJ prior.
data {
  int<lower=0> N, J;
  array[N] int<lower=1, upper=J> group;
  vector[N] x, y;
}
transformed data {
  matrix[N, 2] design = append_col(rep_vector(1, N), x);
}
parameters {
  vector[2] gamma;
  array[J] vector[2] beta;
  corr_matrix[2] Omega;
  vector<lower=0>[2] tau;
  real<lower=0> sigma;
}
model {
  gamma ~ normal(0, 5);
  tau ~ cauchy(0, 2.5);
  Omega ~ lkj_corr(2);
  sigma ~ exponential(1);
  beta ~ multi_normal(gamma, quad_form_diag(Omega, tau));
  vector[N] mean_y;
  for (n in 1 : N) {
    mean_y[n] = design[n] * beta[group[n]];
  }
  y ~ normal(mean_y, sigma);
}
