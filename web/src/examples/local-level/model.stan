data {
  int<lower=1> T;
  vector[T] y;
}
parameters {
  real<lower=0> drift; // standard deviation of the level's steps
  real<lower=0> sigma; // of the observations about the level
}
transformed parameters {
  // Mean and variance of the level before and after its observation is seen.
  vector[T] mean_before;
  vector[T] var_before;
  vector[T] mean_after;
  vector[T] var_after;
  {
    real expected = 0;
    real variance = 25;
    for (t in 1 : T) {
      real gain = variance / (variance + square(sigma));
      mean_before[t] = expected;
      var_before[t] = variance;
      mean_after[t] = expected + gain * (y[t] - expected);
      var_after[t] = (1 - gain) * variance;
      expected = mean_after[t];
      variance = var_after[t] + square(drift);
    }
  }
}
model {
  drift ~ normal(0, 1);
  sigma ~ normal(0, 1);
  y ~ normal(mean_before, sqrt(var_before + square(sigma)));
}
generated quantities {
  vector[T] level;
  level[T] = normal_rng(mean_after[T], sqrt(var_after[T]));
  for (k in 1 : T - 1) {
    int t = T - k;
    real share = var_after[t] / (var_after[t] + square(drift));
    level[t] = normal_rng(
                          mean_after[t]
                          + share * (level[t + 1] - mean_after[t]),
                          sqrt((1 - share) * var_after[t]));
  }
  array[T] real y_rep = normal_rng(level, sigma);
}
