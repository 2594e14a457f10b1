import { it } from 'node:test';
import { checkGradient } from './agreement.js';

it('eigenvalues and eigenvectors of one matrix have the derivatives of both', () => {
  checkGradient(`
    parameters { vector[4] x; real a; }
    model {
      matrix[4, 4] K = x * x' + diag_matrix([1, 2.5, 4, 7]');
      matrix[4, 4] V = eigenvectors_sym(K);
      vector[4] d = eigenvalues_sym(K);
      target += -sum(square(a * V .* V + 0.3)) - dot_self(d) * a - sum(V * log(d));
    }`);
});
