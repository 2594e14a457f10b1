import type { Builder } from '../ir/builder.js';
import { add, apply, compare, div, exp, get, int, load, mul, neg, real, select, sub, ZERO } from '../ir/expressions.js';
import type { Expr, KernelArgument, Ref } from '../ir/nodes.js';

/**
 * Forward derivatives of kernels. They consist of loops and of kernels that have derivatives themselves, so that they can be differentiated
 * again. Source: Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation (2008), and the
 * sources of individual rules.
 */

/**
 * Emits, after a kernel, statements that write the tangents of its outputs; `tangents[k]` is that of the pointer at k, null for a constant
 * one.
 */
export type KernelTangent = (
  builder: Builder,
  args: readonly KernelArgument[],
  tangents: readonly (KernelArgument | null)[],
) => void;

/** Memory for as many numbers as the product of the factors; a factor is a size, or a sum of sizes that exist. */
export function scratch(builder: Builder, ...factors: readonly Expr[]): KernelArgument {
  const ref = builder.allocate('real', factors, 'scratch');
  return { kind: 'pointer', ref, offset: null, adjoint: false };
}

/** Memory for `size` zeros. */
export function zeros(builder: Builder, size: Expr): KernelArgument {
  const ref = builder.allocate('real', [size], 'zeros', 'zero');
  return { kind: 'pointer', ref, offset: null, adjoint: false };
}

export function number(argument: KernelArgument): Expr {
  if (argument.kind === 'pointer' || argument.kind === 'random_state') throw new Error('kernel: a number was expected');
  return argument;
}

/** The element in a row and a column. */
type Matrix = (i: Expr, j: Expr) => Expr;

/** The matrix with this number of rows at a pointer; 0 without one. */
function matrixAt(argument: KernelArgument | null, rows: Expr): Matrix {
  if (argument === null) return () => ZERO;
  const { ref, offset } = place(argument);
  return (i, j) => load(ref, add(offset, add(i, mul(j, rows))));
}

function write(builder: Builder, to: KernelArgument | null, rows: Expr, columns: Expr, matrix: Matrix): void {
  if (to === null) return;
  const { ref, offset } = place(to);
  builder.each(columns, (j) =>
    builder.each(rows, (i) => builder.store(ref, add(offset, add(i, mul(j, rows))), matrix(i, j))),
  );
}

export function place(argument: KernelArgument): { readonly ref: Ref; readonly offset: Expr } {
  if (argument.kind !== 'pointer') throw new Error('kernel: a pointer was expected');
  return { ref: argument.ref, offset: argument.offset ?? int(0) };
}

const transposed =
  (matrix: Matrix): Matrix =>
  (i, j) =>
    matrix(j, i);

/** The elements on the diagonal and below; 0 above. */
const lowerPart =
  (matrix: Matrix): Matrix =>
  (i, j) =>
    select(compare('ge', i, j), matrix(i, j), ZERO);

/** An element of the product of two matrices over an inner size. */
function productOf(builder: Builder, inner: Expr, left: Matrix, right: Matrix): Matrix {
  return (i, j) => builder.sum(inner, (p) => mul(left(i, p), right(p, j)));
}

/** The product of an m × k and a k × n matrix, in memory. */
function multiply(builder: Builder, [m, k, n]: readonly [Expr, Expr, Expr], left: Matrix, right: Matrix): Matrix {
  const out = scratch(builder, m, n);
  write(builder, out, m, n, productOf(builder, k, left, right));
  return matrixAt(out, m);
}

const minus =
  (left: Matrix, right: Matrix): Matrix =>
  (i, j) =>
    sub(left(i, j), right(i, j));

/**
 * For the product of an m × k and a k × n matrix: the tangent of either factor times the other. `shape` returns m, k and n, and the
 * position of an element of the first factor.
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

/** A' A, or A A' if `isOuter`. */
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

/** Of ‖R x‖² by its slopes 2 R'R x, which have the tangents 2 R'R ẋ. */
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

/** Of Σ ‖R x‖² by its slopes 2 R'R x, which have the tangents 2 R'R ẋ. */
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

/** Of s'x, where the numbers s come first among the sums. */
export const linearFormTangent: KernelTangent = (builder, [, sums, , n], [out, , byX]) => {
  if (byX === null || out === null) return;
  write(builder, out, int(1), int(1), productOf(builder, number(n), rowAt(sums), rowAt(byX, true)));
};

/** A vector as a matrix with one row, or with one column. */
function rowAt(argument: KernelArgument, isColumn = false): Matrix {
  const { ref, offset } = place(argument);
  return (i, j) => load(ref, add(offset, isColumn ? i : j));
}

/** Of L in A = L L': L Φ(L⁻¹ Ȧ L⁻ᵀ), where Φ takes the lower triangle and half the diagonal. */
export const choleskyTangent: KernelTangent = (builder, [factor, , n], [out, byA]) => {
  if (byA === null) return;
  const size = number(n);
  const [half, whole] = [scratch(builder, size, size), scratch(builder, size, size)];
  builder.kernel('solve_lower', [half, factor, byA, n, n]);
  builder.kernel('solve_right_lower_t', [whole, half, factor, n, n]);
  const inner = matrixAt(whole, size);
  const phi: Matrix = (i, j) =>
    mul(inner(i, j), select(compare('gt', i, j), ONE, select(compare('eq', i, j), HALF, ZERO)));
  const right = scratch(builder, size, size);
  write(builder, right, size, size, phi);
  if (out !== null) builder.kernel('gemm', [out, factor, right, n, n, n]);
};

