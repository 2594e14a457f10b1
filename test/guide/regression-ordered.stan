// Ordered logistic regression with an induced Dirichlet prior on the cut points.
functions {
  real induced_dirichlet_lpdf(vector cuts, vector counts) {
    int K = num_elements(counts);
    vector[K - 1] sigma = inv_logit(-cuts);
    vector[K] p = append_row(1, sigma) - append_row(sigma, 0);
    real log_det = sum(log(sigma) + log1m(sigma));
    return dirichlet_lpdf(p | counts) + log_det;
  }
}
data {
  int<lower=2> K;
  int<lower=0> N, D;
  array[N] int<lower=1, upper=K> y;
  array[N] row_vector[D] x;
}
parameters {
  vector[D] beta;
  ordered[K - 1] cuts;
}
model {
  cuts ~ induced_dirichlet(rep_vector(1, K));
  beta ~ std_normal();
  for (n in 1 : N) {
    y[n] ~ ordered_logistic(x[n] * beta, cuts);
  }
}
