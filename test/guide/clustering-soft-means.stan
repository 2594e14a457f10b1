// Soft K-means: points around centers with a common width, in the order of their first coordinates; the nearest centers.
data {
  int<lower=0> N;
  int<lower=1> K;
  array[N] vector[2] y;
}
parameters {
  ordered[K] across;
  vector[K] up;
}
transformed parameters {
  array[N, K] real<upper=0> soft_z;
  for (n in 1 : N) {
    for (k in 1 : K) {
      soft_z[n, k] = -log(K) - 0.5 * squared_distance([across[k], up[k]]', y[n]);
    }
  }
}
model {
  across ~ normal(0, 5);
  up ~ normal(0, 5);
  for (n in 1 : N) {
    target += log_sum_exp(soft_z[n]);
  }
}
generated quantities {
  array[N] int nearest;
  for (n in 1 : N) {
    nearest[n] = sort_indices_desc(soft_z[n])[1];
  }
}
