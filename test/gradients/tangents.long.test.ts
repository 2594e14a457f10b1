import { describe } from 'node:test';
import { testTangents } from './tangents.js';

describe('forward derivatives of more functions of matrices', () =>
  testTangents([
    'append_row(crossprod(tall) * m[1 : 2], m[3]) + tcrossprod(m) + crossprod(m)',
    "tall * tall' + diag_matrix(m * m[, 1])",
    'cholesky_decompose(spd)',
    'chol2inv(cholesky_decompose(spd))',
    'mdivide_right(m2, m)',
    'mdivide_left(m, n) + mdivide_left(n, m)',
    'mdivide_left_tri_low(m, m2) + mdivide_right_tri_low(m2, m)',
    'mdivide_left_tri_low(n, m) + mdivide_right_tri_low(n, m)',
    'mdivide_left_spd(spd, m) + mdivide_right_spd(m, spd)',
    'inverse(m) + inverse_spd(spd)',
    "generalized_inverse(tall') * tall' + tall * generalized_inverse(tall) * m",
    'determinant(m) * n + log_determinant(m) * m',
    "diag_matrix(singular_values(m)) + square(svd_U(m)) + append_col(square(svd_V(tall')), square(svd_U(tall)) * [1, 2]')",
    'get_real(fft2(to_complex(m, n))) + get_imag(inv_fft2(m))',
    'rep_matrix(multi_normal_lpdf(m[1] | m[2], spd), 3, 3) + multi_normal_cholesky_lpdf(m[1] | n[2], cholesky_decompose(spd))',
  ]));
