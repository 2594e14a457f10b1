data {
  int<lower=1> J; // persons
  int<lower=1> K; // items
  array[J, K] int<lower=0, upper=1> y; // right answers
}
parameters {
  vector[J] ability;
  vector[K] difficulty;
  vector<lower=0>[K] discrimination;
}
model {
  ability ~ std_normal();
  difficulty ~ normal(0, 2);
  discrimination ~ lognormal(0, 0.5);
  for (k in 1 : K) {
    vector[J] eta = discrimination[k] * (ability - difficulty[k]);
    y[ : , k] ~ bernoulli_logit(eta);
  }
}
generated quantities {
  array[K] int right; // right answers to each item, simulated
  for (k in 1 : K) {
    vector[J] eta = discrimination[k] * (ability - difficulty[k]);
    right[k] = sum(bernoulli_logit_rng(eta));
  }
}
