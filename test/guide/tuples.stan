// A function that returns several things at once; data, local and generated tuples.
functions {
  tuple(vector, real) standardized(vector y) {
    real center = mean(y);
    real scale = sd(y);
    return ((y - center) / scale, scale);
  }
}
data {
  int<lower=0> N;
  array[N] tuple(real, real) points;
}
transformed data {
  vector[N] x;
  vector[N] y;
  for (n in 1 : N) {
    (x[n], y[n]) = points[n];
  }
  tuple(vector[N], real) by_scale = standardized(x);
}
parameters {
  real alpha, beta_std;
  real<lower=0> sigma;
}
model {
  y ~ normal(alpha + beta_std * by_scale.1, sigma);
}
generated quantities {
  tuple(real, real) line = (alpha - beta_std * mean(x) / by_scale.2,
                            beta_std / by_scale.2);
}