const ONE: Expr = { kind: 'const', type: 'real', value: 1 };
const HALF: Expr = { kind: 'const', type: 'real', value: 0.5 };

/**
 * For the solution of a triangular system: it solves the system with Ḃ - L̇ X on the right-hand side, or transposed for a factor on the
 * right. `factorAt` is the position of the factor: 1 left of the solution, 2 right of it.
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

/** The tangent of the factors represents that of the matrix itself, which `lu_solve` expects. */
export const luTangent: KernelTangent = (builder, [, , , n], [out, , byA]) =>
  write(builder, out, number(n), number(n), matrixAt(byA, number(n)));

/** Ḃ - Ȧ X in new memory, with n rows and m columns. */
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

/** Of P = A⁻¹: -P Ȧ P. */
export const inverseTangent: KernelTangent = (builder, [inverse, , , n], [out, byA]) => {
  const size = number(n);
  const p = matrixAt(inverse, size);
  const left = multiply(builder, [size, size, size], p, matrixAt(byA, size));
  const product = productOf(builder, size, left, p);
  write(builder, out, size, size, (i, j) => neg(product(i, j)));
};

/** Of P = A⁺: -P Ȧ P + P P' Ȧ' (I - A P) + (I - P A) Ȧ' P' P. Source: Golub & Pereyra (1973). */
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

/** Of log |det A| the trace of A⁻¹ Ȧ, of the determinant itself times it. */
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

/** 1 / (second - first), and 0 where both are the same. */
function overDifference(first: Expr, second: Expr): Expr {
  return select(compare('eq', first, second), ZERO, div(ONE, sub(second, first)));
}

/**
 * With C = V' Ȧ V: of the eigenvalues its diagonal, of the eigenvectors V (F ∘ C), where F has the inverse differences of eigenvalues.
 * F ∘ C is antisymmetric and is computed above its diagonal alone, so that its adjoint cancels before it is divided by small differences.
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
 * With C = U' Ȧ V: of the singular values its diagonal, of U what U and the rest of Ȧ V make of it, of V likewise. Singular values are
 * distinct and positive where U or V is read.
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

/** Linear: the same transform of the tangents. */
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

/**
 * Of log p(y) in the forward recurrence of a hidden Markov model, each step scaled to sum to one (Rabiner, Proc. IEEE 77, 1989): the recurrence once
 * more, with its derivative, as the kernel's other outputs have none.
 */
export const hiddenMarkovTangent: KernelTangent = (builder, args, tangents) => {
  const [out] = tangents;
  if (out === null) return;
  const [states, steps] = [number(args[6]), number(args[7])];
  const [like, transition, initial] = args.slice(3, 6).map((argument) => matrixAt(argument, states));
  const [byLike, byTransition, byInitial] = tangents.slice(3, 6).map((argument) => matrixAt(argument, states));
  const zero = int(0);
  const [filtered, slopes] = [scratch(builder, states, steps), scratch(builder, states, steps)];
  const [shares, departures] = [scratch(builder, states, steps), scratch(builder, states, steps)];
  const [p, dp, w, dw] = [filtered, slopes, shares, departures].map((at) => matrixAt(at, states));
  const put = (at: KernelArgument, k: Expr, n: Expr, value: Expr): void =>
    builder.store(place(at).ref, add(k, mul(n, states)), value);
  const sum = builder.newLocal('real', 'along');
  builder.assign(sum, ZERO);
  builder.for(zero, steps, (n) => {
    const before = sub(n, int(1));
    const largest = builder.newLocal('real', 'largest');
    builder.assign(largest, real(Number.NEGATIVE_INFINITY));
    builder.for(zero, states, (k) => {
      const x = apply('detached', 'real', like(k, n));
      builder.assign(largest, select(compare('gt', x, get(largest)), x, get(largest)));
    });
    builder.for(zero, states, (k) => {
      const weight = builder.bind(exp(sub(like(k, n), get(largest))), 'weight');
      const [prior, change] = [builder.newLocal('real', 'prior'), builder.newLocal('real', 'change')];
      builder.if(
        compare('eq', n, zero),
        () => {
          builder.assign(prior, initial(k, zero));
          builder.assign(change, byInitial(k, zero));
        },
        () => {
          const total = builder.sum(states, (j) => mul(transition(j, k), p(j, before)));
          builder.assign(prior, total);
          const moved = builder.sum(states, (j) =>
            add(mul(byTransition(j, k), p(j, before)), mul(transition(j, k), dp(j, before))),
          );
          builder.assign(change, moved);
        },
      );
      put(shares, k, n, mul(weight, get(prior)));
      put(departures, k, n, mul(weight, add(mul(byLike(k, n), get(prior)), get(change))));
    });
    const norm = builder.bind(
      builder.sum(states, (k) => w(k, n)),
      'norm',
    );
    const rate = builder.bind(
      div(
        builder.sum(states, (k) => dw(k, n)),
        norm,
      ),
      'rate',
    );
    builder.for(zero, states, (k) => {
      const share = builder.bind(div(w(k, n), norm), 'share');
      put(filtered, k, n, share);
      put(slopes, k, n, sub(div(dw(k, n), norm), mul(share, rate)));
    });
    builder.assign(sum, add(get(sum), rate));
  });
  write(builder, out, int(1), int(1), () => get(sum));
};
