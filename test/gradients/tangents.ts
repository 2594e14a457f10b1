import { it } from 'node:test';
import { checkGradient } from './agreement.js';

/**
 * Tests of functions of an invertible matrix m, a positive definite one and a tall one, all of which depend on the unknowns of a system.
 * Newton's method takes the derivatives of the system by forward differentiation, and so does the gradient of the root.
 */
export function testTangents(functions: readonly string[]): void {
  for (const expression of functions) {
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
}
