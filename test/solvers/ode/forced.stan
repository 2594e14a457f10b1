// Right-hand sides that depend on time: periodic, switched at known times, with kinks and with pulses.

vector forced_oscillator(real t, vector y, vector k) {
  return [y[2], -k[1] * y[1] - k[2] * y[2] + k[3] * sin(1.3 * t)]';
}

// Absorption from a depot, with two infusions into the central compartment.
vector infusions(real t, vector y, vector k) {
  real rate = 0;
  if (t > 1 && t < 2.5) {
    rate = k[3];
  }
  if (t > 6 && t < 7.5) {
    rate = 3 * k[3];
  }
  return [-k[1] * y[1], k[1] * y[1] - k[2] * y[2] + rate]';
}

vector switched(real t, vector y, vector k) {
  if (t < 2) {
    return [k[1] - y[1], y[1] - k[2] * y[2]]';
  }
  return [-y[1], y[1] - 3 * k[2] * y[2]]';
}

vector kinked(real t, vector y, vector k) {
  return [abs(cos(2 * t)) - k[1] * y[1], k[2] * (y[1] - y[2])]';
}

vector pulsed(real t, vector y, vector k) {
  return [-k[1] * y[1] + k[2] * exp(-((t - 5) / 0.3) ^ 2), y[1] - 0.5 * y[2]]';
}
