import type { Builder } from '../ir/builder.js';
import { int, mul } from '../ir/expressions.js';
import type { Expr, KernelArgument } from '../ir/nodes.js';

/**
 * The linear-algebra kernels that IR calls by name, with what differentiation must know of each. A kernel reads and
 * writes memory through its pointer arguments; it may read an output only if it has written it.
 */
export interface Kernel {
  /** Positions of pointer arguments that the kernel writes (every element). */
  readonly outputs: readonly number[];
  /**
   * Emits the reverse: kernel calls that ADD to the adjoints of the active inputs from the adjoints of the outputs.
   * `active[k]` says whether argument k is an active pointer. Null: derivatives do not pass (integers, random draws,
   * values whose derivative the caller puts back by hand). Scratch memory is allocated through the builder.
   */
  readonly adjoint: ((builder: Builder, args: readonly KernelArgument[], active: readonly boolean[]) => void) | null;
}

/** The adjoint's address for a pointer argument. */
export function adjointOf(argument: KernelArgument): KernelArgument {
  return argument.kind === 'pointer' ? { ...argument, adjoint: true } : argument;
}

const SKIPPED: KernelArgument = int(0);

/** The adjoint's address where the argument is active, else the null pointer that kernels skip. */
function adjointOrSkip(argument: KernelArgument, isActive: boolean): KernelArgument {
  return isActive ? adjointOf(argument) : SKIPPED;
}

function scratch(builder: Builder, total: Expr): KernelArgument {
  const ref = builder.allocate('real', [total], 'scratch');
  return { kind: 'pointer', ref, offset: null, adjoint: false };
}

function number(argument: KernelArgument): Expr {
  if (argument.kind === 'pointer' || argument.kind === 'random_state') throw new Error('kernel: a number was expected');
  return argument;
}

/** A triangular solve with n × m right-hand sides; `order` says where the factor and the right-hand side stand. */
function triangularSolve(name: string, factorAt: 1 | 2): Kernel {
  const rightAt = 3 - factorAt;
  return {
    outputs: [0],
    adjoint: (builder, args, active) => {
      const [solution] = args;
      const [a, b] = [number(args[3]), number(args[4])];
      builder.kernel(`${name}_adjoint`, [
        adjointOrSkip(args[factorAt], active[factorAt]),
        adjointOrSkip(args[rightAt], active[rightAt]),
        args[factorAt],
        solution,
        adjointOf(solution),
        scratch(builder, mul(a, b)),
        a,
        b,
      ]);
    },
  };
}

const NO_DERIVATIVE = (...outputs: number[]): Kernel => ({ outputs, adjoint: null });

const TABLE: Readonly<Record<string, Kernel>> = {
  gemv: {
    outputs: [0],
    adjoint: (builder, [out, matrix, x, rows, columns], active) => {
      if (active[1]) builder.kernel('ger_add', [adjointOf(matrix), adjointOf(out), x, rows, columns]);
      if (active[2]) builder.kernel('gemv_t_add', [adjointOf(x), matrix, adjointOf(out), rows, columns]);
    },
  },
  gemv_t: {
    outputs: [0],
    adjoint: (builder, [out, matrix, x, rows, columns], active) => {
      if (active[1]) builder.kernel('ger_add', [adjointOf(matrix), x, adjointOf(out), rows, columns]);
      if (active[2]) builder.kernel('gemv_add', [adjointOf(x), matrix, adjointOf(out), rows, columns]);
    },
  },
  gemm: {
    outputs: [0],
    adjoint: (builder, [out, a, b, m, k, n], active) => {
      if (active[1]) builder.kernel('gemm_nt_add', [adjointOf(a), adjointOf(out), b, m, n, k]);
      if (active[2]) builder.kernel('gemm_tn_add', [adjointOf(b), a, adjointOf(out), k, m, n]);
    },
  },
  crossprod: {
    outputs: [0],
    adjoint: (builder, [out, a, rows, columns], active) => {
      if (active[1]) builder.kernel('crossprod_adjoint', [adjointOf(a), a, adjointOf(out), rows, columns]);
    },
  },
  tcrossprod: {
    outputs: [0],
    adjoint: (builder, [out, a, rows, columns], active) => {
      if (active[1]) builder.kernel('tcrossprod_adjoint', [adjointOf(a), a, adjointOf(out), rows, columns]);
    },
  },
  cholesky: {
    outputs: [0],
    adjoint: (builder, [factor, a, n], active) => {
      if (!active[1]) return;
      const work = scratch(builder, mul(number(n), number(n)));
      builder.kernel('cholesky_adjoint', [adjointOf(a), factor, adjointOf(factor), work, n]);
    },
  },
  solve_lower: triangularSolve('solve_lower', 1),
  solve_lower_t: triangularSolve('solve_lower_t', 1),
  solve_right_lower: triangularSolve('solve_right_lower', 2),
  solve_right_lower_t: triangularSolve('solve_right_lower_t', 2),
  /** The adjoint of the factors stands for the adjoint of the matrix itself: `lu_solve` is written for that. */
  lu: {
    outputs: [0, 1],
    adjoint: (builder, [factors, , a, n], active) => {
      if (active[2]) builder.kernel('add_to', [adjointOf(a), adjointOf(factors), mul(number(n), number(n))]);
    },
  },
  lu_solve: {
    outputs: [0],
    adjoint: (builder, [solution, factors, pivots, right, n, m], active) => {
      const total = mul(number(n), number(m));
      const back = scratch(builder, total);
      builder.kernel('lu_solve_t', [back, factors, pivots, adjointOf(solution), n, m]);
      if (active[3]) builder.kernel('add_to', [adjointOf(right), back, total]);
      if (active[1]) builder.kernel('gemm_nt_subtract', [adjointOf(factors), back, solution, n, m, n]);
    },
  },
  lu_solve_t: NO_DERIVATIVE(0),
  inverse: {
    outputs: [0],
    adjoint: (builder, [out, a, , n], active) => {
      if (!active[1]) return;
      const size = number(n);
      const left = scratch(builder, mul(size, size));
      builder.kernel('gemm_tn', [left, out, adjointOf(out), n, n, n]);
      builder.kernel('gemm_nt_subtract', [adjointOf(a), left, out, n, n, n]);
    },
  },
  /** A copy through which no derivative passes. */
  detach: NO_DERIVATIVE(0),
  /** Told by a message alone. */
  last_conditional_variance: NO_DERIVATIVE(1),
  log_abs_determinant: NO_DERIVATIVE(),
  determinant: NO_DERIVATIVE(),
  eigen_symmetric: NO_DERIVATIVE(0, 1),
  sort_asc: NO_DERIVATIVE(0),
  sort_desc: NO_DERIVATIVE(0),
  sort_asc_int: NO_DERIVATIVE(0),
  sort_desc_int: NO_DERIVATIVE(0),
  sort_indices_asc: NO_DERIVATIVE(0),
  sort_indices_desc: NO_DERIVATIVE(0),
  sort_indices_asc_int: NO_DERIVATIVE(0),
  sort_indices_desc_int: NO_DERIVATIVE(0),
  qr: NO_DERIVATIVE(0, 1),
  qr_thin: NO_DERIVATIVE(0, 1),
};

export const KERNELS: ReadonlyMap<string, Kernel> = new Map(Object.entries(TABLE));
