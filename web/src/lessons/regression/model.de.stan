data {
  int<lower=0> N; // Studierende
  vector[N] hours; // Lernstunden
  vector[N] score; // Punkte in der Prüfung
}
parameters {
  real alpha; // Punkte ohne Lernen
  real<lower=0> sigma; // Streuung
}
model {
  alpha ~ normal(5, 2);
  sigma ~ exponential(1);
  score ~ normal(alpha, sigma);
}
