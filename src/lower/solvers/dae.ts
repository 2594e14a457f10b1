import type { Typed } from '../../check/typed.js';
import { containerOf, scalarOf } from '../../functions/broadcast.js';
import { lazyFlat, levelOf, scalar } from '../../ir/builder.js';
import { add, compare, div, mul, real, sub } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { VECTOR } from '../../language/types.js';
import { DEFAULTS, FAILURES, STRICTNESS } from '../../solvers/differential-algebraic.js';
import type { CallShape } from '../../syntax/ast.js';
import type { Lowering } from '../lowering.js';
import type { GivenFunction } from '../scope.js';
import { checkFinite, checkHasElements, checkScalar, checkTimes, TOLERANCES } from './arguments.js';
import { callbackOf, heldTolerances, hold, lowerFrom, refuse, variesHere } from './callback.js';
import { jacobianOf } from './jacobian.js';
import { callMethod } from './method.js';

/** `dae(f, y0, yp0, t0, ts, …)` and `dae_tol(f, y0, yp0, t0, ts, rtol, atol, max_steps, …)`: the states at the times. */
export function lowerDae(lowering: Lowering, call: CallShape<Typed>, name: string): Value {
  const { builder } = lowering;
  const [y0, yp0, t0, ts, ...rest] = lowerFrom(lowering, call, 1);
  const wanted = name.endsWith('_tol') ? rest.splice(0, 3) : null;
  const initial = builder.materialize(containerOf(y0), 'initial');
  const slope = builder.materialize(containerOf(yp0), 'slope');
  const initialTime = hold(lowering, t0);
  const times = builder.materialize(containerOf(ts), 'times');
  const tolerances = heldTolerances(lowering, wanted, DEFAULTS);
  const callback = callbackOf(lowering, call, call.arguments[0], rest);
  checkFinite(builder, name, 'initial state', initial);
  checkFinite(builder, name, 'initial state derivative', slope);
  checkHasElements(builder, name, 'initial state', initial);
  checkHasElements(builder, name, 'initial state derivative', slope);
  checkFinite(builder, name, 'initial time', initialTime);
  checkFinite(builder, name, 'times', times);
  checkTimes(builder, name, initialTime, times);
  for (const [k, [words, requirement]] of TOLERANCES.entries())
    checkScalar(builder, name, words, tolerances[k], requirement);
  for (const value of callback.shared) checkFinite(builder, 'dae', 'DAE parameters and data', value);
  const states = initial.sizes[0];
  const checkStates = (what: string, value: ContainerValue): void => {
    const sizes = [value.sizes[0], states];
    const text = `${name}: ${what} ({0}) and states ({1}) must match in size`;
    builder.check(compare('eq', sizes[0], sizes[1]), text, sizes, 'error');
  };
  checkStates('initial state derivative', slope);
  const sized = (evaluate: GivenFunction) => (args: readonly Value[]) => {
    const residual = containerOf(evaluate(args));
    checkStates('residuals', residual);
    return residual;
  };
  const detachedResidual = sized(callback.callDetached);
  const strict = (tolerance: Value): Value => scalar(mul(real(STRICTNESS), scalarOf(tolerance)), 'data');
  const level = levelOf([initial, slope, ...callback.shared]);
  return callMethod(lowering, {
    method: 'differential-algebraic',
    entry: 'integrate',
    args: [initial, slope, initialTime, times, strict(tolerances[0]), strict(tolerances[1]), tolerances[2]],
    given: {
      residual: sized(callback.call),
      detached_residual: detachedResidual,
      derivatives_at: ([time, y, yp, c]) =>
        jacobianOf(lowering, call, (at) => detachedResidual([time, at, slopeThrough(y, yp, c, at)]), y),
      has_derivatives: variesHere(lowering, level),
      refuse_steps: () => refuse(lowering, FAILURES.steps),
      refuse_errors: () => refuse(lowering, FAILURES.errors),
      refuse_convergence: () => refuse(lowering, FAILURES.convergence),
    },
    level,
  });
}

/** The derivative yp at the end of a step, which is linear in the state y. */
function slopeThrough(y: Value, yp: Value, c: Value, at: Value): Value {
  const [states, slope, moved] = [y, yp, at].map(containerOf);
  const element = (i: Expr): Expr => add(slope.flat(i), div(sub(moved.flat(i), states.flat(i)), scalarOf(c)));
  return lazyFlat(VECTOR, moved.level, moved.sizes, element);
}
