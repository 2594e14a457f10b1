// A local level observed with noise, states integrated out by the Kalman filter.
data {
  int<lower=0> T;
  matrix[1, T] y;
}
parameters {
  real<lower=0> observation, innovation;
}
model {
  observation ~ normal(0, 2);
  innovation ~ normal(0, 2);
  y ~ gaussian_dlm_obs([[1]], [[1]], [[square(observation)]],
                       [[square(innovation)]], [0]', [[10]]);
}
