// Cormack-Jolly-Seber: survival and recapture from histories of tagged animals.
functions {
  int first_capture(array[] int y) {
    for (k in 1 : size(y)) {
      if (y[k]) {
        return k;
      }
    }
    return 0;
  }
  int last_capture(array[] int y) {
    for (k_rev in 0 : size(y) - 1) {
      int k = size(y) - k_rev;
      if (y[k]) {
        return k;
      }
    }
    return 0;
  }
  vector prob_uncaptured(int T, vector p, vector phi) {
    vector[T] chi;
    chi[T] = 1.0;
    for (t in 1 : T - 1) {
      int now = T - t;
      chi[now] = 1 - phi[now] + phi[now] * (1 - p[now + 1]) * chi[now + 1];
    }
    return chi;
  }
}
data {
  int<lower=2> T;
  int<lower=0> I;
  array[I, T] int<lower=0, upper=1> y;
}
transformed data {
  array[I] int<lower=0, upper=T> first, last;
  for (i in 1 : I) {
    first[i] = first_capture(y[i]);
    last[i] = last_capture(y[i]);
  }
}
parameters {
  vector<lower=0, upper=1>[T - 1] phi;
  vector<lower=0, upper=1>[T] p;
}
transformed parameters {
  vector<lower=0, upper=1>[T] chi = prob_uncaptured(T, p, phi);
}
model {
  for (i in 1 : I) {
    if (first[i] > 0) {
      for (t in first[i] + 1 : last[i]) {
        1 ~ bernoulli(phi[t - 1]);
        y[i, t] ~ bernoulli(p[t]);
      }
      1 ~ bernoulli(chi[last[i]]);
    }
  }
}
