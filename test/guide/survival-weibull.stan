// Weibull survival times, some of them censored, with a proportional effect; the probability to live longer than 1.
data {
  int<lower=0> N;
  vector<lower=0>[N] time;
  array[N] int<lower=0, upper=1> event;
  vector[N] x;
}
parameters {
  real<lower=0> shape;
  real alpha, beta;
}
model {
  shape ~ lognormal(0, 1);
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  for (n in 1 : N) {
    real scale = exp(-(alpha + beta * x[n]) / shape);
    target += event[n] ? weibull_lpdf(time[n] | shape, scale)
              : weibull_lccdf(time[n] | shape, scale);
  }
}
generated quantities {
  real survival = exp(weibull_lccdf(1 | shape, exp(-alpha / shape)));
}
