// Complex numbers: amplitude and phase of a wave, whose spectrum the fast Fourier transform gives.
data {
  int<lower=0> N;
  complex_vector[N] signal;
}
parameters {
  complex amplitude;
  real<lower=0> sigma;
}
model {
  complex_vector[N] wave;
  complex turn = exp(2 * pi() * 1i / 8);
  for (n in 1 : N) {
    wave[n] = amplitude * turn ^ n;
  }
  get_real(signal) ~ normal(get_real(wave), sigma);
  get_imag(signal) ~ normal(get_imag(wave), sigma);
  sigma ~ exponential(1);
}
generated quantities {
  real phase = arg(amplitude);
  real<lower=0> size = abs(amplitude);
  int peak = sort_indices_desc(abs(fft(signal)))[1];
}
