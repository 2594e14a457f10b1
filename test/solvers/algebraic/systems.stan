// Systems of equations of J. J. Moré, B. S. Garbow and K. E. Hillstrom, Testing unconstrained optimization software, ACM Transactions on
// Mathematical Software 7 (1981), 17-41, with constants as parameters `k`. Shifts keep the Jacobian at the root regular.

vector rosenbrock(vector x, vector k) {
  return [k[1] * (x[2] - x[1] ^ 2), k[2] - x[1]]';
}

vector powell_singular(vector x, vector k) {
  return [x[1] + 10 * x[2], sqrt(5) * (x[3] - x[4]), (x[2] - 2 * x[3]) ^ 2 - k[1], sqrt(10) * (x[1] - x[4]) ^ 2 - k[2]]';
}

vector powell_badly_scaled(vector x, vector k) {
  return [1e4 * x[1] * x[2] - k[1], exp(-x[1]) + exp(-x[2]) - k[2]]';
}

vector helical_valley(vector x, vector k) {
  real turn = atan2(x[2], x[1]) / 6.283185307179586;
  return [10 * (x[3] - 10 * turn), 10 * (sqrt(x[1] ^ 2 + x[2] ^ 2) - k[1]), x[3] + 0.1 * (k[2] - 1)]';
}

vector brown_almost_linear(vector x, vector k) {
  vector[5] f;
  real total = -k[1];
  real product = 1;
  for (j in 1 : 5) {
    total = total + x[j];
    product = product * x[j];
  }
  for (i in 1 : 4) {
    f[i] = x[i] + total;
  }
  f[5] = product - k[2];
  return f;
}

vector discrete_boundary(vector x, vector k) {
  vector[10] f;
  for (i in 1 : 10) {
    f[i] = 2 * x[i] + k[1] / 121 * (x[i] + i / 11.0 + 1) ^ 3;
    if (i > 1) {
      f[i] = f[i] - x[i - 1];
    }
    if (i < 10) {
      f[i] = f[i] - x[i + 1];
    }
  }
  return f;
}

vector discrete_integral(vector x, vector k) {
  vector[10] f;
  for (i in 1 : 10) {
    real t = i / 11.0;
    real below = 0;
    real above = 0;
    for (j in 1 : 10) {
      real s = j / 11.0;
      real cube = (x[j] + s + 1) ^ 3;
      if (j <= i) {
        below = below + s * cube;
      }
      if (j > i) {
        above = above + (1 - s) * cube;
      }
    }
    f[i] = x[i] + k[1] / 11 * ((1 - t) * below + t * above);
  }
  return f;
}

vector broyden_tridiagonal(vector x, vector k) {
  vector[10] f;
  for (i in 1 : 10) {
    f[i] = (3 - k[2] * x[i]) * x[i] + k[1];
    if (i > 1) {
      f[i] = f[i] - x[i - 1];
    }
    if (i < 10) {
      f[i] = f[i] - 2 * x[i + 1];
    }
  }
  return f;
}

vector broyden_banded(vector x, vector k) {
  vector[10] f;
  for (i in 1 : 10) {
    f[i] = x[i] * (2 + k[2] * x[i] ^ 2) + k[1];
    for (j in 1 : 10) {
      if (j != i && j >= i - 5 && j <= i + 1) {
        f[i] = f[i] - x[j] * (1 + x[j]);
      }
    }
  }
  return f;
}
