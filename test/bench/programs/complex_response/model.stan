// Gain and phase of a damped oscillator, one complex division and square root a frequency.
data {
  int<lower=1> N;
  vector[N] frequency;
  vector[N] gain;
  vector[N] phase;
}
parameters {
  real<lower=0> stiffness;
  real<lower=0> damping;
  complex coupling;
  real<lower=0> sigma;
}
model {
  stiffness ~ normal(1, 1);
  damping ~ normal(0, 1);
  get_real(coupling) ~ std_normal();
  get_imag(coupling) ~ std_normal();
  sigma ~ normal(0, 1);
  for (n in 1:N) {
    complex s = to_complex(0.05, frequency[n]);
    complex response = (1 + coupling * s) / (s * s + damping * s + stiffness) + 0.1 * sqrt(s + damping);
    gain[n] ~ normal(abs(response), sigma);
    phase[n] ~ normal(get_imag(response * conj(coupling)), sigma);
  }
}
