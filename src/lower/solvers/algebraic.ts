import type { Typed } from '../../check/typed.js';
import { containerOf, scalarOf } from '../../functions/broadcast.js';
import { nonnegative, positive } from '../../functions/checks.js';
import { scalar } from '../../ir/builder.js';
import { compare } from '../../ir/expressions.js';
import type { Value } from '../../ir/value.js';
import type { AlgebraicSolver } from '../../solvers/algebraic.js';
import type { CallShape } from '../../syntax/ast.js';
import type { Lowering } from '../lowering.js';
import type { GivenFunction } from '../scope.js';
import { checkFinite, checkHasElements, checkScalar, hasNan } from './arguments.js';
import { callbackOf, heldTolerances, lowerFrom, refuse, variesHere } from './callback.js';
import { jacobianOf } from './jacobian.js';
import { callMethod } from './method.js';

/** The root of a system of equations, a vector. */
export function lowerAlgebraic(
  lowering: Lowering,
  call: CallShape<Typed>,
  name: string,
  solver: AlgebraicSolver,
): Value {
  const { builder } = lowering;
  const { guess: given, tolerances: wanted, shared } = problemOf(lowering, call, name);
  const guess = builder.materialize(containerOf(given), 'guess');
  const callback = callbackOf(lowering, call, call.arguments[0], shared);
  const tolerances = heldTolerances(lowering, wanted, solver.defaults);
  const words = solver.reported;
  checkHasElements(builder, words, 'initial guess', guess);
  checkFinite(builder, words, 'initial guess', guess);
  checkScalar(builder, solver.first.function, solver.first.argument, tolerances[0], nonnegative);
  checkScalar(builder, words, 'function_tolerance', tolerances[1], nonnegative);
  checkScalar(builder, words, 'max_num_steps', tolerances[2], positive);
  const unknowns = guess.sizes[0];
  const sized = (evaluate: GivenFunction) => (args: readonly Value[]) => {
    const residual = containerOf(evaluate(args));
    builder.check(
      compare('eq', residual.sizes[0], unknowns),
      `${solver.entry === 'newton' ? '' : words}: size of the algebraic system's output ({0}) and size of the vector of unknowns, x, ({1}) must match in size`,
      [residual.sizes[0], unknowns],
      'error',
    );
    return residual;
  };
  const detachedSystem = sized(callback.callDetached);
  return callMethod(lowering, {
    method: solver.method,
    entry: solver.entry,
    args: [guess, ...tolerances],
    given: {
      system: sized(callback.call),
      detached_system: detachedSystem,
      derivatives_at: ([x]) => jacobianOf(lowering, call, (at) => detachedSystem([at]), x),
      has_derivatives: variesHere(lowering, callback.level),
      has_nan_arguments: () => scalar(hasNan(builder, callback.constants), 'data'),
      refuse_steps: () =>
        refuse(
          lowering,
          'algebra_solver: maximum number of iterations (',
          scalarOf(tolerances[2]),
          ') was exceeded in the solve.',
        ),
      refuse_norm: ([norm]) =>
        refuse(
          lowering,
          'algebra_solver: the norm of the algebraic function is ',
          scalarOf(norm),
          ' but should be lower than the function tolerance: ',
          scalarOf(tolerances[1]),
          '. Consider decreasing the relative tolerance and increasing max_num_steps.',
        ),
      refuse_singular: () => refuse(lowering, 'The linear solver’s setup function failed in an unrecoverable manner.'),
      refuse_flag: ([flag]) => refuse(lowering, 'algebra_solver failed with error flag ', scalarOf(flag), '.'),
    },
    level: callback.level,
  });
}

/**
 * `solve_NAME(f, guess, …)`, `solve_NAME_tol(f, guess, tol, f_tol, steps, …)`, and the older `algebra_solver(f, guess, theta, x_r, x_i)`,
 * with or without tolerances at the end.
 */
function problemOf(
  lowering: Lowering,
  call: CallShape<Typed>,
  name: string,
): { readonly guess: Value; readonly tolerances: readonly Value[] | null; readonly shared: readonly Value[] } {
  const [guess, ...rest] = lowerFrom(lowering, call, 1);
  if (name.startsWith('algebra_')) {
    const shared = rest.splice(0, 3);
    return { guess, tolerances: rest.length > 0 ? rest : null, shared };
  }
  const tolerances = name.endsWith('_tol') ? rest.splice(0, 3) : null;
  return { guess, tolerances, shared: rest };
}
