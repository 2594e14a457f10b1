// Distributions of one's own: density, distribution function, truncation, vectorized and random.
functions {
  real power_lpdf(vector y, real alpha) {
    return num_elements(y) * log(alpha) + (alpha - 1) * sum(log(y));
  }
  real line_lpdf(real y, real slope) {
    return log1p(slope * (y - 0.5));
  }
  real line_lcdf(real y, real slope) {
    return log(y) + log1p(slope * (y - 1) / 2);
  }
  real line_lccdf(real y, real slope) {
    return log1m_exp(line_lcdf(y | slope));
  }
  real power_rng(real alpha) {
    return uniform_rng(0, 1) ^ inv(alpha);
  }
}
data {
  int<lower=0> N;
  vector<lower=0, upper=1>[N] y;
  array[N] real<lower=0.25, upper=1> cut;
}
parameters {
  real<lower=0> alpha;
  real<lower=-2, upper=2> slope;
}
model {
  y ~ power(alpha);
  for (n in 1 : N) {
    cut[n] ~ line(slope) T[0.25, ];
  }
}
generated quantities {
  real<lower=0, upper=1> y_new = power_rng(alpha);
}
