// How many animals there are, from repeated counts: the number at each site is summed out up to a bound.
data {
  int<lower=0> R, T, most;
  array[R, T] int<lower=0> y;
}
transformed data {
  array[R] int<lower=0> seen;
  for (r in 1 : R) {
    seen[r] = max(y[r]);
  }
}
parameters {
  real<lower=0> lambda;
  real<lower=0, upper=1> p;
}
model {
  lambda ~ exponential(0.1);
  for (r in 1 : R) {
    vector[most - seen[r] + 1] lp;
    for (j in 1 : size(lp)) {
      int n = seen[r] + j - 1;
      lp[j] = poisson_lpmf(n | lambda) + binomial_lpmf(y[r] | n, p);
    }
    target += log_sum_exp(lp);
  }
}
generated quantities {
  array[R] int<lower=0> abundance;
  for (r in 1 : R) {
    int draw = seen[r] + poisson_rng(lambda * (1 - p) ^ T);
    abundance[r] = draw > most ? most : draw;
  }
}
