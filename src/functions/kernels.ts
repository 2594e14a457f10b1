import type { Builder } from '../ir/builder.js';
import { add, compare, int, load, mul, neg, real, select } from '../ir/expressions.js';
import type { Expr, KernelArgument } from '../ir/nodes.js';
import { hiddenMarkovTangent } from './kernel-tangents/hidden-markov.js';
import { type KernelTangent, number, place, scratch, zeros } from './kernel-tangents/kernel-tangent.js';
import {
  crossproductTangent,
  groupFormTangent,
  linearFormTangent,
  productTangent,
  residualFormTangent,
  sparseProductTangent,
} from './kernel-tangents/products.js';
import {
  choleskyTangent,
  determinantTangent,
  generalizedInverseTangent,
  inverseTangent,
  logDeterminantSpdTangent,
  luSolveTangent,
  luTangent,
  spdSolveTangent,
  triangularTangent,
} from './kernel-tangents/solutions.js';
import { eigenSymmetricTangent, fourierTangent, matrixExpTangent, svdTangent } from './kernel-tangents/spectra.js';

/**
 * A linear-algebra kernel that IR calls by name, with the properties that differentiation requires. A kernel reads and writes memory
 * through its pointer arguments. It may read an output only after writing it.
 */
export interface Kernel {
  /** Positions of the pointer arguments that the kernel writes. It writes every element. */
  readonly outputs: readonly number[];
  /**
   * Emits the reverse: kernel calls that add to the adjoints of the active inputs, given the adjoints of the outputs. `active[k]` is true
   * if argument k is an active pointer. Allocates scratch memory through the builder. Null for kernels without derivatives: ints, random
   * draws, and values whose derivative the caller adds.
   */
  readonly adjoint: ((builder: Builder, args: readonly KernelArgument[], active: readonly boolean[]) => void) | null;
  /** Absent if no rule exists. */
  readonly tangent?: KernelTangent;
}

/** The address of the adjoint of a pointer argument. */
function adjointOf(argument: KernelArgument): KernelArgument {
  return argument.kind === 'pointer' ? { ...argument, adjoint: true } : argument;
}

/** The adjoint of the number at a pointer. */
function valueAdjointOf(argument: KernelArgument): Expr {
  const { ref, offset } = place(argument);
  return { kind: 'load_adjoint', type: 'real', ref, index: offset };
}

const SKIPPED: KernelArgument = int(0);

/** The address of the adjoint if the argument is active, otherwise a null pointer, which kernels skip. */
function adjointOrSkip(argument: KernelArgument, isActive: boolean): KernelArgument {
  return isActive ? adjointOf(argument) : SKIPPED;
}

export function larger(a: Expr, b: Expr): Expr {
  return select(compare('gt', a, b), a, b);
}

export function smaller(a: Expr, b: Expr): Expr {
  return select(compare('lt', a, b), a, b);
}

/** Sizes of the working memory of a Fourier transform: 2 · rows · columns + 26 max(rows, columns) numbers. */
export function fourierWork(rows: Expr, columns: Expr): readonly Expr[] {
  return [larger(rows, columns), add(mul(int(2), smaller(rows, columns)), int(26))];
}

/** The size of the working memory of a sparse product of an m × k matrix and a k × n matrix. */
export function sparseWork(k: Expr, n: Expr, size: Expr): Expr {
  if (n.kind === 'const' && n.value === 1) return int(0);
  return select(compare('eq', size, int(0)), int(0), mul(int(8), k));
}

/**
 * Computes log |det A| or det A. The derivative of log |det A| is the transposed inverse; that of det A is the determinant times the
 * transposed inverse.
 */
function determinant(of: 'logarithm' | 'value'): Kernel {
  return {
    outputs: [0, 1, 2],
    tangent: determinantTangent(of),
    adjoint: (builder, [out, factors, pivots, a, n], active) => {
      if (!active[3] || out.kind !== 'pointer') return;
      const work = scratch(builder, number(n), number(n));
      const byOut: Expr = { kind: 'load_adjoint', type: 'real', ref: out.ref, index: int(0) };
      const weight = of === 'value' ? mul(byOut, load(out.ref, int(0))) : byOut;
      builder.kernel('determinant_adjoint', [adjointOf(a), factors, pivots, weight, work, n]);
    },
  };
}

