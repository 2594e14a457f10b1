data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real logit_share; // log odds of the first component
  ordered[2] mu; // ordered, so that the components cannot change places
  vector<lower=0>[2] sigma;
}
transformed parameters {
  real share = inv_logit(logit_share); // of the first component
}
model {
  logit_share ~ normal(0, 1.5);
  mu ~ normal(0, 3);
  sigma ~ lognormal(0, 0.5);
  for (n in 1 : N) {
    target += log_mix(share, normal_lpdf(y[n] | mu[1], sigma[1]),
                      normal_lpdf(y[n] | mu[2], sigma[2]));
  }
}
generated quantities {
  array[N] real y_rep;
  for (n in 1 : N) {
    int k = bernoulli_rng(share) ? 1 : 2;
    y_rep[n] = normal_rng(mu[k], sigma[k]);
  }
}
