// MA(Q): the errors are computed along the series.
data {
  int<lower=0> Q;
  int<lower=Q> T;
  vector[T] y;
}
parameters {
  real mu;
  real<lower=0> sigma;
  vector<lower=-1, upper=1>[Q] theta;
}
transformed parameters {
  vector[T] epsilon;
  for (t in 1 : T) {
    epsilon[t] = y[t] - mu;
    for (q in 1 : min(t - 1, Q)) {
      epsilon[t] -= theta[q] * epsilon[t - q];
    }
  }
}
model {
  mu ~ cauchy(0, 2.5);
  theta ~ normal(0, 1);
  sigma ~ cauchy(0, 2.5);
  epsilon ~ normal(0, sigma);
}
