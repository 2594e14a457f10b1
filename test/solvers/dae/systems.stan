// Differential-algebraic problems of index 1 and implicit ones. Each residual has beside it the explicit differential equation with the
// same solution, which gives the initial derivatives and the exact solution.

vector robertson_dae(real t, vector y, vector yp, vector k) {
  real exchange = -k[1] * y[1] + k[2] * y[2] * y[3];
  return [yp[1] - exchange, yp[2] + exchange + k[3] * y[2] ^ 2, y[1] + y[2] + y[3] - 1]';
}

vector robertson_dae_slope(real t, vector y, vector k) {
  real exchange = -k[1] * y[1] + k[2] * y[2] * y[3];
  real fast = k[3] * y[2] ^ 2;
  return [exchange, -exchange - fast, fast]';
}

vector akzo_nobel_dae_slope(real t, vector y, vector k) {
  real root = sqrt(y[2]);
  real r1 = k[1] * y[1] ^ 4 * root;
  real r2 = k[2] * y[3] * y[4];
  real r3 = k[2] / 34.4 * y[1] * y[5];
  real r4 = 0.09 * y[1] * y[4] ^ 2;
  real r5 = 0.42 * y[6] ^ 2 * root;
  real inflow = k[3] * (0.9 / 737 - y[2]);
  real d1 = -2 * r1 + r2 - r3 - r4;
  real d4 = -r2 + r3 - 2 * r4;
  return [d1, -0.5 * r1 - r4 - 0.5 * r5 + inflow, r1 - r2 + r3, d4, r2 - r3 + r5, 115.83 * (d1 * y[4] + y[1] * d4)]';
}

vector akzo_nobel_dae(real t, vector y, vector yp, vector k) {
  vector[6] dy = akzo_nobel_dae_slope(t, y, k);
  return [yp[1] - dy[1], yp[2] - dy[2], yp[3] - dy[3], yp[4] - dy[4], yp[5] - dy[5], 115.83 * y[1] * y[4] - y[6]]';
}

vector driven_dae(real t, vector y, vector yp, vector k) {
  return [yp[1] + k[1] * y[1] - y[2], y[2] - k[2] * sin(t)]';
}

vector driven_dae_slope(real t, vector y, vector k) {
  return [-k[1] * y[1] + y[2], k[2] * cos(t)]';
}

vector diode_dae(real t, vector y, vector yp, vector k) {
  return [yp[1] + k[1] * y[2], y[2] ^ 3 + y[2] - 2 * y[1]]';
}

vector diode_dae_slope(real t, vector y, vector k) {
  return [-k[1] * y[2], -2 * k[1] * y[2] / (3 * y[2] ^ 2 + 1)]';
}

vector implicit_decay(real t, vector y, vector yp, vector k) {
  return [(1 + k[2] * y[1] ^ 2) * yp[1] + k[1] * y[1]]';
}

vector implicit_decay_slope(real t, vector y, vector k) {
  return [-k[1] * y[1] / (1 + k[2] * y[1] ^ 2)]';
}
