// A sparse design matrix in compressed rows, made from the dense one, times coefficients.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  vector[N] y;
}
transformed data {
  int entries = size(csr_extract_w(x));
  vector[entries] w = csr_extract_w(x);
  array[entries] int v = csr_extract_v(x);
  array[N + 1] int u = csr_extract_u(x);
}
parameters {
  vector[K] beta;
  real<lower=0> sigma;
}
model {
  beta ~ normal(0, 3);
  y ~ normal(csr_matrix_times_vector(N, K, w, v, u, beta), sigma);
}
