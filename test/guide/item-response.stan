// The two-parameter logistic model of tests: abilities, discriminations, difficulties.
data {
  int<lower=1> J, K, N;
  array[N] int<lower=1, upper=J> jj;
  array[N] int<lower=1, upper=K> kk;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real mu_beta;
  vector[J] alpha;
  vector[K] beta;
  vector<lower=0>[K] gamma;
  real<lower=0> sigma_beta, sigma_gamma;
}
model {
  alpha ~ std_normal();
  beta ~ normal(0, sigma_beta);
  gamma ~ lognormal(0, sigma_gamma);
  mu_beta ~ cauchy(0, 5);
  sigma_beta ~ cauchy(0, 5);
  sigma_gamma ~ cauchy(0, 5);
  y ~ bernoulli_logit(gamma[kk] .* (alpha[jj] - (beta[kk] + mu_beta)));
}
