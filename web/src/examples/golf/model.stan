data {
  int<lower=0> J; // distances
  vector<lower=0>[J] x; // distance from the hole, in feet
  array[J] int<lower=0> n; // putts
  array[J] int<lower=0> y; // putts that went in
}
transformed data {
  real r = (1.68 / 2) / 12; // radius of the ball, in feet
  real R = (4.25 / 2) / 12; // radius of the hole
  vector[J] threshold = asin((R - r) / x);
}
parameters {
  real<lower=0> sigma; // spread of the angle of a shot
}
transformed parameters {
  vector[J] p = 2 * Phi(threshold / sigma) - 1;
}
model {
  sigma ~ normal(0, 1);
  y ~ binomial(n, p);
}
generated quantities {
  real sigma_degrees = sigma * 180 / pi();
  array[J] int y_rep = binomial_rng(n, p);
}
