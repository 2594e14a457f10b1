data {
  int<lower=0> J; // schools
  vector[J] y; // estimated effect of coaching
  vector<lower=0>[J] sigma; // its standard error
}
parameters {
  real mu; // mean effect
  real<lower=0> tau; // spread of effects between schools
  vector[J] theta; // effect in each school
}
model {
  mu ~ normal(0, 10);
  tau ~ cauchy(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, sigma);
}
