// Regression on nearly collinear predictors through their thin QR decomposition.
data {
  int<lower=0> N, K;
  matrix[N, K] x;
  vector[N] y;
}
transformed data {
  matrix[N, K] Q = qr_thin_Q(x) * sqrt(N - 1.0);
  matrix[K, K] R = qr_thin_R(x) / sqrt(N - 1.0);
}
parameters {
  real alpha;
  vector[K] theta;
  real<lower=0> sigma;
}
model {
  sigma ~ normal(0, 2);
  y ~ normal_id_glm(Q, alpha, theta, sigma);
}
generated quantities {
  vector[K] beta = R \ theta;
}
