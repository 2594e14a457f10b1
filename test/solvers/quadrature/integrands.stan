// Integrands with singular ends, oscillation, peaks, kinks and infinite limits. `record/quadrature.py` has their integrals in closed form.

real damped_cosine(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return exp(-k[1] * x) * cos(k[2] * x);
}

real beta_ends(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  real rest = x > 0.5 ? xc : 1 - x;
  return x ^ (k[1] - 1) * rest ^ (k[2] - 1);
}

real power_log(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return x ^ k[1] * log(x);
}

real gaussian(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return exp(-k[1] * x ^ 2 / 2);
}

real student(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return (1 + x ^ 2 / k[1]) ^ (-(k[1] + 1) / 2);
}

real cosine_20(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return cos(k[1] * x);
}

real narrow_peak(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return k[1] / (k[1] ^ 2 + x ^ 2);
}

real gamma_density(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return x ^ (k[1] - 1) * exp(-k[2] * x);
}

real runge(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return 1 / (1 + k[1] * x ^ 2);
}

real elliptic(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  real rest = x > 0.5 ? xc : 1 - x;
  return sqrt((1 - k[1] * x ^ 2) / (rest * (1 + x)));
}

real lognormal(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return exp(-((log(x) - k[1]) / k[2]) ^ 2 / 2) / x;
}

real power_tail(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return x ^ -k[1];
}

real bessel(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return cos(k[1] * sin(x));
}

real kink(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return abs(x - k[1]);
}

real sine_50(real x, real xc, array[] real k, array[] real x_r, array[] int x_i) {
  return x ^ k[2] * sin(k[1] * x);
}
