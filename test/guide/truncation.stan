// Truncated data: above known bounds, and above an unknown one.
data {
  int<lower=0> N, M;
  real low, high;
  vector<lower=low, upper=high>[N] y;
  array[M] real<lower=0> waits;
}
parameters {
  real mu;
  real<lower=0> sigma;
  real<lower=0, upper=min(waits)> delay;
  real<lower=0> rate;
}
model {
  mu ~ normal(0, 5);
  sigma ~ exponential(1);
  y ~ normal(mu, sigma) T[low, high];
  rate ~ exponential(1);
  delay ~ uniform(0, 5);
  for (m in 1 : M) {
    waits[m] ~ exponential(rate) T[delay, ];
  }
}
