import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkGradient } from '../../../test/gradients/agreement.js';
import { Stopped } from '../../../test/support/evaluate.js';
import { evaluate, type Given, int, ints, matrix, parameter, vector } from '../../../test/support/evaluated-call.js';

/** Programs whose density depends on each element of the result in a different way. */
const RESULTS: readonly string[] = [
  'w(x * y)',
  'w(quad_form(x, y)) + quad_form(x, v)',
  'w(quad_form_sym(spd, y)) + quad_form_sym(spd, v)',
  'w(quad_form_diag(x, v)) + trace_quad_form(x, y) + trace_gen_quad_form(wide * tall, x, tall)',
  'trace_dot(tall, wide)',
  'w(matrix_power(x, 4))',
  'w(cholesky_decompose(spd)) + w(chol2inv(cholesky_decompose(spd)))',
  'w(mdivide_left(x, y)) + w(mdivide_right(y, x)) + w(mdivide_left_tri_low(x, y)) + w(mdivide_right_tri_low(y, x))',
  'w(mdivide_left_spd(spd, y)) + w(mdivide_right_spd(y, spd)) + sum(mdivide_left_spd(spd, v))',
  'w(inverse(x)) + w(inverse_spd(spd))',
  'w(generalized_inverse(x)) + w(generalized_inverse(tall)) + w(generalized_inverse(wide))',
  'determinant(x) + log_determinant(x) + log_determinant_spd(spd)',
  'sum(v .* eigenvalues_sym(spd)) + w(square(eigenvectors_sym(spd)))',
  'w(square(eigendecompose_sym(spd).1)) + w(to_matrix(eigendecompose_sym(spd).2))',
  'w(to_matrix(singular_values(tall))) + w(square(svd_U(tall))) + w(square(svd_V(wide)))',
  "w(svd(wide).1 * diag_matrix(exp(svd(wide).2)) * svd(wide).3')",
  'w(qr_Q(tall)) + w(qr_R(tall)) + w(qr_Q(wide)) + w(qr_R(wide))',
  'w(qr(x).1) + w(qr(x).2)',
  'w(qr_thin_Q(tall)) + w(qr_thin_R(tall)) + w(qr_thin(wide).1) + w(qr_thin(wide).2)',
  'w(matrix_exp(x)) + w(matrix_exp(9 * x))',
  'w(matrix_exp_multiply(x, y)) + w(scale_matrix_exp_multiply(-v[1], x, y))',
  'w(to_matrix(csr_extract(x).1)) + w(csr_to_dense_matrix(3, 4, head(v, 3), {1, 4, 2}, {1, 3, 3, 4}))',
  'sum(csr_matrix_times_vector(3, 4, head(v, 3), {1, 4, 2}, {1, 3, 3, 4}, to_vector(x)[1 : 4]))',
];

for (const result of RESULTS) {
  test(`gradient of ${result}`, () => {
    checkGradient(`
      functions {
        real w(matrix m) {
          real s = 0;
          for (i in 1 : rows(m)) for (j in 1 : cols(m)) s += (0.7 + 0.29 * i - 0.13 * j) * m[i, j];
          return s;
        }
      }
      parameters { matrix[3, 3] x0; matrix[3, 3] y; vector[3] v; matrix[3, 2] tall; matrix[2, 3] wide0; }
      transformed parameters {
        matrix[3, 3] x = x0 + [[2, 0.3, -0.4], [0.5, 1.7, 0.2], [-0.1, 0.9, 1.2]];
        matrix[2, 3] wide = wide0 + [[1, 0.2, 0.6], [-0.5, 0.8, 2]];
        matrix[3, 3] spd = tcrossprod(x);
      }
      model { target += ${result.replaceAll('tall', '(tall + [[1, -0.4], [0.2, 2], [0.7, 0.1]])')}; }`);
  });
}

const SKEW = matrix(2, 1, 2, 3, 4);
const INDEFINITE = matrix(2, 1, 2, 2, 1);
const WIDE = matrix(1, 1, 2);

