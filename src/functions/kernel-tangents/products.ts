/** Tangents of products and quadratic forms. */
import { add, compare, int, load, mul, select, ZERO } from '../../ir/expressions.js';
import type { Expr, KernelArgument } from '../../ir/nodes.js';
import { type KernelTangent, number, place, scratch, zeros } from './kernel-tangent.js';
import { type Matrix, matrixAt, productOf, rowAt, transposed, write } from './matrices.js';

/**
 * Tangent of the product of an m × k and a k × n matrix: the sum of the products of one factor and the tangent of the other. `shape`
 * returns m, k, n and the position of an element of the first factor.
 */
export function productTangent(
  shape: (sizes: readonly Expr[]) => {
    readonly m: Expr;
    readonly k: Expr;
    readonly n: Expr;
    readonly left: (i: Expr, p: Expr) => Expr;
  },
): KernelTangent {
  return (builder, [, a, b, ...rest], [out, byA, byB]) => {
    if (out === null) return;
    const { m, k, n, left } = shape(rest.map(number));
    const element = (argument: KernelArgument, index: Expr): Expr => {
      const { ref, offset } = place(argument);
      return load(ref, add(offset, index));
    };
    write(builder, out, m, n, (i, j) =>
      builder.sum(k, (p) => {
        const [first, second] = [left(i, p), add(p, mul(j, k))];
        const byFirst = byA === null ? ZERO : mul(element(byA, first), element(b, second));
        return byB === null ? byFirst : add(byFirst, mul(element(a, first), element(byB, second)));
      }),
    );
  };
}

/** Tangent of a sparse product: the product of the matrix of data and the tangent of the other factor. */
export const sparseProductTangent: KernelTangent = (builder, [, rows, a, , work, ...sizes], [out, , , byB]) => {
  if (out !== null && byB !== null) builder.kernel('sparse_gemm', [out, rows, a, byB, work, ...sizes]);
};

/** Tangent of A' A, or of A A' if `isOuter`. */
export function crossproductTangent(isOuter: boolean): KernelTangent {
  return (builder, [, a, rows, columns], [out, byA]) => {
    const [m, n] = [number(rows), number(columns)];
    const orient = (matrix: Matrix): Matrix => (isOuter ? transposed(matrix) : matrix);
    const [value, slope] = [a, byA].map((argument) => orient(matrixAt(argument, m)));
    const [inner, size] = isOuter ? [n, m] : [m, n];
    write(builder, out, size, size, (i, j) =>
      builder.sum(inner, (p) => add(mul(slope(p, i), value(p, j)), mul(value(p, i), slope(p, j)))),
    );
  };
}

/** Tangent of ‖R x‖² and of its slopes 2 R'R x; the latter is 2 R'R ẋ. */
export const residualFormTangent: KernelTangent = (
  builder,
  [, slopes, factor, largest, , n],
  [out, bySlopes, , , byX],
) => {
  if (byX === null) return;
  if (out !== null) {
    const slope = productOf(builder, number(n), rowAt(slopes), rowAt(byX, true))(int(0), int(0));
    write(builder, out, int(3), int(1), (i) => select(compare('eq', i, int(0)), slope, ZERO));
  }
  if (bySlopes !== null) builder.kernel('residual_form', [scratch(builder, int(3)), bySlopes, factor, largest, byX, n]);
};

/** Tangent of Σ ‖R x‖² and of its slopes 2 R'R x; the latter is 2 R'R ẋ. */
export const groupFormTangent: KernelTangent = (
  builder,
  [, shared, own, factors, largest, , , n, m, groups],
  [out, byShared, byOwn, , , byX, byY],
) => {
  if (byX === null && byY === null) return;
  const all = mul(number(m), number(groups));
  const [dx, dy] = [byX ?? zeros(builder, number(n)), byY ?? zeros(builder, all)];
  if (out !== null) {
    const slope = add(
      productOf(builder, number(n), rowAt(shared), rowAt(dx, true))(int(0), int(0)),
      productOf(builder, all, rowAt(own), rowAt(dy, true))(int(0), int(0)),
    );
    write(builder, out, int(3), int(1), (i) => select(compare('eq', i, int(0)), slope, ZERO));
  }
  const [sharedTangent, ownTangent] = [byShared ?? scratch(builder, number(n)), byOwn ?? scratch(builder, all)];
  builder.kernel('group_form', [
    scratch(builder, int(3)),
    sharedTangent,
    ownTangent,
    factors,
    largest,
    dx,
    dy,
    n,
    m,
    groups,
  ]);
};

/** Tangent of s'x, where s is the first part of the sums. */
export const linearFormTangent: KernelTangent = (builder, [, sums, , n], [out, , byX]) => {
  if (byX === null || out === null) return;
  write(builder, out, int(1), int(1), productOf(builder, number(n), rowAt(sums), rowAt(byX, true)));
};
