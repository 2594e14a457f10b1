// Stiff problems of the IVP test set (F. Mazzia and C. Magherini, Test Set for Initial Value Problem Solvers, release 2.4, 2008) and of
// E. Hairer and G. Wanner, Solving Ordinary Differential Equations II (1996), section IV.10.

vector robertson(real t, vector y, vector k) {
  real slow = k[1] * y[1];
  real back = k[2] * y[2] * y[3];
  real fast = k[3] * y[2] ^ 2;
  return [-slow + back, slow - back - fast, fast]';
}

vector hires(real t, vector y, vector k) {
  vector[8] dy;
  dy[1] = -k[1] * y[1] + 0.43 * y[2] + 8.32 * y[3] + 0.0007;
  dy[2] = k[1] * y[1] - 8.75 * y[2];
  dy[3] = -10.03 * y[3] + 0.43 * y[4] + 0.035 * y[5];
  dy[4] = 8.32 * y[2] + 1.71 * y[3] - 1.12 * y[4];
  dy[5] = -1.745 * y[5] + 0.43 * y[6] + 0.43 * y[7];
  dy[6] = -k[2] * y[6] * y[8] + 0.69 * y[4] + 1.71 * y[5] - 0.43 * y[6] + 0.69 * y[7];
  dy[7] = k[2] * y[6] * y[8] - 1.81 * y[7];
  dy[8] = -k[2] * y[6] * y[8] + 1.81 * y[7];
  return dy;
}

vector oregonator(real t, vector y, vector k) {
  return [k[1] * (y[2] + y[1] * (1 - 8.375e-6 * y[1] - y[2])), (y[3] - (1 + y[1]) * y[2]) / k[1], k[2] * (y[1] - y[3])]';
}

vector van_der_pol(real t, vector y, vector k) {
  return [y[2], k[1] * (1 - y[1] ^ 2) * y[2] - k[2] * y[1]]';
}

vector brusselator(real t, vector y, vector k) {
  return [k[1] + y[1] ^ 2 * y[2] - (k[2] + 1) * y[1], k[2] * y[1] - y[1] ^ 2 * y[2]]';
}

// Brusselator with diffusion on 8 inner points of (0, 1); 1 and 3 at both ends; k has the diffusion and the feed.
vector brusselator_line(real t, vector y, vector k) {
  vector[16] dy;
  real c = k[1] * 81;
  for (i in 1 : 8) {
    real u = y[i];
    real v = y[8 + i];
    real left_u = 1;
    real left_v = 3;
    real right_u = 1;
    real right_v = 3;
    if (i > 1) {
      left_u = y[i - 1];
      left_v = y[7 + i];
    }
    if (i < 8) {
      right_u = y[i + 1];
      right_v = y[9 + i];
    }
    dy[i] = k[2] + u ^ 2 * v - 4 * u + c * (left_u - 2 * u + right_u);
    dy[8 + i] = 3 * u - u ^ 2 * v + c * (left_v - 2 * v + right_v);
  }
  return dy;
}

vector e5(real t, vector y, vector k) {
  real a = 7.89e-10 * y[1];
  real b = k[1] * y[1] * y[3];
  real c = 1e6 * k[2] * y[2] * y[3];
  real d = k[2] * y[4];
  return [-a - b, a - c, a - b - c + d, b - d]';
}

// The differential form: the sixth concentration is 115.83 times the product of the first and the fourth.
vector akzo_nobel(real t, vector y, vector k) {
  real root = sqrt(y[2]);
  real r1 = k[1] * y[1] ^ 4 * root;
  real r2 = k[2] * y[3] * y[4];
  real r3 = k[2] / 34.4 * y[1] * y[5];
  real r4 = 0.09 * y[1] * y[4] ^ 2;
  real r5 = 0.42 * (115.83 * y[1] * y[4]) ^ 2 * root;
  real inflow = k[3] * (0.9 / 737 - y[2]);
  return [-2 * r1 + r2 - r3 - r4, -0.5 * r1 - r4 - 0.5 * r5 + inflow, r1 - r2 + r3, -r2 + r3 - 2 * r4, r2 - r3 + r5]';
}

vector pollution(real t, vector y, vector k) {
  vector[20] dy;
  real r1 = k[1] * y[1];
  real r2 = k[2] * y[2] * y[4];
  real r3 = k[3] * y[5] * y[2];
  real r4 = 0.86e-3 * y[7];
  real r5 = 0.82e-3 * y[7];
  real r6 = 0.15e5 * y[7] * y[6];
  real r7 = 0.13e-3 * y[9];
  real r8 = 0.24e5 * y[9] * y[6];
  real r9 = 0.165e5 * y[11] * y[2];
  real r10 = 0.9e4 * y[11] * y[1];
  real r11 = 0.22e-1 * y[13];
  real r12 = 0.12e5 * y[10] * y[2];
  real r13 = 1.88 * y[14];
  real r14 = 0.163e5 * y[1] * y[6];
  real r15 = 0.48e7 * y[3];
  real r16 = 0.35e-3 * y[4];
  real r17 = 0.175e-1 * y[4];
  real r18 = 0.1e9 * y[16];
  real r19 = 0.444e12 * y[16];
  real r20 = 0.124e4 * y[17] * y[6];
  real r21 = 2.1 * y[19];
  real r22 = 5.78 * y[19];
  real r23 = 0.474e-1 * y[1] * y[4];
  real r24 = 0.178e4 * y[19] * y[1];
  real r25 = 3.12 * y[20];
  dy[1] = -r1 - r10 - r14 - r23 - r24 + r2 + r3 + r9 + r11 + r12 + r22 + r25;
  dy[2] = -r2 - r3 - r9 - r12 + r1 + r21;
  dy[3] = -r15 + r1 + r17 + r19 + r22;
  dy[4] = -r2 - r16 - r17 - r23 + r15;
  dy[5] = -r3 + 2 * r4 + r6 + r7 + r13 + r20;
  dy[6] = -r6 - r8 - r14 - r20 + r3 + 2 * r18;
  dy[7] = -r4 - r5 - r6 + r13;
  dy[8] = r4 + r5 + r6 + r7;
  dy[9] = -r7 - r8;
  dy[10] = -r12 + r7 + r9;
  dy[11] = -r9 - r10 + r8 + r11;
  dy[12] = r9;
  dy[13] = -r11 + r10;
  dy[14] = -r13 + r12;
  dy[15] = r14;
  dy[16] = -r18 - r19 + r16;
  dy[17] = -r20;
  dy[18] = r20;
  dy[19] = -r21 - r22 - r24 + r23 + r25;
  dy[20] = -r25 + r24;
  return dy;
}
