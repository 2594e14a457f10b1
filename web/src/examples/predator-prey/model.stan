functions {
  // growth of prey z[1] and predators z[2]
  vector change(real t, vector z, vector theta) {
    return [(theta[1] - theta[2] * z[2]) * z[1],
            (-theta[3] + theta[4] * z[1]) * z[2]]';
  }
}
data {
  int<lower=0> N; // years after the first
  array[N] real<lower=0> year;
  array[2] real<lower=0> y_init; // what was counted at the beginning
  array[N, 2] real<lower=0> y; // and in each year
}
parameters {
  vector<lower=0>[4] theta;
  vector<lower=0>[2] z_init;
  vector<lower=0>[2] sigma;
}
transformed parameters {
  array[N] vector[2] z = ode_rk45(change, z_init, 0, year, theta);
}
model {
  theta ~ normal([1, 0.05, 1, 0.05], [0.5, 0.05, 0.5, 0.05]);
  sigma ~ lognormal(-1, 1);
  z_init ~ lognormal(log(10), 1);
  for (k in 1 : 2) {
    y_init[k] ~ lognormal(log(z_init[k]), sigma[k]);
    y[ : , k] ~ lognormal(log(z[ : , k]), sigma[k]);
  }
}
generated quantities {
  array[N, 2] real y_rep;
  for (k in 1 : 2) {
    for (n in 1 : N) {
      y_rep[n, k] = lognormal_rng(log(z[n, k]), sigma[k]);
    }
  }
}
