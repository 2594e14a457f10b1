// Gaussian process regression, the function integrated out, and drawn at new points by conjugacy.
functions {
  vector gp_pred_rng(array[] real x2, vector y1, array[] real x1, real alpha,
                     real rho, real sigma, real delta) {
    int N1 = rows(y1), N2 = size(x2);
    matrix[N1, N1] L_K = cholesky_decompose(
                           add_diag(gp_exp_quad_cov(x1, alpha, rho),
                                    square(sigma)));
    vector[N1] K_div_y1 = mdivide_right_tri_low(
                            mdivide_left_tri_low(L_K, y1)', L_K)';
    matrix[N1, N2] k_x1_x2 = gp_exp_quad_cov(x1, x2, alpha, rho);
    matrix[N1, N2] v_pred = mdivide_left_tri_low(L_K, k_x1_x2);
    matrix[N2, N2] cov = gp_exp_quad_cov(x2, alpha, rho) - v_pred' * v_pred;
    return multi_normal_rng(k_x1_x2' * K_div_y1, add_diag(cov, delta));
  }
}
data {
  int<lower=1> N1, N2;
  array[N1] real x1;
  vector[N1] y1;
  array[N2] real x2;
}
parameters {
  real<lower=0> rho, alpha, sigma;
}
model {
  matrix[N1, N1] K = gp_exp_quad_cov(x1, alpha, rho);
  for (n in 1 : N1) {
    K[n, n] += sigma ^ 2;
  }
  rho ~ inv_gamma(5, 5);
  alpha ~ std_normal();
  sigma ~ std_normal();
  y1 ~ multi_normal_cholesky(rep_vector(0, N1), cholesky_decompose(K));
}
generated quantities {
  vector[N2] f2 = gp_pred_rng(x2, y1, x1, alpha, rho, sigma, 1e-9);
}
