// A mixture of two regressions with its density in user functions, summed over slices by reduce_sum.
functions {
  real one(real y, real x, real share, vector intercept, vector slope, real spread) {
    return log_mix(share, normal_lpdf(y | intercept[1] + slope[1] * x, spread),
                   normal_lpdf(y | intercept[2] + slope[2] * x, spread));
  }
  real part(array[] real y, int first, int last, data array[] real x, real share, vector intercept, vector slope,
            real spread) {
    real sum = 0;
    for (n in 1 : size(y)) sum += one(y[n], x[first + n - 1], share, intercept, slope, spread);
    return sum;
  }
}
data {
  int<lower=0> N;
  array[N] real x;
  array[N] real y;
}
parameters {
  real<lower=0, upper=1> share;
  ordered[2] intercept;
  vector[2] slope;
  real<lower=0> spread;
}
model {
  intercept ~ normal(0, 3);
  slope ~ normal(0, 1);
  spread ~ normal(0, 1);
  target += reduce_sum(part, y, 1, x, share, intercept, slope, spread);
}