/** A triangular solve. `factorAt` is the position of the factor: 1 left of the solution, 2 right of it. */
function triangularSolve(name: string, factorAt: 1 | 2, isTransposed: boolean): Kernel {
  const rightAt = 3 - factorAt;
  return {
    outputs: [0],
    tangent: triangularTangent(name, factorAt, isTransposed),
    adjoint: (builder, args, active) => {
      const [solution] = args;
      const [a, b] = [number(args[3]), number(args[4])];
      builder.kernel(`${name}_adjoint`, [
        adjointOrSkip(args[factorAt], active[factorAt]),
        adjointOrSkip(args[rightAt], active[rightAt]),
        args[factorAt],
        solution,
        adjointOf(solution),
        scratch(builder, a, b),
        a,
        b,
      ]);
    },
  };
}

const PRODUCT: Kernel = {
  outputs: [0],
  tangent: productTangent(([m, k, n]) => ({ m, k, n, left: (i, p) => add(i, mul(p, m)) })),
  adjoint: (builder, [out, a, b, m, k, n], active) => {
    if (active[1]) builder.kernel('gemm_nt_add', [adjointOf(a), adjointOf(out), b, m, n, k]);
    if (active[2]) builder.kernel('gemm_tn_add', [adjointOf(b), a, adjointOf(out), k, m, n]);
  },
};

/** The adjoint of A is -P' P̄ P' with P = A⁻¹. */
const INVERSE: Kernel = {
  outputs: [0],
  tangent: inverseTangent,
  adjoint: (builder, [out, a, , n], active) => {
    if (!active[1]) return;
    const left = scratch(builder, number(n), number(n));
    builder.kernel('gemm_tn', [left, out, adjointOf(out), n, n, n]);
    builder.kernel('gemm_nt_subtract', [adjointOf(a), left, out, n, n, n]);
  },
};

const NO_DERIVATIVE = (...outputs: number[]): Kernel => ({ outputs, adjoint: null });

/**
 * A decomposition with four outputs, alternately real and imaginary parts. `inputs` are the positions of the matrix's parts; working memory
 * and its size follow.
 */
function generalEigen(inputs: readonly number[], name: string): Kernel {
  return {
    outputs: [0, 1, 2, 3],
    adjoint: (builder, args, active) => {
      if (!inputs.some((k) => active[k])) return;
      const size = args[args.length - 1];
      const work = scratch(builder, int(10), number(size), number(size));
      const byInputs = [4, 5].map((k) => (inputs.includes(k) ? adjointOrSkip(args[k], active[k]) : SKIPPED));
      const outputs = args.slice(0, 4);
      const byOutputs = outputs.map((output, k) => adjointOrSkip(output, active[k]));
      builder.kernel(name, [...byInputs, ...outputs, ...byOutputs, work, size]);
    },
  };
}

