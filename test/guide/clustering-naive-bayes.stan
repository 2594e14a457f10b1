// Naive Bayes: documents with known topics train the words of each topic, which then classify others.
data {
  int<lower=1> K, V;
  int<lower=0> M, N;
  array[M] int<lower=1, upper=K> z;
  array[N] int<lower=1, upper=V> w;
  array[N] int<lower=1, upper=M> doc;
  int<lower=0> N_new;
  array[N_new] int<lower=1, upper=V> w_new;
}
parameters {
  simplex[K] theta;
  array[K] simplex[V] phi;
}
model {
  theta ~ dirichlet(rep_vector(1, K));
  phi ~ dirichlet(rep_vector(0.5, V));
  z ~ categorical(theta);
  for (n in 1 : N) {
    w[n] ~ categorical(phi[z[doc[n]]]);
  }
}
generated quantities {
  vector[K] topic;
  {
    vector[K] gamma;
    for (k in 1 : K) {
      gamma[k] = categorical_lpmf(k | theta)
                 + categorical_lpmf(w_new | phi[k]);
    }
    topic = softmax(gamma);
  }
}
