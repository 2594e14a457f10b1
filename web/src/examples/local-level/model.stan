data {
  int<lower=1> T;
  vector[T] y;
}
parameters {
  real<lower=0> drift; // standard deviation of the level's steps
  real<lower=0> sigma; // of the observations about the level
  real first;
  vector[T - 1] z;
}
transformed parameters {
  vector[T] level = first + append_row(0, drift * cumulative_sum(z));
}
model {
  drift ~ normal(0, 1);
  sigma ~ normal(0, 1);
  first ~ normal(0, 5);
  z ~ std_normal();
  y ~ normal(level, sigma);
}
generated quantities {
  array[T] real y_rep = normal_rng(level, sigma);
}