const TABLE: Readonly<Record<string, Kernel>> = {
  gemv: {
    outputs: [0],
    tangent: productTangent(([m, k]) => ({ m, k, n: int(1), left: (i, p) => add(i, mul(p, m)) })),
    adjoint: (builder, [out, matrix, x, rows, columns], active) => {
      if (active[1]) builder.kernel('ger_add', [adjointOf(matrix), adjointOf(out), x, rows, columns]);
      if (active[2]) builder.kernel('gemv_t_add', [adjointOf(x), matrix, adjointOf(out), rows, columns]);
    },
  },
  gemv_t: {
    outputs: [0],
    tangent: productTangent(([k, m]) => ({ m, k, n: int(1), left: (i, p) => add(p, mul(i, k)) })),
    adjoint: (builder, [out, matrix, x, rows, columns], active) => {
      if (active[1]) builder.kernel('ger_add', [adjointOf(matrix), x, adjointOf(out), rows, columns]);
      if (active[2]) builder.kernel('gemv_add', [adjointOf(x), matrix, adjointOf(out), rows, columns]);
    },
  },
  gemm: PRODUCT,
  /** The product of some rows of a matrix of data and a matrix. The last argument is the number of rows of the whole matrix of data. */
  gemm_rows: {
    outputs: [0],
    tangent: productTangent(([m, k, n, stride]) => ({ m, k, n, left: (i, p) => add(i, mul(p, stride)) })),
    adjoint: (builder, [out, a, b, m, k, n, stride], active) => {
      if (active[1]) throw new Error('gemm_rows: the matrix must be data');
      if (active[2]) builder.kernel('gemm_rows_adjoint', [adjointOf(b), a, adjointOf(out), m, k, n, stride]);
    },
  },
  gemm_symmetric: PRODUCT,
  /** The product of a matrix of data in compressed row storage and a matrix. */
  sparse_gemm: {
    outputs: [0],
    tangent: sparseProductTangent,
    adjoint: (builder, [out, rows, a, b, , m, k, n, size], active) => {
      if (!active[3]) return;
      const work = scratch(builder, sparseWork(number(k), number(n), number(size)));
      builder.kernel('sparse_gemm_t_add', [adjointOf(b), rows, a, adjointOf(out), work, m, k, n, size]);
    },
  },
  sparse_size: NO_DERIVATIVE(),
  sparse_rows: NO_DERIVATIVE(0),
  crossprod: {
    outputs: [0],
    tangent: crossproductTangent(false),
    adjoint: (builder, [out, a, rows, columns], active) => {
      if (active[1]) builder.kernel('crossprod_adjoint', [adjointOf(a), a, adjointOf(out), rows, columns]);
    },
  },
  tcrossprod: {
    outputs: [0],
    tangent: crossproductTangent(true),
    adjoint: (builder, [out, a, rows, columns], active) => {
      if (active[1]) builder.kernel('tcrossprod_adjoint', [adjointOf(a), a, adjointOf(out), rows, columns]);
    },
  },
  cholesky: {
    outputs: [0],
    tangent: choleskyTangent,
    adjoint: (builder, [factor, a, n], active) => {
      if (!active[1]) return;
      const work = scratch(builder, number(n), number(n));
      builder.kernel('cholesky_adjoint', [adjointOf(a), factor, adjointOf(factor), work, n]);
    },
  },
  solve_lower: triangularSolve('solve_lower', 1, false),
  solve_lower_t: triangularSolve('solve_lower_t', 1, true),
  solve_right_lower: triangularSolve('solve_right_lower', 2, false),
  solve_right_lower_t: triangularSolve('solve_right_lower_t', 2, true),
  /** The adjoint of the factors is represented by the adjoint of the matrix, as `lu_solve` expects. */
  lu: {
    outputs: [0, 1],
    tangent: luTangent,
    adjoint: (builder, [factors, , a, n], active) => {
      if (active[2]) builder.kernel('add_to', [adjointOf(a), adjointOf(factors), mul(number(n), number(n))]);
    },
  },
  lu_solve: {
    outputs: [0],
    tangent: luSolveTangent,
    adjoint: (builder, [solution, factors, pivots, right, n, m], active) => {
      const total = mul(number(n), number(m));
      const back = scratch(builder, number(n), number(m));
      builder.kernel('lu_solve_t', [back, factors, pivots, adjointOf(solution), n, m]);
      if (active[3]) builder.kernel('add_to', [adjointOf(right), back, total]);
      if (active[1]) builder.kernel('gemm_nt_subtract', [adjointOf(factors), back, solution, n, m, n]);
    },
  },
  lu_solve_t: NO_DERIVATIVE(0),
  factor_inverse: NO_DERIVATIVE(0),
  inverse: INVERSE,
  inverse_spd: INVERSE,
  spd_solve: {
    outputs: [0, 1],
    tangent: spdSolveTangent,
    adjoint: (builder, [solution, factor, a, right, n, m], active) => {
      const total = mul(number(n), number(m));
      const back = scratch(builder, number(n), number(m));
      builder.kernel('factor_solve', [back, factor, adjointOf(solution), n, m]);
      if (active[3]) builder.kernel('add_to', [adjointOf(right), back, total]);
      if (active[2]) builder.kernel('gemm_nt_subtract', [adjointOf(a), back, solution, n, m, n]);
    },
  },
  log_determinant_spd: {
    outputs: [0, 1],
    tangent: logDeterminantSpdTangent,
    adjoint: (builder, [out, factor, a, n], active) => {
      if (!active[2] || out.kind !== 'pointer') return;
      const weight: Expr = { kind: 'load_adjoint', type: 'real', ref: out.ref, index: int(0) };
      const work = scratch(builder, number(n), number(n));
      builder.kernel('log_determinant_spd_adjoint', [adjointOf(a), factor, weight, work, n]);
    },
  },
  generalized_inverse: {
    outputs: [0],
    tangent: generalizedInverseTangent,
    adjoint: (builder, [out, a, , rows, columns], active) => {
      if (!active[1]) return;
      const [m, n] = [number(rows), number(columns)];
      const work = scratch(builder, add(m, n), larger(m, n));
      builder.kernel('generalized_inverse_adjoint', [adjointOf(a), a, out, adjointOf(out), work, rows, columns]);
    },
  },
  log_abs_determinant: determinant('logarithm'),
  determinant: determinant('value'),
  matrix_exp: {
    outputs: [0],
    tangent: matrixExpTangent,
    adjoint: (builder, [out, a, , n], active) => {
      if (!active[1]) return;
      const size = number(n);
      const work = scratch(builder, size, add(mul(int(22), size), int(1)));
      builder.kernel('matrix_exp_adjoint', [adjointOf(a), a, adjointOf(out), work, n]);
    },
  },
  eigen_symmetric: {
    outputs: [0, 1],
    tangent: eigenSymmetricTangent,
    adjoint: (builder, [values, vectors, a, , n], active) => {
      if (!active[2]) return;
      const work = scratch(builder, int(2), number(n), number(n));
      const byValues = adjointOrSkip(values, active[0]);
      const byVectors = adjointOrSkip(vectors, active[1]);
      builder.kernel('eigen_symmetric_adjoint', [adjointOf(a), values, vectors, byValues, byVectors, work, n]);
    },
  },
  svd: {
    outputs: [0, 1, 2],
    tangent: svdTangent,
    adjoint: (builder, [u, s, v, a, , rows, columns], active) => {
      if (!active[3]) return;
      const [m, n] = [number(rows), number(columns)];
      const work = scratch(builder, smaller(m, n), int(3), add(m, n));
      const [byU, byS, byV] = [u, s, v].map((output, k) => adjointOrSkip(output, active[k]));
      builder.kernel('svd_adjoint', [adjointOf(a), u, s, v, byU, byS, byV, work, rows, columns]);
    },
  },
  qr: {
    outputs: [0, 1, 2],
    adjoint: (builder, [q, r, factors, a, rows, columns, height], active) => {
      if (!active[3]) return;
      const [m, n, most] = [number(rows), number(columns), number(height)];
      const [byQ, byR] = [q, r].map((output, k) => adjointOrSkip(output, active[k]));
      const work = scratch(builder, add(m, int(1)), int(3), add(n, most));
      builder.kernel('qr_adjoint', [adjointOf(a), q, factors, byQ, byR, work, rows, columns, height]);
    },
  },
  eigen_real: generalEigen([4], 'eigen_adjoint'),
  eigen_complex: generalEigen([4, 5], 'eigen_adjoint'),
  eigen_hermitian: {
    outputs: [0, 1, 2, 3],
    adjoint: (builder, args, active) => {
      const [values, , vectorsRe, vectorsIm, , , , n] = args;
      if (!active[4] && !active[5]) return;
      const work = scratch(builder, int(6), number(n), number(n));
      const byInputs = [4, 5].map((k) => adjointOrSkip(args[k], active[k]));
      const byOutputs = [0, 2, 3].map((k) => adjointOrSkip(args[k], active[k]));
      builder.kernel('eigen_hermitian_adjoint', [...byInputs, values, vectorsRe, vectorsIm, ...byOutputs, work, n]);
    },
  },
  complex_schur: generalEigen([4, 5], 'complex_schur_adjoint'),
  complex_svd: {
    outputs: [0, 1, 2, 3, 4],
    adjoint: (builder, args, active) => {
      if (!active[5] && !active[6]) return;
      const [rows, columns] = [number(args[8]), number(args[9])];
      const most = larger(rows, columns);
      const work = scratch(builder, int(16), most, most);
      const adjoints = [5, 6, 0, 1, 2, 3, 4].map((k) => adjointOrSkip(args[k], active[k]));
      const [byRe, byIm, ...byOutputs] = adjoints;
      builder.kernel('complex_svd_adjoint', [byRe, byIm, ...args.slice(0, 5), ...byOutputs, work, rows, columns]);
    },
  },
  /** The transform is linear and its own transpose, up to the sign of the exponent. */
  fft: {
    outputs: [0, 1],
    tangent: fourierTangent,
    adjoint: (builder, [outRe, outIm, re, im, , rows, columns, sign, factor], active) => {
      if (!active[2] && !active[3]) return;
      const [m, n] = [number(rows), number(columns)];
      const work = scratch(builder, ...fourierWork(m, n));
      const [byRe, byIm] = [re, im].map((input, k) => adjointOrSkip(input, active[2 + k]));
      const [byOutRe, byOutIm] = [outRe, outIm].map((output, k) => adjointOrSkip(output, active[k]));
      builder.kernel('fft_add', [byRe, byIm, byOutRe, byOutIm, work, rows, columns, neg(number(sign)), factor]);
    },
  },
  hmm_forward: {
    outputs: [0, 1, 2],
    tangent: hiddenMarkovTangent,
    adjoint: (builder, [value, filtered, weights, likelihoods, transition, initial, states, steps], active) => {
      const inputs = [likelihoods, transition, initial].map((argument, k) => adjointOrSkip(argument, active[3 + k]));
      const work = scratch(builder, int(2), number(states));
      const read = [adjointOf(value), filtered, weights, transition, work, states, steps];
      builder.kernel('hmm_forward_adjoint', [...inputs, ...read]);
    },
  },
  hmm_smooth: NO_DERIVATIVE(0, 4),
  moments_add: NO_DERIVATIVE(0),
  largest_add: NO_DERIVATIVE(0),
  sums_add: NO_DERIVATIVE(0),
  all_within: NO_DERIVATIVE(),
  bound_of: NO_DERIVATIVE(),
  residual_factor: NO_DERIVATIVE(0, 1),
  residual_form: {
    outputs: [0, 1],
    tangent: residualFormTangent,
    adjoint: (builder, [form, slopes, factor, largest, x, n], active) => {
      if (!active[4]) return;
      if (active[0]) builder.kernel('axpy', [adjointOf(x), valueAdjointOf(form), slopes, n]);
      if (!active[1]) return;
      // The slopes are 2 R'R x: symmetric, so that their adjoints are the slopes at their adjoints.
      const byX = scratch(builder, number(n));
      const given = [factor, largest, adjointOf(slopes), n];
      builder.kernel('residual_form', [scratch(builder, int(3)), byX, ...given]);
      builder.kernel('axpy', [adjointOf(x), real(1), byX, n]);
    },
  },
  moments_factor: NO_DERIVATIVE(0, 1),
  group_form: {
    outputs: [0, 1, 2],
    tangent: groupFormTangent,
    adjoint: (builder, [form, shared, own, factors, largest, x, y, n, m, groups], active) => {
      const all = mul(number(m), number(groups));
      const inputs = [
        { at: 5, size: number(n), to: adjointOf(x), slopes: shared },
        { at: 6, size: all, to: adjointOf(y), slopes: own },
      ].filter(({ at }) => active[at]);
      if (active[0]) {
        const weight = valueAdjointOf(form);
        for (const { size, slopes, to } of inputs) builder.kernel('axpy', [to, weight, slopes, size]);
      }
      if (!active[1] && !active[2]) return;
      // The slopes are 2 R'R x: symmetric, so that their adjoints are the slopes at their adjoints.
      const [byX, byY] = [number(n), all].map((size) => scratch(builder, size));
      const given = [
        active[1] ? adjointOf(shared) : zeros(builder, number(n)),
        active[2] ? adjointOf(own) : zeros(builder, all),
      ];
      builder.kernel('group_form', [scratch(builder, int(3)), byX, byY, factors, largest, ...given, n, m, groups]);
      for (const { at, size, to } of inputs) builder.kernel('axpy', [to, real(1), at === 5 ? byX : byY, size]);
    },
  },
  linear_form: {
    outputs: [0],
    tangent: linearFormTangent,
    adjoint: (builder, [value, sums, x, n], active) => {
      if (active[2]) builder.kernel('axpy', [adjointOf(x), valueAdjointOf(value), sums, n]);
    },
  },
  hypergeometric_pfq: {
    outputs: [0],
    adjoint: (builder, [value, parameters, argument, p, q], active) => {
      const inputs = [adjointOrSkip(parameters, active[1]), adjointOrSkip(argument, active[2])];
      const slopes = scratch(builder, add(add(number(p), number(q)), int(1)));
      builder.kernel('hypergeometric_pfq_adjoint', [...inputs, adjointOf(value), parameters, argument, slopes, p, q]);
    },
  },
  hypergeometric_2f1_converges: NO_DERIVATIVE(),
  hypergeometric_2f1_is_elementary: NO_DERIVATIVE(),
  /** Only for a message. */
  last_conditional_variance: NO_DERIVATIVE(1),
  least_conditional_variance: NO_DERIVATIVE(1),
  group_rows: NO_DERIVATIVE(0, 1, 2, 6),
  sort_asc: NO_DERIVATIVE(0),
  sort_desc: NO_DERIVATIVE(0),
  sort_asc_int: NO_DERIVATIVE(0),
  sort_desc_int: NO_DERIVATIVE(0),
  sort_indices_asc: NO_DERIVATIVE(0),
  sort_indices_desc: NO_DERIVATIVE(0),
  sort_indices_asc_int: NO_DERIVATIVE(0),
  sort_indices_desc_int: NO_DERIVATIVE(0),
};

export const KERNELS: ReadonlyMap<string, Kernel> = new Map(Object.entries(TABLE));
