data {
  int<lower=0> N; // tosses
  array[N] int<lower=0, upper=1> y; // 1 is heads
}
parameters {
  real<lower=0, upper=1> theta; // probability of heads
}
model {
  theta ~ beta(1, 1);
  y ~ bernoulli(theta);
}
