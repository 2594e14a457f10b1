import { test } from 'node:test';
import { checkGradient } from '../../../test/gradients/agreement.js';

/** Programs that add functions of complex parameters to `target`. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'elementary functions': `
parameters { complex z; complex w; }
model {
  array[14] complex r = {exp(z), log(z), sqrt(w), sin(z), cos(w), tan(z), sinh(w), cosh(z), tanh(w), asin(z), acos(w),
                         atan(z), asinh(w), atanh(z)};
  for (i in 1:14) target += 0.1 * i * get_real(r[i]) - 0.2 * get_imag(r[i]);
  target += get_imag(acosh(z)) + abs(w) + arg(z) + norm(w) + get_real(log10(z));
}`,
  'powers, quotients and polar coordinates': `
parameters { complex z; complex w; real r; }
model {
  complex p = z ^ w + z ^ 3 + z ^ -2 + (2 + r) ^ w + w / (z + 1) + polar(square(r) + 1, arg(z));
  target += get_real(p) + 2 * get_imag(proj(p) * conj(z));
}`,
  'products of matrices': `
parameters { complex_matrix[2, 3] A; complex_vector[3] v; complex_matrix[3, 3] B; }
model {
  complex_vector[2] x = A * v;
  complex_matrix[2, 3] y = mdivide_right(A, add_diag(B, 3));
  complex p = prod(v) + dot_product(v, B[ : , 1]) + x' * x + trace(B * B') + sum(columns_dot_product(A, y));
  target += get_real(p) - 0.4 * get_imag(p) + get_real(sum(diag_pre_multiply(x, y) ./ (y + 3)));
}`,
  'Fourier transforms of lengths with and without large factors': `
parameters { complex_vector[8] a; complex_vector[7] b; complex_matrix[3, 4] c; }
model {
  target += sum(abs(fft(a)) ^ 2 .* linspaced_vector(8, 1, 2)) + get_imag(sum(inv_fft(b) .* b)) + get_real(sum(fft2(c) .* c))
            + sum(abs(inv_fft2(c)));
}`,
  'eigenvalues and eigenvectors of a real matrix': `
parameters { matrix[4, 4] a; }
model {
  tuple(complex_matrix[4, 4], complex_vector[4]) e = eigendecompose(a + 0.4 * to_matrix(linspaced_vector(16, -1, 2) .^ 3, 4, 4));
  for (j in 1:4) for (i in 1:4) target += (i + 0.3 * j) * norm(e.1[i, j]) * abs(e.2[j]) + get_real(exp(e.2[j] * 0.3));
}`,
  'eigenvalues and eigenvectors of a complex matrix': `
parameters { complex_matrix[3, 3] a; }
model {
  tuple(complex_matrix[3, 3], complex_vector[3]) e = eigendecompose(a + to_complex(0.2, 0.1) * diag_matrix([1, 4, 9i]'));
  for (j in 1:3) for (i in 1:3) target += (i + 0.3 * j) * norm(e.1[i, j]) + get_imag(exp(e.2[j] * 0.3));
}`,
  'Schur decomposition': `
parameters { complex_matrix[3, 3] a; matrix[3, 3] b; }
model {
  tuple(complex_matrix[3, 3], complex_matrix[3, 3]) s = complex_schur_decompose(a + diag_matrix([1, 4, 9i]'));
  complex_matrix[3, 3] t = complex_schur_decompose_t(b + diag_matrix([1, 2, 4]'));
  for (j in 1:3) for (i in 1:3) {
    target += (i + 0.3 * j) * norm(s.1[i, j]) + 0.2 * i * norm(s.2[i, j]) - (i - 0.4 * j) * norm(t[i, j]);
  }
}`,
  'singular value decomposition, square, tall and wide': `
parameters { complex_matrix[3, 3] a; complex_matrix[3, 2] b; complex_matrix[2, 3] c; }
model {
  tuple(complex_matrix[3, 3], vector[3], complex_matrix[3, 3]) d = svd(a + diag_matrix([1, 4, 9i]'));
  complex_matrix[3, 2] u = svd_U(b);
  complex_matrix[3, 2] v = svd_V(c);
  for (j in 1:3) for (i in 1:3) target += (i + 0.3 * j) * norm(d.1[i, j]) + get_imag(d.1[i, j] * conj(d.3[2, j])) * d.2[j];
  for (j in 1:2) for (i in 1:3) target += (i + 0.3 * j) * norm(u[i, j]) - (j - 0.4 * i) * norm(v[i, j]);
  target += dot_self(singular_values(b)) + sum(singular_values(c));
}`,
};

for (const [name, program] of Object.entries(PROGRAMS)) {
  test(`gradient against central differences, 1e-6: ${name}`, () => checkGradient(program));
}
