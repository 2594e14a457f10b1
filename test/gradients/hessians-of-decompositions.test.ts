import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { checkHessianOf } from './agreement.js';

const POSITION = Float64Array.of(1.3, -0.7, 0.4);
const MATRICES = `
  matrix[3, 2] tall = [[a, 0.3], [b, c], [0.5, a * b]];
  matrix[2, 3] wide = tall';
  matrix[3, 3] q = [[a, 0.3, b], [0.1, c, a * b], [0.7, 0.2, 1]];
  complex_matrix[2, 2] z = [[to_complex(a, b), to_complex(c, 0.1)], [to_complex(0.2, a), to_complex(b, c)]];
  complex_matrix[2, 2] hermitian = [[to_complex(a, 0), to_complex(c, b)], [to_complex(c, -b), to_complex(b, 0)]];
`;

function compiled(term: string) {
  const program = `parameters { real a; real b; real c; } model { ${MATRICES} target += ${term}; }`;
  return compileProgram(program, { secondDerivatives: true });
}

describe('second derivatives of singular values and vectors', () => {
  const exact = [
    "dot_product(singular_values(tall), [1, 2]')",
    "dot_product(square(singular_values(wide)), [1, -2]')",
    "sum(square(svd_U(tall)) * [1, 3]') + svd_U(tall)[1, 1] * svd_U(tall)[2, 1]",
    'sum(square(svd_V(tall)) .* [[1, 2], [3, 5]]) + svd_V(tall)[1, 1] * svd_V(tall)[2, 1]',
    'square(svd_V(wide)[3, 2]) + square(svd_U(wide)[1, 2])',
    'square(svd(tall).1[3, 2]) + svd(tall).2[2] * svd(tall).3[1, 1] * svd(tall).3[2, 1]',
    "dot_product(singular_values(q), [1, 2, 3]') + square(svd_U(q)[1, 2])",
  ];
  for (const term of exact) {
    it(`are exact: ${term}`, () => {
      const found = compiled(term);
      assert.deepEqual(found.artifact.hessian, { kind: 'exact' });
      assert.ok(checkHessianOf(buildModel(found, '{}'), POSITION, 1e-7) >= 3);
    });
  }

  it('of a matrix of two rows agree with mpmath to 1e-12', () => {
    const model = buildModel(
      compileProgram('parameters { real a; real b; } model { target += singular_values([[a, b], [1, 2]])[1]; }', {
        secondDerivatives: true,
      }),
      '{}',
    );
    const hessian = new Float64Array(4);
    model.hessian(Float64Array.of(0.3, -0.7), hessian, { propto: false, jacobian: true });
    // Derivatives of the closed form with 60 digits.
    const expected = [0.070511936234706, 0.133133177704822, 0.133133177704822, 0.393951187265807];
    for (const [k, value] of expected.entries()) assert.ok(Math.abs(hessian[k] - value) < 1e-12, `${hessian}`);
  });
});

describe('second derivatives of decompositions without forward derivatives', () => {
  const refused: readonly (readonly [term: string, kernel: string])[] = [
    ['get_real(eigenvalues(q)[1])', 'eigen_real'],
    ['norm(eigenvectors(q)[1, 1])', 'eigen_real'],
    ['get_real(eigendecompose(q).2[2])', 'eigen_real'],
    ['get_real(eigenvalues(z)[1])', 'eigen_complex'],
    ['norm(eigenvectors(z)[1, 1])', 'eigen_complex'],
    ['get_real(eigenvalues_sym(hermitian)[1])', 'eigen_hermitian'],
    ['norm(eigenvectors_sym(hermitian)[1, 1])', 'eigen_hermitian'],
    ['singular_values(z)[1]', 'complex_svd'],
    ['norm(svd_U(z)[1, 1]) + norm(svd_V(z)[1, 1])', 'complex_svd'],
    ['norm(complex_schur_decompose_t(z)[1, 2])', 'complex_schur'],
  ];
  for (const [term, kernel] of refused) {
    it(`are not compiled, for a stated reason: ${term}`, () => {
      const { artifact } = compiled(term);
      assert.deepEqual(artifact.hessian, { kind: 'differences', reason: `the kernel ${kernel} has none` });
    });
  }
});
