/** Tangents of matrix exponentials, eigenvalues, singular values and Fourier transforms. */
import { add, compare, div, int, mul, ONE, real, select, sub, ZERO } from '../../ir/expressions.js';
import type { Expr, KernelArgument } from '../../ir/nodes.js';
import { type KernelTangent, number, place, scratch } from './kernel-tangent.js';
import { type Matrix, matrixAt, multiply, productOf, transposed, write } from './matrices.js';

/** The upper right block of the exponential of [A, Ȧ; 0, A]. Source: Van Loan, Computing integrals involving the matrix exponential (1978). */
export const matrixExpTangent: KernelTangent = (builder, [, a, , n], [out, byA]) => {
  const size = number(n);
  const double = builder.bind(mul(int(2), size));
  const blocks = scratch(builder, double, double);
  const [value, slope] = [matrixAt(a, size), matrixAt(byA, size)];
  const { ref } = place(blocks);
  const put = (i: Expr, j: Expr, x: Expr): void => builder.store(ref, add(i, mul(j, double)), x);
  builder.each(size, (j) =>
    builder.each(size, (i) => {
      put(i, j, value(i, j));
      put(add(size, i), j, ZERO);
      put(i, add(size, j), slope(i, j));
      put(add(size, i), add(size, j), value(i, j));
    }),
  );
  const exponential = scratch(builder, double, double);
  builder.kernel('matrix_exp', [
    exponential,
    blocks,
    scratch(builder, double, add(mul(int(19), double), int(1))),
    double,
  ]);
  const found = matrixAt(exponential, double);
  write(builder, out, size, size, (i, j) => found(i, add(size, j)));
};

/** 1 / (second - first), or 0 if both are equal. */
function overDifference(first: Expr, second: Expr): Expr {
  return select(compare('eq', first, second), ZERO, div(ONE, sub(second, first)));
}

/**
 * With C = V' Ȧ V, the tangent of the eigenvalues is the diagonal of C, and that of the eigenvectors is V (F ∘ C), where F contains the
 * inverse differences of eigenvalues. F ∘ C is antisymmetric and is computed only above its diagonal, so that its adjoint cancels before it
 * is divided by small differences.
 */
export const eigenSymmetricTangent: KernelTangent = (builder, [values, vectors, , , n], [byValues, byVectors, byA]) => {
  const size = number(n);
  const v = matrixAt(vectors, size);
  const lambda = matrixAt(values, size);
  const right = multiply(builder, [size, size, size], matrixAt(byA, size), v);
  const c = multiply(builder, [size, size, size], transposed(v), right);
  write(builder, byValues, size, int(1), (i) => c(i, i));
  const zero = int(0);
  const above = scratch(builder, size, size);
  write(builder, above, size, size, (k, j) => {
    const slope = mul(real(0.5), add(c(k, j), c(j, k)));
    return select(compare('lt', k, j), mul(overDifference(lambda(k, zero), lambda(j, zero)), slope), ZERO);
  });
  const turn = matrixAt(above, size);
  write(
    builder,
    byVectors,
    size,
    size,
    productOf(builder, size, v, (k, j) => sub(turn(k, j), turn(j, k))),
  );
};

/**
 * With C = U' Ȧ V, the tangent of the singular values is the diagonal of C. The tangent of U follows from U, C and the part of Ȧ V outside
 * the range of U, and that of V likewise. If U or V is read, singular values must be distinct and positive.
 */
export const svdTangent: KernelTangent = (builder, [u, s, v, , , rows, columns], [byU, byS, byV, byA]) => {
  const [m, n] = [number(rows), number(columns)];
  const k = builder.bind(select(compare('lt', m, n), m, n), 'k');
  const [left, sigma, right, slope] = [matrixAt(u, m), matrixAt(s, k), matrixAt(v, n), matrixAt(byA, m)];
  const value = (i: Expr): Expr => sigma(i, int(0));
  const along = multiply(builder, [m, n, k], slope, right);
  const across = multiply(builder, [n, m, k], transposed(slope), left);
  const c = multiply(builder, [k, m, k], transposed(left), along);
  write(builder, byS, k, int(1), (i) => c(i, i));
  const turned = (rotation: Matrix, size: Expr, vectors: Matrix, rest: Matrix, inner: Matrix): Matrix => {
    const within = multiply(builder, [size, k, k], vectors, rotation);
    const known = multiply(builder, [size, k, k], vectors, inner);
    return (i, j) => add(within(i, j), div(sub(rest(i, j), known(i, j)), value(j)));
  };
  const over = (i: Expr, j: Expr): Expr => overDifference(mul(value(i), value(i)), mul(value(j), value(j)));
  const ofLeft: Matrix = (i, j) => mul(over(i, j), add(mul(c(i, j), value(j)), mul(value(i), c(j, i))));
  const ofRight: Matrix = (i, j) => mul(over(i, j), add(mul(value(i), c(i, j)), mul(c(j, i), value(j))));
  write(builder, byU, m, k, turned(ofLeft, m, left, along, c));
  write(builder, byV, n, k, turned(ofRight, n, right, across, transposed(c)));
};

/** The transform is linear, so the tangent is the transform of the tangents. */
export const fourierTangent: KernelTangent = (builder, args, [outRe, outIm, byRe, byIm]) => {
  if (outRe === null || outIm === null) return;
  const [rows, columns] = [number(args[5]), number(args[6])];
  const zero = (): KernelArgument => {
    const made = scratch(builder, rows, columns);
    write(builder, made, rows, columns, () => ZERO);
    return made;
  };
  builder.kernel('fft', [outRe, outIm, byRe ?? zero(), byIm ?? zero(), ...args.slice(4)]);
};
