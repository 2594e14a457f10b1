// The non-stiff test set of T. E. Hull, W. H. Enright, B. M. Fellen and A. E. Sedgwick, Comparing numerical methods for ordinary
// differential equations, SIAM Journal on Numerical Analysis 9 (1972), 603-637. Coefficients that the set fixes are parameters `k` here.

vector detest_a1(real t, vector y, vector k) {
  return [-k[1] * y[1]]';
}

vector detest_a2(real t, vector y, vector k) {
  return [-k[1] * y[1] ^ 3 / 2]';
}

vector detest_a3(real t, vector y, vector k) {
  return [k[1] * y[1] * cos(t)]';
}

vector detest_a4(real t, vector y, vector k) {
  return [k[1] * y[1] * (1 - y[1] / k[2])]';
}

vector detest_a5(real t, vector y, vector k) {
  return [k[1] * (y[1] - t) / (y[1] + t)]';
}

vector detest_b1(real t, vector y, vector k) {
  return [k[1] * (y[1] - y[1] * y[2]), -k[2] * (y[2] - y[1] * y[2])]';
}

vector detest_b2(real t, vector y, vector k) {
  return [-k[1] * y[1] + y[2], k[1] * y[1] - 2 * y[2] + k[2] * y[3], y[2] - k[2] * y[3]]';
}

vector detest_b3(real t, vector y, vector k) {
  return [-k[1] * y[1], k[1] * y[1] - k[2] * y[2] ^ 2, k[2] * y[2] ^ 2]';
}

vector detest_b4(real t, vector y, vector k) {
  real r = sqrt(y[1] ^ 2 + y[2] ^ 2);
  return [-k[1] * y[2] - y[1] * y[3] / r, k[1] * y[1] - y[2] * y[3] / r, k[2] * y[1] / r]';
}

vector detest_b5(real t, vector y, vector k) {
  return [k[1] * y[2] * y[3], -y[1] * y[3], -k[2] * y[1] * y[2]]';
}

vector detest_c1(real t, vector y, vector k) {
  vector[10] dy;
  dy[1] = -k[1] * y[1];
  for (i in 2 : 9) {
    dy[i] = k[1] * y[i - 1] - k[2] * y[i];
  }
  dy[10] = k[2] * y[9];
  return dy;
}

vector detest_c2(real t, vector y, vector k) {
  vector[10] dy;
  dy[1] = -k[1] * y[1];
  for (i in 2 : 9) {
    dy[i] = k[1] * (i - 1) * y[i - 1] - k[2] * i * y[i];
  }
  dy[10] = 9 * k[2] * y[9];
  return dy;
}

vector detest_c3(real t, vector y, vector k) {
  vector[10] dy;
  dy[1] = -2 * k[1] * y[1] + k[2] * y[2];
  for (i in 2 : 9) {
    dy[i] = k[1] * (y[i - 1] - 2 * y[i]) + k[2] * y[i + 1];
  }
  dy[10] = k[1] * (y[9] - 2 * y[10]);
  return dy;
}

vector detest_c4(real t, vector y, vector k) {
  vector[51] dy;
  dy[1] = -2 * k[1] * y[1] + k[2] * y[2];
  for (i in 2 : 50) {
    dy[i] = k[1] * (y[i - 1] - 2 * y[i]) + k[2] * y[i + 1];
  }
  dy[51] = k[1] * (y[50] - 2 * y[51]);
  return dy;
}

// Five outer planets: 15 positions, then 15 velocities; k has the gravitational constant and the mass of Jupiter.
vector detest_c5(real t, vector y, vector k) {
  vector[30] dy;
  vector[5] mass = [k[2], 0.000285583733151, 0.0000437273164546, 0.0000517759138449, 0.00000277777777778]';
  vector[5] cube;
  for (i in 1 : 5) {
    cube[i] = (y[3 * i - 2] ^ 2 + y[3 * i - 1] ^ 2 + y[3 * i] ^ 2) ^ 1.5;
  }
  for (i in 1 : 5) {
    for (c in 1 : 3) {
      real pull = -(1.00000597682 + mass[i]) * y[3 * i - 3 + c] / cube[i];
      for (j in 1 : 5) {
        if (j != i) {
          real distance = (y[3 * j - 2] - y[3 * i - 2]) ^ 2 + (y[3 * j - 1] - y[3 * i - 1]) ^ 2 + (y[3 * j] - y[3 * i]) ^ 2;
          pull = pull + mass[j] * ((y[3 * j - 3 + c] - y[3 * i - 3 + c]) / distance ^ 1.5 - y[3 * j - 3 + c] / cube[j]);
        }
      }
      dy[3 * i - 3 + c] = y[15 + 3 * i - 3 + c];
      dy[15 + 3 * i - 3 + c] = k[1] * pull;
    }
  }
  return dy;
}

// Kepler's problem, for every eccentricity.
vector detest_d(real t, vector y, vector k) {
  real cube = (y[1] ^ 2 + y[2] ^ 2) ^ 1.5;
  return [y[3], y[4], -k[1] * y[1] / cube, -k[1] * y[2] / cube]';
}

vector detest_e1(real t, vector y, vector k) {
  return [y[2], -(y[2] / (t + 1) + (k[1] - k[2] / (t + 1) ^ 2) * y[1])]';
}

vector detest_e2(real t, vector y, vector k) {
  return [y[2], k[1] * (1 - y[1] ^ 2) * y[2] - k[2] * y[1]]';
}

vector detest_e3(real t, vector y, vector k) {
  return [y[2], y[1] ^ 3 / 6 - k[1] * y[1] + k[2] * sin(2.78535 * t)]';
}

vector detest_e4(real t, vector y, vector k) {
  return [y[2], k[1] - k[2] * y[2] ^ 2]';
}

vector detest_e5(real t, vector y, vector k) {
  return [y[2], k[1] * sqrt(1 + y[2] ^ 2) / (k[2] - t)]';
}
