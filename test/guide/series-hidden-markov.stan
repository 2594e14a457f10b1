// A hidden Markov model: the forward algorithm by hand, the library's beside it, and the most probable path.
data {
  int<lower=1> K, T;
  vector[T] y;
}
parameters {
  array[K] simplex[K] theta;
  positive_ordered[K] mu;
  simplex[K] start;
}
transformed parameters {
  array[T] vector[K] gamma;
  for (k in 1 : K) {
    gamma[1, k] = log(start[k]) + normal_lpdf(y[1] | mu[k], 1);
  }
  for (t in 2 : T) {
    for (k in 1 : K) {
      array[K] real paths;
      for (j in 1 : K) {
        paths[j] = gamma[t - 1, j] + log(theta[j, k])
                   + normal_lpdf(y[t] | mu[k], 1);
      }
      gamma[t, k] = log_sum_exp(paths);
    }
  }
}
model {
  mu ~ normal(3, 3);
  target += log_sum_exp(gamma[T]);
}
generated quantities {
  real difference;
  array[T] int<lower=1, upper=K> state;
  {
    matrix[K, T] log_omega;
    matrix[K, K] Gamma;
    for (k in 1 : K) {
      Gamma[k] = theta[k]';
      for (t in 1 : T) {
        log_omega[k, t] = normal_lpdf(y[t] | mu[k], 1);
      }
    }
    difference = hmm_marginal(log_omega, Gamma, start)
                 - log_sum_exp(gamma[T]);
    state = hmm_latent_rng(log_omega, Gamma, start);
  }
}
