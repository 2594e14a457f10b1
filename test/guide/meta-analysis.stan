// Log odds ratios of controlled trials, pooled partially; offset and multiplier make it non-centered.
data {
  int<lower=0> J;
  array[J] int<lower=0> n_t, r_t, n_c, r_c;
}
transformed data {
  array[J] real y;
  array[J] real<lower=0> sigma;
  for (j in 1 : J) {
    y[j] = log(r_t[j]) - log(n_t[j] - r_t[j])
           - (log(r_c[j]) - log(n_c[j] - r_c[j]));
    sigma[j] = sqrt(
                    1.0 / r_t[j] + 1.0 / (n_t[j] - r_t[j]) + 1.0 / r_c[j]
                    + inv(n_c[j] - r_c[j]));
  }
}
parameters {
  real mu;
  real<lower=0> tau;
  array[J] real<offset=mu, multiplier=tau> theta;
}
model {
  y ~ normal(theta, sigma);
  theta ~ normal(mu, tau);
  mu ~ normal(0, 2);
  tau ~ normal(0, 1);
}
