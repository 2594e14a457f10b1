import { describe, it } from 'node:test';
import { checkGradient } from './agreement.js';

/**
 * Functions of an invertible matrix m, a positive definite one and a tall one, all of which depend on the unknowns of a system. Newton's
 * method takes the derivatives of the system by forward differentiation, and so does the gradient of the root.
 */
const FUNCTIONS: readonly string[] = [
  'm * m',
  'append_row(crossprod(tall) * m[1 : 2], m[3]) + tcrossprod(m) + crossprod(m)',
  "tall * tall' + diag_matrix(m * m[, 1])",
  'cholesky_decompose(spd)',
  'chol2inv(cholesky_decompose(spd))',
  'mdivide_left(m, m2)',
  'mdivide_right(m2, m)',
  'mdivide_left(m, n) + mdivide_left(n, m)',
  'mdivide_left_tri_low(m, m2) + mdivide_right_tri_low(m2, m)',
  'mdivide_left_tri_low(n, m) + mdivide_right_tri_low(n, m)',
  'mdivide_left_spd(spd, m) + mdivide_right_spd(m, spd)',
  'inverse(m) + inverse_spd(spd)',
  "generalized_inverse(tall') * tall' + tall * generalized_inverse(tall) * m",
  'determinant(m) * n + log_determinant(m) * m',
  'log_determinant_spd(spd) * n',
  'matrix_exp(m)',
  'diag_matrix(eigenvalues_sym(spd)) + square(eigenvectors_sym(spd))',
  "diag_matrix(singular_values(m)) + square(svd_U(m)) + append_col(square(svd_V(tall')), square(svd_U(tall)) * [1, 2]')",
  'get_real(fft2(to_complex(m, n))) + get_imag(inv_fft2(m))',
  'rep_matrix(multi_normal_lpdf(m[1] | m[2], spd), 3, 3) + multi_normal_cholesky_lpdf(m[1] | n[2], cholesky_decompose(spd))',
];

describe('forward derivatives of functions of matrices', () => {
  for (const expression of FUNCTIONS) {
    it(expression, () => {
      checkGradient(`
        functions {
          vector system(vector x, vector p, matrix n, matrix by) {
            matrix[3, 3] m = n + x[1] * by + x[2] * by' + diag_matrix(square(x));
            matrix[3, 3] m2 = n' + x[3] * by;
            matrix[3, 3] spd = tcrossprod(m) + diag_matrix(exp(x));
            matrix[3, 2] tall = m[, 1 : 2];
            matrix[3, 3] r = ${expression};
            vector[3] weights = [0.7, -0.4, 1.1]';
            return x - 0.3 * tanh(0.3 * (r * weights + r' * square(weights))) - p;
          }
        }
        parameters { vector[3] p; }
        model {
          matrix[3, 3] n = [[2.1, 0.3, -0.4], [0.5, 1.7, 0.2], [-0.1, 0.9, 1.2]];
          matrix[3, 3] by = [[0.2, 0.5, -0.1], [0.3, -0.6, 0.4], [0.1, 0.7, 0.8]];
          vector[3] x = solve_newton_tol(system, p, 1e-10, 1e-10, 200, p, n, by);
          target += dot_self(x) + sin(x[1] * x[3]);
        }`);
    });
  }

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
