// Bradley and Terry: abilities that sum to zero, from who beat whom; ranks of the players.
data {
  int<lower=0> K, N;
  array[N] int<lower=1, upper=K> player1, player0;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  sum_to_zero_vector[K] alpha;
  real<lower=0> tau;
}
model {
  alpha ~ normal(0, tau);
  tau ~ exponential(1);
  y ~ bernoulli_logit(alpha[player1] - alpha[player0]);
}
generated quantities {
  array[K] int<lower=1, upper=K> ranked;
  ranked[sort_indices_desc(alpha)] = linspaced_int_array(K, 1, K);
}
