// Counts in categories, groups partially pooled: the simplex of each group integrated out.
data {
  int<lower=1> J, K;
  array[J, K] int<lower=0> y;
}
parameters {
  simplex[K] share;
  real<lower=0> concentration;
}
model {
  concentration ~ gamma(2, 0.1);
  for (j in 1 : J) {
    y[j] ~ dirichlet_multinomial(concentration * share);
  }
}
generated quantities {
  simplex[K] first = dirichlet_rng(concentration * share + to_vector(y[1]));
}
