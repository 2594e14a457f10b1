// AR(K) by lagged slices, with coefficients that keep the series stationary for K = 2, and a forecast.
data {
  int<lower=0> N;
  vector[N] y;
  int<lower=0> ahead;
}
parameters {
  real alpha;
  real<lower=-1, upper=1> partial1, partial2;
  real<lower=0> sigma;
}
transformed parameters {
  real rho2 = partial2;
  real rho1 = partial1 * (1 - partial2);
}
model {
  alpha ~ normal(0, 2);
  sigma ~ normal(0, 2);
  y[3 : ] ~ normal(alpha + rho1 * y[2 : N - 1] + rho2 * y[ : N - 2], sigma);
}
generated quantities {
  vector[ahead] forecast;
  {
    vector[ahead + 2] path;
    path[1 : 2] = y[N - 1 : N];
    for (t in 3 : ahead + 2) {
      path[t] = normal_rng(alpha + rho1 * path[t - 1] + rho2 * path[t - 2],
                           sigma);
    }
    forecast = tail(path, ahead);
  }
}
