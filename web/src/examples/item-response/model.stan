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
    y[ : , k] ~ bernoulli_logit(discrimination[k] * (ability - difficulty[k]));
  }
}
generated quantities {
  array[K] int right; // right answers to each item, simulated
  for (k in 1 : K) {
    right[k] = sum(bernoulli_logit_rng(discrimination[k]
                                       * (ability - difficulty[k])));
  }
}
