data {
  int<lower=0> N;
  vector[N] x;
  vector[N] y;
}
parameters {
  real alpha; // intercept
  real beta; // slope
  real<lower=0> sigma; // spread about the line
}
model {
  alpha ~ normal(0, 10);
  beta ~ normal(0, 5);
  sigma ~ exponential(0.5);
  y ~ normal(alpha + beta * x, sigma);
}
generated quantities {
  array[N] real y_rep = normal_rng(alpha + beta * x, sigma);
  vector[N] log_lik;
  for (n in 1 : N) {
    log_lik[n] = normal_lpdf(y[n] | alpha + beta * x[n], sigma);
  }
}
