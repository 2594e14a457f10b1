import type { Method } from './method.js';

/** A solver of systems of equations. */
export interface AlgebraicSolver {
  readonly method: Method;
  /** The Stan function that implements the method. */
  readonly entry: 'powell' | 'newton';
  /** Its name in messages. */
  readonly reported: string;
  /** The names of the function and of the argument in errors about the first tolerance. */
  readonly first: { readonly function: string; readonly argument: string };
  /** Defaults: the first tolerance, the function tolerance, and the maximum number of steps. */
  readonly defaults: readonly [number, number, number];
}

const powell: AlgebraicSolver = {
  method: 'algebraic',
  entry: 'powell',
  reported: 'solve_powell',
  // Stan misspells the name here.
  first: { function: 'alegbra_solver_powell', argument: 'relative_tolerance' },
  defaults: [1e-10, 1e-6, 200],
};
const newton: AlgebraicSolver = {
  method: 'algebraic',
  entry: 'newton',
  reported: 'solve_newton',
  first: { function: 'solve_newton', argument: 'scaling_step_size' },
  defaults: [1e-3, 1e-6, 200],
};

/** Solvers by Stan's name, without `_tol`. Defaults: Stan Functions Reference, "Algebraic equation solvers" (2.26 for the older names). */
export const ALGEBRAIC_SOLVERS: ReadonlyMap<string, AlgebraicSolver> = new Map([
  ['solve_powell', powell],
  ['solve_newton', newton],
  ['algebra_solver', { ...powell, defaults: [1e-10, 1e-6, 1000] }],
  ['algebra_solver_newton', newton],
]);
