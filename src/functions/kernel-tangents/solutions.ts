/** Tangents of factorizations, solutions of linear equations, inverses and determinants. */
import type { Builder } from '../../ir/builder.js';
import { add, compare, int, mul, neg, ONE, real, select, sub, ZERO } from '../../ir/expressions.js';
import type { Expr, KernelArgument } from '../../ir/nodes.js';
import { type KernelTangent, number, scratch } from './kernel-tangent.js';
import { lowerPart, type Matrix, matrixAt, minus, multiply, productOf, transposed, write } from './matrices.js';

/** Tangent of L in A = L L': L Φ(L⁻¹ Ȧ L⁻ᵀ), where Φ takes the lower triangle and half the diagonal. */
export const choleskyTangent: KernelTangent = (builder, [factor, , n], [out, byA]) => {
  if (byA === null) return;
  const size = number(n);
  const [half, whole] = [scratch(builder, size, size), scratch(builder, size, size)];
  builder.kernel('solve_lower', [half, factor, byA, n, n]);
  builder.kernel('solve_right_lower_t', [whole, half, factor, n, n]);
  const inner = matrixAt(whole, size);
  const phi: Matrix = (i, j) =>
    mul(inner(i, j), select(compare('gt', i, j), ONE, select(compare('eq', i, j), real(0.5), ZERO)));
  const right = scratch(builder, size, size);
  write(builder, right, size, size, phi);
  if (out !== null) builder.kernel('gemm', [out, factor, right, n, n, n]);
};

/**
 * Tangent of the solution X of a triangular system: the solution with the right-hand side Ḃ - L̇ X, or the transposed form for a factor on
 * the right. `factorAt` is the position of the factor: 1 left of the solution, 2 right of it.
 */
export function triangularTangent(name: string, factorAt: 1 | 2, isTransposed: boolean): KernelTangent {
  const rightAt = factorAt === 1 ? 2 : 1;
  return (builder, args, tangents) => {
    const [solution] = args;
    const [out] = tangents;
    if (out === null) return;
    const [rows, columns] = [number(args[3]), number(args[4])];
    const size = factorAt === 1 ? rows : columns;
    const lower = lowerPart(matrixAt(tangents[factorAt], size));
    const slope = isTransposed ? transposed(lower) : lower;
    const x = matrixAt(solution, rows);
    const right = scratch(builder, rows, columns);
    const [first, second] = factorAt === 1 ? [slope, x] : [x, slope];
    const b = matrixAt(tangents[rightAt], rows);
    const isConstant = tangents[factorAt] === null;
    write(builder, right, rows, columns, isConstant ? b : minus(b, productOf(builder, size, first, second)));
    const operands = factorAt === 1 ? [args[1], right] : [right, args[2]];
    builder.kernel(name, [out, ...operands, rows, columns]);
  };
}

/** The tangent of the factors is represented by the tangent of the matrix, as `lu_solve` expects. */
export const luTangent: KernelTangent = (builder, [, , , n], [out, , byA]) =>
  write(builder, out, number(n), number(n), matrixAt(byA, number(n)));

/** Ḃ - Ȧ X in new memory: n rows, m columns. */
function residualSlope(
  builder: Builder,
  [solution, byA, byB]: readonly [KernelArgument, KernelArgument | null, KernelArgument | null],
  [n, m]: readonly [Expr, Expr],
): KernelArgument {
  const right = scratch(builder, n, m);
  const b = matrixAt(byB, n);
  const product = productOf(builder, n, matrixAt(byA, n), matrixAt(solution, n));
  write(builder, right, n, m, byA === null ? b : minus(b, product));
  return right;
}

export const luSolveTangent: KernelTangent = (builder, [solution, factors, pivots, , n, m], [out, byA, , byB]) => {
  if (out === null) return;
  const right = residualSlope(builder, [solution, byA, byB], [number(n), number(m)]);
  builder.kernel('lu_solve', [out, factors, pivots, right, n, m]);
};

export const spdSolveTangent: KernelTangent = (builder, [solution, , a, , n, m], [out, , byA, byB]) => {
  if (out === null) return;
  const right = residualSlope(builder, [solution, byA, byB], [number(n), number(m)]);
  builder.kernel('spd_solve', [out, scratch(builder, number(n), number(n)), a, right, n, m]);
};

/** Tangent of P = A⁻¹: -P Ȧ P. */
export const inverseTangent: KernelTangent = (builder, [inverse, , , n], [out, byA]) => {
  const size = number(n);
  const p = matrixAt(inverse, size);
  const left = multiply(builder, [size, size, size], p, matrixAt(byA, size));
  const product = productOf(builder, size, left, p);
  write(builder, out, size, size, (i, j) => neg(product(i, j)));
};

/** Tangent of P = A⁺: -P Ȧ P + P P' Ȧ' (I - A P) + (I - P A) Ȧ' P' P. Source: Golub & Pereyra (1973). */
export const generalizedInverseTangent: KernelTangent = (builder, [inverse, a, , rows, columns], [out, byA]) => {
  const [m, n] = [number(rows), number(columns)];
  const [p, value, slope] = [matrixAt(inverse, n), matrixAt(a, m), matrixAt(byA, m)];
  const ap = multiply(builder, [m, n, m], value, p);
  const pa = multiply(builder, [n, m, n], p, value);
  const without =
    (matrix: Matrix): Matrix =>
    (i, j) =>
      sub(select(compare('eq', i, j), ONE, ZERO), matrix(i, j));
  const pslope = multiply(builder, [n, m, n], p, slope);
  const outer = multiply(builder, [n, n, m], multiply(builder, [n, m, n], p, transposed(p)), transposed(slope));
  const inner = multiply(builder, [n, m, m], transposed(slope), multiply(builder, [m, n, m], transposed(p), p));
  const terms = [
    productOf(builder, n, pslope, p),
    productOf(builder, m, outer, without(ap)),
    productOf(builder, n, without(pa), inner),
  ];
  write(builder, out, n, m, (i, j) => add(sub(terms[1](i, j), terms[0](i, j)), terms[2](i, j)));
};

/** Tangent of log |det A|: the trace of A⁻¹ Ȧ; of the determinant: the trace times the determinant. */
export function determinantTangent(of: 'logarithm' | 'value'): KernelTangent {
  return (builder, [out, , , a, n], [to, , , byA]) => {
    const size = number(n);
    const inverse = scratch(builder, size, size);
    builder.kernel('inverse', [inverse, a, scratch(builder, size, add(size, int(1))), n]);
    const trace = traceOfProduct(builder, size, matrixAt(inverse, size), matrixAt(byA, size));
    const value = matrixAt(out, int(1))(int(0), int(0));
    write(builder, to, int(1), int(1), () => (of === 'value' ? mul(value, trace) : trace));
  };
}

export const logDeterminantSpdTangent: KernelTangent = (builder, [, , a, n], [to, , byA]) => {
  if (byA === null) return;
  const size = number(n);
  const solution = scratch(builder, size, size);
  builder.kernel('spd_solve', [solution, scratch(builder, size, size), a, byA, n, n]);
  const x = matrixAt(solution, size);
  write(builder, to, int(1), int(1), () => builder.sum(size, (i) => x(i, i)));
};

function traceOfProduct(builder: Builder, size: Expr, left: Matrix, right: Matrix): Expr {
  return builder.bind(builder.sum(size, (i) => productOf(builder, size, left, right)(i, i)));
}
