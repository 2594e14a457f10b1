// Ragged data: groups of different sizes lie behind each other, and are taken out by segment.
data {
  int<lower=0> N, K;
  vector[N] y;
  array[K] int<lower=0> s;
}
transformed data {
  array[K] int start = ones_int_array(K);
  for (k in 2 : K) {
    start[k] = start[k - 1] + s[k - 1];
  }
}
parameters {
  vector[K] mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 5);
  for (k in 1 : K) {
    segment(y, start[k], s[k]) ~ normal(mu[k], sigma);
  }
}
