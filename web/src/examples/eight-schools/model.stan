data {
  int<lower=0> J; // schools
  vector[J] y; // estimated effect of coaching
  vector<lower=0>[J] sigma; // its standard error
}
parameters {
  real mu; // mean effect
  real<lower=0> tau; // spread of effects between schools
  vector[J] eta;
}
transformed parameters {
  vector[J] theta = mu + tau * eta; // effect in each school
}
model {
  mu ~ normal(0, 10);
  tau ~ cauchy(0, 5);
  eta ~ std_normal();
  y ~ normal(theta, sigma);
}
generated quantities {
  array[J] real y_rep = normal_rng(theta, sigma);
  vector[J] log_lik;
  for (j in 1 : J) {
    log_lik[j] = normal_lpdf(y[j] | theta[j], sigma[j]);
  }
}
