// Dawid and Skene: raters of unknown skill sort items of unknown category.
data {
  int<lower=2> K;
  int<lower=1> I, J, N;
  array[N] int<lower=1, upper=I> ii;
  array[N] int<lower=1, upper=J> jj;
  array[N] int<lower=1, upper=K> y;
}
transformed data {
  array[K] vector[K] beta = rep_array(rep_vector(1, K), K);
  for (k in 1 : K) {
    beta[k, k] = 2.5 * K;
  }
}
parameters {
  simplex[K] prevalence;
  array[J, K] simplex[K] theta;
}
transformed parameters {
  array[I] vector[K] log_q = rep_array(log(prevalence), I);
  for (n in 1 : N) {
    for (k in 1 : K) {
      log_q[ii[n], k] += log(theta[jj[n], k, y[n]]);
    }
  }
}
model {
  prevalence ~ dirichlet(rep_vector(1, K));
  for (j in 1 : J) {
    for (k in 1 : K) {
      theta[j, k] ~ dirichlet(beta[k]);
    }
  }
  for (i in 1 : I) {
    target += log_sum_exp(log_q[i]);
  }
}
generated quantities {
  array[I] int<lower=1, upper=K> category;
  for (i in 1 : I) {
    category[i] = categorical_rng(softmax(log_q[i]));
  }
}
