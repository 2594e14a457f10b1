data {
  int<lower=0> N; // Schülerinnen und Schüler
  int<lower=0> J; // Klassen
  array[N] int<lower=1, upper=J> class;
  vector[N] score;
}
parameters {
  vector[J] theta; // Mittelwert jeder Klasse
  real<lower=0> sigma; // Streuung innerhalb der Klassen
}
model {
  theta ~ normal(6, 9);
  sigma ~ exponential(1);
  score ~ normal(theta[class], sigma);
}
