import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { checkGradient, checkGradientOf, checkHessianOf } from './agreement.js';

const [ROWS, COLUMNS] = [14, 9];

/** Rows of which only every fifth element is not 0. */
const sparse = Array.from({ length: ROWS }, (_, i) =>
  Array.from({ length: COLUMNS }, (_, j) => ((i + 2 * j) % 5 === 0 ? Math.cos(i + j) : 0)),
);
const data = JSON.stringify({ N: ROWS, K: COLUMNS, X: sparse, y: sparse.map((_, i) => Math.sin(i)) });

describe('products of matrices of data with many zeros', () => {
  const declarations = 'data { int N; int K; matrix[N, K] X; vector[N] y; }';
  for (const [name, parameters, body] of [
    ['with a vector', 'vector[K] b;', 'y ~ student_t(4, X * b, 1);'],
    ['with a matrix of three columns', 'matrix[K, 3] B;', 'target += -sum(square(tanh(X * B) - rep_matrix(y, 3)));'],
    ['with a matrix of ten columns', 'matrix[K, 10] B;', 'target += -sum(square(tanh(X * B) - rep_matrix(y, 10)));'],
  ] as const)
    it(name, () => {
      const program = `${declarations}\nparameters { ${parameters} }\nmodel { ${body} }`;
      const compiled = compileProgram(program, { secondDerivatives: true });
      const model = buildModel(compiled, data);
      checkGradientOf(model);
      assert.equal(compiled.artifact.hessian?.kind, 'exact');
      const position = Float64Array.from({ length: model.dimension }, (_, i) => 0.4 * Math.sin(3 * i + 1));
      assert.ok(checkHessianOf(model, position) > 4);
    });
});

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
