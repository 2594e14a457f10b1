import { describe, it } from 'node:test';
import { checkGradient } from './agreement.js';
import { testTangents } from './tangents.js';

describe('forward derivatives of functions of matrices', () => {
  testTangents([
    'm * m',
    'mdivide_left(m, m2)',
    'log_determinant_spd(spd) * n',
    'matrix_exp(m)',
    'diag_matrix(eigenvalues_sym(spd)) + square(eigenvectors_sym(spd))',
  ]);

  it('recursive functions, with containers, tuples and constants', () => {
    checkGradient(`
      functions {
        real power(real x, int n) { if (n == 0) return 1; return x * power(x, n - 1); }
        vector folded(vector x, matrix m, int n) {
          vector[3] result = mdivide_left(m, x);
          if (n > 0) {
            tuple(real, vector[3]) pair = both(x, n);
            result += pair.1 * folded(0.3 * pair.2, m, n - 1);
          }
          return result;
        }
        tuple(real, vector) both(vector x, int n) {
          vector[3] constant = rep_vector(power(0.5, n), 3);
          if (n > 5) return both(x, n - 1);
          return (power(tanh(x[1]), n), n > 1 ? constant : x);
        }
        vector system(vector x, matrix m, data vector v) {
          vector[3] s = folded(v, m, 1);
          s = folded(x, m, 2) + s;
          return x - 0.3 * tanh(s) - 0.1 * power(x[3], 2) - 0.2;
        }
        vector slope(real t, vector y, matrix m) { return -folded(y, m, 2); }
      }
      parameters { matrix[3, 3] n; }
      model {
        matrix[3, 3] m = n + diag_matrix(rep_vector(2, 3));
        vector[3] x = solve_newton_tol(system, rep_vector(0.1, 3), 1e-10, 1e-10, 200, m, rep_vector(0.3, 3));
        target += dot_self(x) + sum(ode_bdf_tol(slope, x, 0, {0.5}, 1e-12, 1e-12, 10000, m)[1]);
      }`);
  });
});
