parameters {
  matrix[2, 3] A;
  array[2] vector[2] b;
  real<lower=0> sigma;
}
model {
  to_vector(A) ~ std_normal();
  for (i in 1:2) b[i] ~ normal(10 * i, 1);
  sigma ~ exponential(1);
}
generated quantities {
  int k = poisson_rng(3);
  vector[3] log_lik;
  array[3] real y_rep = normal_rng(A[1], sigma);
  for (n in 1:3) log_lik[n] = normal_lpdf(n | A[1, n], sigma);
}
