data {
  int<lower=0> J; // Schulen
  vector[J] y; // geschätzte Wirkung des Trainings
  vector<lower=0>[J] sigma; // ihr Standardfehler
}
parameters {
  real mu; // mittlere Wirkung
  real<lower=0> tau; // Streuung der Wirkungen zwischen den Schulen
  vector[J] theta; // Wirkung in jeder Schule
}
model {
  mu ~ normal(0, 10);
  tau ~ cauchy(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, sigma);
}
