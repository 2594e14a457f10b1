// A wavelet transform by a function of vectors that calls itself on the halves.
functions {
  vector transform(vector x, real angle) {
    int n = num_elements(x);
    if (n == 1) return x;
    int half = n %/% 2;
    vector[half] smooth = cos(angle) * head(x, half) + sin(angle) * tail(x, half);
    vector[half] detail = sin(angle) * head(x, half) - cos(angle) * tail(x, half);
    return append_row(transform(smooth, angle), 0.8 * transform(detail, 0.9 * angle));
  }
}
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  vector[N] x;
  real angle;
  real<lower=0> sigma;
}
model {
  x ~ std_normal();
  angle ~ std_normal();
  sigma ~ normal(0, 1);
  y ~ normal(transform(x, angle), sigma);
}