const REFUSED: readonly (readonly [string, readonly Given[], string])[] = [
  ['multiply', [parameter(SKEW), vector(1, 2, 3)], 'multiply: Columns of A (2) and Rows of B (3) must match in size'],
  ['eigenvectors_sym', [SKEW], 'eigenvalues_sym: m is not symmetric. m[1,2] = 3, but m[2,1] = 2'],
  ['eigenvectors_sym', [parameter(SKEW)], 'eigenvectors_sym: m is not symmetric. m[1,2] = 3, but m[2,1] = 2'],
  ['cholesky_decompose', [SKEW], 'cholesky_decompose: m is not symmetric. m[1,2] = 3, but m[2,1] = 2'],
  ['cholesky_decompose', [parameter(SKEW)], 'cholesky_decompose: A is not symmetric. A[1,2] = 3, but A[2,1] = 2'],
  ['cholesky_decompose', [matrix(1, Number.NaN)], 'cholesky_decompose: m[1, 1] is nan, but must be not nan!'],
  ['cholesky_decompose', [INDEFINITE], 'cholesky_decompose: Matrix m is not positive definite'],
  ['mdivide_left', [SKEW, vector(1)], 'mdivide_left: Columns of A (2) and Rows of b (1) must match in size'],
  ['mdivide_left', [parameter(SKEW), vector(1)], 'mdivide_left: Columns of A (2) and Rows of B (1) must match in size'],
  ['mdivide_right_spd', [SKEW, INDEFINITE], 'mdivide_left_spd: Matrix A is not positive definite'],
  ['inverse_spd', [INDEFINITE], 'invese_spd: matrix not positive definite '],
  ['log_determinant_spd', [SKEW], 'log_determinant_spd: m is not symmetric. m[1,2] = 3, but m[2,1] = 2'],
  ['log_determinant_spd', [parameter(SKEW)], 'log_determinant: M is not symmetric. M[1,2] = 3, but M[2,1] = 2'],
  ['matrix_power', [SKEW, int(-1)], 'matrix_power: n is -1, but must be nonnegative!'],
  [
    'matrix_power',
    [matrix(2, 1, 2, Number.POSITIVE_INFINITY, 1), int(2)],
    'matrix_power: M[1, 2] is inf, but must be finite!',
  ],
  [
    'matrix_exp',
    [WIDE],
    'matrix_exp: Expecting a square matrix; rows of input matrix (1) and columns of input matrix (2) must match in size',
  ],
  [
    'csr_to_dense_matrix',
    [int(1), int(2), vector(1), ints(0), ints(1, 2)],
    'csr_to_dense_matrix: accessing element out of range. index 0 out of range; expecting index to be between 1 and 2',
  ],
  [
    'csr_to_dense_matrix',
    [int(2), int(2), vector(1), ints(1), ints(1, 900, 2)],
    'csr_to_dense_matrix: accessing element out of range. index 900 out of range; expecting index to be between 1 and 2',
  ],
  [
    'rank',
    [ints(3, 1), int(0)],
    'rank: accessing element out of range. index 0 out of range; expecting index to be between 1 and 2',
  ],
  [
    'rank',
    [ints(), int(1)],
    'rank: accessing element out of range. index 1 out of range; container is empty and cannot be indexed',
  ],
];

for (const [name, args, message] of REFUSED) {
  test(message, () => {
    assert.throws(() => evaluate(name, ...args), new Stopped(message));
  });
}

test('the determinant of data that are not positive definite is NaN', () => {
  assert.equal(evaluate('log_determinant_spd', INDEFINITE).value, Number.NaN);
});

test('the pseudo-inverse of a singular matrix', () => {
  const { value } = evaluate('generalized_inverse', matrix(2, 1, 1, 1, 1));
  assert.ok(Array.isArray(value) && value.every((x) => Math.abs(x - 0.25) < 1e-15));
});

test('decompositions of an empty matrix are empty', () => {
  assert.deepEqual(evaluate('svd_V', matrix(0)).value, []);
});
