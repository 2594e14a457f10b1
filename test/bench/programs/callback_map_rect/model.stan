// Local level models of many short series, one shard of map_rect a series: a Kalman filter in the callback.
functions {
  vector filtered(vector shared, vector start, data array[] real y, data array[] int sizes) {
    real level = start[1];
    real variance = 1;
    real lp = 0;
    for (t in 1 : sizes[1]) {
      real total = variance + square(shared[2]);
      real gain = variance / total;
      lp += normal_lpdf(y[t] | level, sqrt(total));
      level += gain * (y[t] - level);
      variance = variance * (1 - gain) + square(shared[1]);
    }
    return [lp]';
  }
}
data {
  int<lower=1> S;
  int<lower=1> T;
  array[S, T] real y;
  array[S, 1] int sizes;
}
parameters {
  vector<lower=0>[2] scale;
  array[S] vector[1] start;
}
model {
  scale ~ normal(0, 1);
  for (s in 1 : S) start[s] ~ normal(0, 2);
  target += sum(map_rect(filtered, scale, start, y, sizes));
}
