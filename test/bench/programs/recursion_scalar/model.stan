// The likelihood of a tree whose branches are divided again and again: a scalar function that calls itself twice.
functions {
  real likelihood(real value, real rate, real spread, data vector y, int node) {
    int child = 2 * node;
    if (child + 1 > num_elements(y)) return normal_lpdf(y[node] | value, spread);
    real next = value * exp(-rate);
    return normal_lpdf(y[node] | value, spread)
           + likelihood(next + 0.1, rate, spread, y, child)
           + likelihood(next - 0.1, rate, spread, y, child + 1);
  }
}
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real root;
  real<lower=0> rate;
  real<lower=0> spread;
}
model {
  root ~ normal(0, 2);
  rate ~ normal(0, 1);
  spread ~ normal(0, 1);
  target += likelihood(root, rate, spread, y, 1);
}
