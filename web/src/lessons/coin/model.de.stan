data {
  int<lower=0> N; // Würfe
  array[N] int<lower=0, upper=1> y; // 1 ist Kopf
}
parameters {
  real<lower=0, upper=1> theta; // Wahrscheinlichkeit von Kopf
}
model {
  theta ~ beta(1, 1);
  y ~ bernoulli(theta);
}
