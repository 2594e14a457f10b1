import type { Typed } from '../../check/typed.js';
import { containerOf, scalarOf } from '../../functions/broadcast.js';
import { greaterThan, positive, positiveFinite, type Requirement } from '../../functions/checks.js';
import { scalar } from '../../ir/builder.js';
import { compare, int, real } from '../../ir/expressions.js';
import type { Value } from '../../ir/value.js';
import { arrayOf, REAL, type Type, VECTOR } from '../../language/types.js';
import type { OdeSolver } from '../../solvers/ode.js';
import type { CallShape } from '../../syntax/ast.js';
import type { Lowering } from '../lowering.js';
import { checkFinite, checkHasElements, checkScalar, checkSorted } from './arguments.js';
import { callbackOf, hold, lowerFrom, refuse, variesHere } from './callback.js';
import { jacobianOf } from './jacobian.js';
import { callMethod } from './method.js';

/** What a call of an ODE solver says, whichever form of the interface it uses. */
interface Problem {
  readonly initial: Value;
  readonly initialTime: Value;
  readonly times: Value;
  readonly tolerances: readonly Value[] | null;
  /** Handed on to the right-hand side. */
  readonly shared: readonly Value[];
}

/** `ode_NAME(f, y0, t0, ts, …)` and `ode_NAME_tol(f, y0, t0, ts, rtol, atol, max_steps, …)`. */
function problemOf(lowering: Lowering, call: CallShape<Typed>, hasTolerances: boolean): Problem {
  const [initial, initialTime, times, ...rest] = lowerFrom(lowering, call, 1);
  const tolerances = hasTolerances ? rest.splice(0, 3) : null;
  return { initial, initialTime, times, tolerances, shared: rest };
}

/** `integrate_ode_NAME(f, y0, t0, ts, theta, x_r, x_i)`, with tolerances at the end or without. */
function olderProblemOf(lowering: Lowering, call: CallShape<Typed>): Problem {
  const [initial, initialTime, times, ...rest] = lowerFrom(lowering, call, 1);
  const shared = rest.splice(0, 3);
  return { initial, initialTime, times, tolerances: rest.length > 0 ? rest : null, shared };
}

/** The states at the times, an array of vectors; of the older functions an array of arrays. */
export function lowerOde(
  lowering: Lowering,
  call: CallShape<Typed>,
  name: string,
  solver: OdeSolver,
  type: Type,
): Value {
  const { builder } = lowering;
  const isOlder = name.startsWith('integrate_');
  const problem = isOlder ? olderProblemOf(lowering, call) : problemOf(lowering, call, name.endsWith('_tol'));
  const words = solver.reported ?? name;
  const { callback, initial, initialTime, times, tolerances } = checkProblem(lowering, call, words, solver, problem);
  const level = [initial, initialTime, times].some((value) => value.level === 'autodiff') ? 'autodiff' : callback.level;
  const states = initial.sizes[0];
  const derivative = (evaluate: (args: readonly Value[]) => Value) => (args: readonly Value[]) => {
    const [time, state] = args;
    const slope = containerOf(evaluate([time, relabelled(state, isOlder ? arrayOf(REAL) : VECTOR)]));
    builder.check(
      compare('eq', slope.sizes[0], states),
      `${solver.system}: dy_dt ({0}) and states ({1}) must match in size`,
      [slope.sizes[0], states],
      'error',
    );
    return relabelled(slope, VECTOR);
  };
  const detachedDerivative = derivative(callback.callDetached);
  const result = callMethod(lowering, {
    method: solver.method,
    entry: solver.entry,
    args: [relabelled(initial, VECTOR), initialTime, times, ...tolerances],
    given: {
      derivative: derivative(callback.call),
      detached_derivative: detachedDerivative,
      derivatives_at: ([time, state]) => jacobianOf(lowering, call, (at) => detachedDerivative([time, at]), state),
      has_derivatives: variesHere(lowering, level),
      has_varying_initial_time: variesHere(lowering, initialTime.level),
      has_varying_times: variesHere(lowering, times.level),
      refuse_steps: ([time]) => {
        const [before, after] = solver.failures.steps.replace('{name}', words).split('{time}');
        return after === undefined ? refuse(lowering, before) : refuse(lowering, before, scalarOf(time), after);
      },
      refuse_attempts: () => refuse(lowering, solver.failures.attempts),
    },
    level,
  });
  return relabelled(result, type);
}

/** Lowers and checks the arguments in Stan's order. */
function checkProblem(lowering: Lowering, call: CallShape<Typed>, name: string, solver: OdeSolver, problem: Problem) {
  const { builder } = lowering;
  const initial = builder.materialize(containerOf(problem.initial), 'initial');
  const initialTime = hold(lowering, problem.initialTime);
  const times = builder.materialize(containerOf(problem.times), 'times');
  const [rtol, atol, steps] = solver.defaults;
  const tolerances = problem.tolerances?.map((value) => hold(lowering, value)) ?? [
    scalar(real(rtol), 'data'),
    scalar(real(atol), 'data'),
    scalar(int(steps), 'data'),
  ];
  const callback = callbackOf(lowering, call, call.arguments[0], problem.shared);
  checkFinite(builder, name, 'initial state', initial);
  checkFinite(builder, name, 'initial time', initialTime);
  checkFinite(builder, name, 'times', times);
  for (const value of callback.shared) checkFinite(builder, name, 'ode parameters and data', value);
  checkHasElements(builder, name, 'initial state', initial);
  checkHasElements(builder, name, 'times', times);
  checkSorted(builder, name, 'times', times);
  checkScalar(builder, name, 'initial time', initialTime, lessThanFirst, [scalar(times.flat(int(0)), 'data')]);
  for (const [k, [words, requirement]] of TOLERANCES.entries())
    checkScalar(builder, name, words, tolerances[k], requirement);
  return { callback, initial, initialTime, times, tolerances };
}

const lessThanFirst: Requirement = {
  ...greaterThan(0),
  holds: (x, [first]) => compare('lt', x, first),
  must: 'less than {0:f}',
};

const TOLERANCES: readonly (readonly [words: string, requirement: Requirement])[] = [
  ['relative_tolerance', positiveFinite],
  ['absolute_tolerance', positiveFinite],
  ['max_num_steps', positive],
];

/** The same numbers under another type of the same layout: a vector and an array of reals. */
function relabelled<V extends Value>(value: V, type: Type): V {
  return { ...value, type };
}
