// A. L. Hodgkin and A. F. Huxley, Journal of Physiology 117 (1952), 500-544, with a constant current; k has two conductances and the current.
vector hodgkin_huxley(real t, vector y, vector k) {
  real v = y[1];
  real rise_m = 0.1 * (v + 40) / (1 - exp(-(v + 40) / 10));
  real fall_m = 4 * exp(-(v + 65) / 18);
  real rise_h = 0.07 * exp(-(v + 65) / 20);
  real fall_h = 1 / (1 + exp(-(v + 35) / 10));
  real rise_n = 0.01 * (v + 55) / (1 - exp(-(v + 55) / 10));
  real fall_n = 0.125 * exp(-(v + 65) / 80);
  real current = k[1] * y[2] ^ 3 * y[3] * (v - 50) + k[2] * y[4] ^ 4 * (v + 77) + 0.3 * (v + 54.387);
  return [k[3] - current, rise_m * (1 - y[2]) - fall_m * y[2], rise_h * (1 - y[3]) - fall_h * y[3], rise_n * (1 - y[4]) - fall_n * y[4]]';
}

// R. FitzHugh, Biophysical Journal 1 (1961), 445-466.
vector fitzhugh_nagumo(real t, vector y, vector k) {
  return [k[3] * (y[1] - y[1] ^ 3 / 3 + y[2]), -(y[1] - k[1] + k[2] * y[2]) / k[3]]';
}

// E. N. Lorenz, Journal of the Atmospheric Sciences 20 (1963), 130-141.
vector lorenz(real t, vector y, vector k) {
  return [k[1] * (y[2] - y[1]), y[1] * (k[2] - y[3]) - y[2], y[1] * y[2] - k[3] * y[3]]';
}
