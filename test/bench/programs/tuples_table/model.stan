// Observations and coefficients in arrays of tuples, unpacked where they are used.
functions {
  tuple(real, real) moments(tuple(real, vector) group, vector x) {
    return (group.1 + dot_product(group.2, x), exp(0.1 * group.1));
  }
}
data {
  int<lower=1> N;
  int<lower=1> J;
  int<lower=1> K;
  array[N] tuple(int, vector[K], real) observations;
}
parameters {
  array[J] tuple(real, vector[K]) groups;
  real<lower=0> sigma;
}
model {
  sigma ~ normal(0, 1);
  for (group in groups) {
    group.1 ~ normal(0, 2);
    group.2 ~ normal(0, 1);
  }
  for (n in 1:N) {
    real mu;
    real scale;
    (mu, scale) = moments(groups[observations[n].1], observations[n].2);
    observations[n].3 ~ normal(mu, scale * sigma);
  }
}
