data {
  int<lower=0> N; // students
  int<lower=0> J; // classes
  array[N] int<lower=1, upper=J> class;
  vector[N] score;
}
parameters {
  vector[J] theta; // mean of each class
  real<lower=0> sigma; // spread within classes
}
model {
  theta ~ normal(6, 9);
  sigma ~ exponential(1);
  score ~ normal(theta[class], sigma);
}
