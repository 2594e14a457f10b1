// A local linear trend whose state and its uncertainty travel as one nested tuple.
functions {
  tuple(tuple(real, real), real) step(tuple(tuple(real, real), real) state, real y, real q, real r) {
    real predicted = state.1.1 + state.1.2;
    real variance = state.2 + q;
    real gain = variance / (variance + r);
    real error = y - predicted;
    return ((predicted + gain * error, 0.9 * state.1.2 + 0.1 * gain * error), variance * (1 - gain));
  }
}
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real<lower=0> q;
  real<lower=0> r;
  tuple(real, real) start;
}
model {
  q ~ normal(0, 1);
  r ~ normal(0, 1);
  start.1 ~ normal(0, 2);
  start.2 ~ normal(0, 1);
  tuple(tuple(real, real), real) state = (start, 1);
  for (n in 1:N) {
    y[n] ~ normal(state.1.1 + state.1.2, sqrt(state.2 + q + r));
    state = step(state, y[n], q, r);
  }
}
