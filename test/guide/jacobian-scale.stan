// A change of variables with its Jacobian: by hand in the model, and by a function that ends in _jacobian.
functions {
  vector positive_jacobian(vector u) {
    jacobian += sum(u);
    return exp(u);
  }
}
data {
  int<lower=0> N;
  array[N] vector<lower=0>[2] y;
}
parameters {
  real log_shape;
  vector[2] u;
}
transformed parameters {
  vector[2] rate = positive_jacobian(u);
  real shape = exp(log_shape);
}
model {
  shape ~ gamma(2, 1);
  target += log_shape;
  rate ~ gamma(2, 1);
  for (n in 1 : N) {
    y[n] ~ gamma(shape, rate);
  }
}
