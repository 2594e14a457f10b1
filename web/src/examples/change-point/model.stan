functions {
  // log density of each count at a rate
  vector log_rates(array[] int y, real rate) {
    vector[size(y)] result;
    for (t in 1 : size(y)) {
      result[t] = poisson_lpmf(y[t] | rate);
    }
    return result;
  }
}
data {
  int<lower=1> T; // years
  array[T] int<lower=0> y; // accidents in each
}
parameters {
  real<lower=0> early; // rate before the change
  real<lower=0> late; // rate from the change on
}
transformed parameters {
  vector[T] lp = rep_vector(-log(T), T); // of the change in each year
  {
    vector[T + 1] before = append_row(0, cumulative_sum(log_rates(y, early)));
    vector[T + 1] after = append_row(0, cumulative_sum(log_rates(y, late)));
    for (s in 1 : T) {
      lp[s] += before[s] + after[T + 1] - after[s];
    }
  }
}
model {
  early ~ exponential(0.3);
  late ~ exponential(0.3);
  target += log_sum_exp(lp);
}
generated quantities {
  int change = categorical_logit_rng(lp); // its year
}
