data {
  int<lower=0> N; // students
  vector[N] hours; // of study
  vector[N] score; // in the exam
}
parameters {
  real alpha; // score without study
  real<lower=0> sigma; // spread
}
model {
  alpha ~ normal(5, 2);
  sigma ~ exponential(1);
  score ~ normal(alpha, sigma);
}
