data {
  int<lower=0> heads; // @slider 0 50
  int<lower=0> tails; // @slider 0 50
}
transformed data {
  int tosses = heads + tails;
}
parameters {
  real<lower=0, upper=1> theta; // chance of heads
}
model {
  theta ~ beta(2, 2); // @slider 0.5 20
  heads ~ binomial(tosses, theta);
}
