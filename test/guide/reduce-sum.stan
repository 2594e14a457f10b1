// A likelihood in slices.
functions {
  real slice_lpmf(array[] int slice_y, int start, int end, vector x,
                  vector beta) {
    return bernoulli_logit_lpmf(slice_y | beta[1] + beta[2] * x[start : end]);
  }
}
data {
  int<lower=0> N;
  array[N] int<lower=0, upper=1> y;
  vector[N] x;
}
parameters {
  vector[2] beta;
}
model {
  beta ~ std_normal();
  target += reduce_sum(slice_lpmf, y, 10, x, beta);
}
