data {
  int<lower=0> N;
  vector<lower=0>[N] t; // time until the event, or until watching ended
  array[N] int<lower=0, upper=1> event; // 0 where it was not seen
  vector[N] treated;
}
parameters {
  real alpha; // log of the scale
  real beta; // effect of the treatment on it
  real<lower=0> shape;
}
model {
  alpha ~ normal(2, 1);
  beta ~ normal(0, 1);
  shape ~ lognormal(0, 0.5);
  for (n in 1 : N) {
    real scale = exp(alpha + beta * treated[n]);
    if (event[n]) {
      target += weibull_lpdf(t[n] | shape, scale);
    } else {
      target += weibull_lccdf(t[n] | shape, scale);
    }
  }
}
generated quantities {
  real median_untreated = exp(alpha) * log2() ^ (1 / shape);
  real median_treated = exp(alpha + beta) * log2() ^ (1 / shape);
}
