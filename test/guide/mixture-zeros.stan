// Zero inflation and the hurdle: two counts with too many zeros.
data {
  int<lower=0> N;
  array[N] int<lower=0> inflated, hurdle;
}
parameters {
  array[2] real<lower=0, upper=1> theta;
  array[2] real<lower=0> lambda;
}
model {
  for (n in 1 : N) {
    if (inflated[n] == 0) {
      target += log_sum_exp(log(theta[1]),
                            log1m(theta[1]) + poisson_lpmf(0 | lambda[1]));
    } else {
      target += log1m(theta[1]) + poisson_lpmf(inflated[n] | lambda[1]);
    }
    if (hurdle[n] == 0) {
      1 ~ bernoulli(theta[2]);
    } else {
      0 ~ bernoulli(theta[2]);
      hurdle[n] ~ poisson(lambda[2]) T[1, ];
    }
  }
  lambda ~ gamma(2, 0.5);
}
