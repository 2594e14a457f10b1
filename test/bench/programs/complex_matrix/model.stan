// A linear system in the frequency domain: products of complex matrices and vectors.
data {
  int<lower=1> K;
  int<lower=1> N;
  array[N] complex_vector[K] input;
  array[N] vector[K] power;
}
parameters {
  matrix[K, K] re;
  matrix[K, K] im;
  real<lower=0> sigma;
}
model {
  complex_matrix[K, K] transfer = to_complex(re, im);
  complex_matrix[K, K] squared = transfer * transfer;
  to_vector(re) ~ std_normal();
  to_vector(im) ~ std_normal();
  sigma ~ normal(0, 1);
  for (n in 1:N) {
    complex_vector[K] output = squared * input[n] + transfer * input[n];
    power[n] ~ normal(square(get_real(output)) + square(get_imag(output)), sigma);
  }
}
