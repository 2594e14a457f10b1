// Counts whose rate changes once, at an unknown time: summed out in linear time, then drawn.
data {
  int<lower=1> T;
  array[T] int<lower=0> D;
}
transformed data {
  real log_unif = -log(T);
}
parameters {
  real<lower=0> early, late;
}
transformed parameters {
  vector[T] lp = rep_vector(log_unif, T);
  {
    vector[T + 1] lp_e = rep_vector(0, T + 1), lp_l = lp_e;
    for (t in 1 : T) {
      lp_e[t + 1] = lp_e[t] + poisson_lpmf(D[t] | early);
      lp_l[t + 1] = lp_l[t] + poisson_lpmf(D[t] | late);
    }
    lp += lp_l[T + 1] + head(lp_e, T) - head(lp_l, T);
  }
}
model {
  early ~ exponential(0.2);
  late ~ exponential(0.2);
  target += log_sum_exp(lp);
}
generated quantities {
  int<lower=1, upper=T> change = categorical_logit_rng(lp);
}
