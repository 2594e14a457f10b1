// Cox's partial likelihood: of those at risk, ordered by time, which one it was.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  vector<lower=0>[N] time;
}
transformed data {
  array[N] int order = sort_indices_asc(time);
  matrix[N, K] sorted = x[order];
}
parameters {
  vector[K] beta;
}
model {
  beta ~ normal(0, 2);
  vector[N] log_theta = sorted * beta;
  for (n in 1 : N) {
    target += log_theta[n] - log_sum_exp(log_theta[n : ]);
  }
}
