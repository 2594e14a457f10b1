// Directions: a mean direction in space as a unit vector, and an angle with von Mises noise.
data {
  int<lower=0> N;
  array[N] unit_vector[3] direction;
  vector<lower=-pi(), upper=pi()>[N] angle;
}
parameters {
  unit_vector[3] axis;
  real<lower=0> concentration;
  unit_vector[2] heading;
  real<lower=0> kappa;
}
transformed parameters {
  real<lower=-pi(), upper=pi()> mu = atan2(heading[2], heading[1]);
}
model {
  concentration ~ gamma(2, 0.2);
  kappa ~ gamma(2, 0.5);
  for (n in 1 : N) {
    target += concentration * dot_product(axis, direction[n])
              + log(concentration) - log(4 * pi()) - log(sinh(concentration));
  }
  angle ~ von_mises(mu, kappa);
}
