// Logistic regression whose coefficients vary by group: the group's row of coefficients comes by multi-indexing.
data {
  int<lower=0> N, K, L;
  array[N] int<lower=0, upper=1> y;
  array[N] int<lower=1, upper=L> group;
  matrix[N, K] x;
}
parameters {
  row_vector[K] mu;
  row_vector<lower=0>[K] tau;
  matrix[L, K] z;
}
transformed parameters {
  matrix[L, K] beta = rep_matrix(mu, L) + z .* rep_matrix(tau, L);
}
model {
  mu ~ normal(0, 3);
  tau ~ normal(0, 1);
  to_vector(z) ~ std_normal();
  y ~ bernoulli_logit(rows_dot_product(x, beta[group]));
}
