import type { Typed } from '../../check/typed.js';
import { containerOf, scalarOf } from '../../functions/broadcast.js';
import { positive, positiveFinite, type Requirement } from '../../functions/checks.js';
import { checkEach } from '../../functions/densities/validation.js';
import { container, lazyFlat, levelOf, scalar } from '../../ir/builder.js';
import { compare, int, mul, or, real } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { type AutodiffLevel, type Type, VECTOR } from '../../language/types.js';
import { ADJOINT_SOLVERS, type OdeSolver, type Tolerances } from '../../solvers/ode.js';
import type { CallShape } from '../../syntax/ast.js';
import { Cell } from '../cell.js';
import type { Lowering } from '../lowering.js';
import type { GivenFunction } from '../scope.js';
import { detached, NOTHING, truth } from '../values.js';
import { checkFinite, checkHasElements, checkScalar, checkTimes, TOLERANCES } from './arguments.js';
import { callbackOf, heldTolerances, hold, lowerFrom, refuse, userFunction, variesHere } from './callback.js';
import { jacobianOf } from './jacobian.js';
import { callMethod } from './method.js';
import {
  augmentedDerivative,
  augmentedStates,
  eachSensitivity,
  oneSensitivity,
  sensitivityDerivative,
} from './sensitivity.js';
import { callShared } from './shared-function.js';

/** An argument that controls a solver, and its requirement. */
interface Control {
  readonly words: string;
  readonly value: Value;
  readonly requirement: Requirement;
}

/** The initial value problem of an ODE solver's call, in any form of the interface. */
interface Problem {
  readonly initial: Value;
  readonly initialTime: Value;
  readonly times: Value;
  /** Relative and absolute tolerance and maximum number of steps; null for the defaults. */
  readonly tolerances: readonly Value[] | null;
  /** In the order in which Stan checks them; absent if these are only the tolerances. */
  readonly controls?: readonly Control[];
  /** Passed on to the right-hand side. */
  readonly shared: readonly Value[];
}

/** A problem whose arguments are in memory and have been checked. */
interface CheckedProblem {
  readonly shared: readonly Value[];
  readonly initial: ContainerValue;
  readonly initialTime: Value;
  readonly times: ContainerValue;
  readonly tolerances: readonly Value[];
}

/** `ode_NAME(f, y0, t0, ts, …)` and `ode_NAME_tol(f, y0, t0, ts, rtol, atol, max_steps, …)`. */
function problemOf(lowering: Lowering, call: CallShape<Typed>, hasTolerances: boolean): Problem {
  const [initial, initialTime, times, ...rest] = lowerFrom(lowering, call, 1);
  const tolerances = hasTolerances ? rest.splice(0, 3) : null;
  return { initial, initialTime, times, tolerances, shared: rest };
}

/** `integrate_ode_NAME(f, y0, t0, ts, theta, x_r, x_i)`, with or without tolerances at the end. */
function olderProblemOf(lowering: Lowering, call: CallShape<Typed>): Problem {
  const [initial, initialTime, times, ...rest] = lowerFrom(lowering, call, 1);
  const shared = rest.splice(0, 3);
  return { initial, initialTime, times, tolerances: rest.length > 0 ? rest : null, shared };
}

/** The states at the times, an array of vectors; for the older functions an array of arrays. */
export function lowerOde(
  lowering: Lowering,
  call: CallShape<Typed>,
  name: string,
  solver: OdeSolver,
  type: Type,
): Value {
  const isOlder = name.startsWith('integrate_');
  const problem = isOlder ? olderProblemOf(lowering, call) : problemOf(lowering, call, name.endsWith('_tol'));
  const words = solver.reported ?? name;
  return solve(lowering, call, words, solver, checkProblem(lowering, words, solver.defaults, problem), type);
}

/**
 * `ode_adjoint_tol_ctl(f, y0, t0, ts, …)`, with tolerances of the forward solution, the backward solution and the quadrature, and a choice
 * of methods.
 */
export function lowerAdjointOde(lowering: Lowering, call: CallShape<Typed>, type: Type): Value {
  const { builder } = lowering;
  const name = 'ode_adjoint_tol_ctl';
  const [initial, initialTime, times, ...rest] = lowerFrom(lowering, call, 1);
  const given = rest.splice(0, ADJOINT_CONTROLS.length).map((value) => hold(lowering, value));
  const controls = ADJOINT_CONTROLS.map(([words, requirement], k) => ({ words, requirement, value: given[k] }));
  const tolerances = [given[0], given[1], given[6]];
  const problem = { initial, initialTime, times, tolerances, controls, shared: rest };
  const checked = checkProblem(lowering, name, ADJOINT_SOLVERS[0].defaults, problem);
  const states = checked.initial.sizes[0];
  for (const k of [1, 3]) {
    const size = containerOf(given[k]).sizes[0];
    const words = `${name}: ${ADJOINT_CONTROLS[k][0]} ({0}) and states ({1}) must match in size`;
    builder.check(compare('eq', size, states), words, [size, states], 'error');
  }
  const [adams, bdf] = ADJOINT_SOLVERS.map((solver) => () => solve(lowering, call, name, solver, checked, type));
  const isAdams = compare('eq', scalarOf(given[9]), int(1));
  if (isAdams.kind === 'const') return isAdams.value === 0 ? bdf() : adams();
  const result = new Cell(builder, type, 'states');
  builder.if(
    isAdams,
    () => result.assign(adams()),
    () => result.assign(bdf()),
  );
  return result.value(levelOfProblem(checked));
}

function levelOfProblem({ shared, initial, initialTime, times }: CheckedProblem): AutodiffLevel {
  return levelOf([initial, initialTime, times, ...shared]);
}

/** The states, computed by a function that is shared by the calls of a solver with one right-hand side. */
function solve(
  lowering: Lowering,
  call: CallShape<Typed>,
  words: string,
  solver: OdeSolver,
  problem: CheckedProblem,
  type: Type,
): Value {
  const base = words.replace(TOLERANCE_SUFFIX, '');
  const callee = userFunction(call.arguments[0]);
  if (callee === undefined || !isShareable(lowering)) {
    const name = { base, hasSuffix: int(base === words ? 0 : 1) };
    return relabeled(solveHere(lowering, call, name, solver, problem), type);
  }
  const { initial, initialTime, times, shared, tolerances } = problem;
  const level = levelOfProblem(problem);
  const result = callShared(lowering, {
    name: words,
    level,
    key: JSON.stringify([base, solver, callee.id, initial.type]),
    arguments: [initial, initialTime, times, ...shared],
    settings: [scalar(int(base === words ? 0 : 1), 'data'), ...tolerances],
    write: ([y0, t0, ts, ...more], [hasSuffix, ...settings]) => {
      const given = { initial: containerOf(y0), initialTime: t0, times: containerOf(ts), shared: more };
      const name = { base, hasSuffix: scalarOf(hasSuffix) };
      return solveHere(lowering, call, name, solver, { ...given, tolerances: settings });
    },
  });
  const sizes = [times.sizes[0], initial.sizes[0]];
  return container(type, level, result, sizes);
}

/**
 * Whether a call can be a call of a function: not where statements are differentiated during lowering, nor where each statement is assigned to
 * one of the program.
 */
function isShareable({ builder, scope }: Lowering): boolean {
  return !scope.isInJacobian && scope.given.size === 0 && builder.observe === null;
}

/** A solver's name in messages, and whether it ends with `_tol`. */
interface Name {
  readonly base: string;
  readonly hasSuffix: Expr;
}

const TOLERANCE_SUFFIX = /_tol$/;

function solveHere(
  lowering: Lowering,
  call: CallShape<Typed>,
  { base, hasSuffix }: Name,
  solver: OdeSolver,
  problem: CheckedProblem,
): ContainerValue {
  const { builder } = lowering;
  const { shared, initial, initialTime, times, tolerances } = problem;
  const callback = callbackOf(lowering, call, call.arguments[0], shared);
  const level = levelOfProblem(problem);
  const states = initial.sizes[0];
  const stateType = initial.type;
  const derivative = (evaluate: (args: readonly Value[]) => Value) => (args: readonly Value[]) => {
    const [time, state] = args;
    const slope = containerOf(evaluate([time, relabeled(state, stateType)]));
    builder.check(
      compare('eq', slope.sizes[0], states),
      `${solver.system}: dy_dt ({0}) and states ({1}) must match in size`,
      [slope.sizes[0], states],
      'error',
    );
    return relabeled(slope, VECTOR);
  };
  const detachedDerivative = derivative(callback.callDetached);
  const [rtol, atol, most] = tolerances;
  const strict = (tolerance: Expr): Expr => mul(real(solver.strictness), tolerance);
  const relative = scalar(strict(scalarOf(rtol)), 'data');
  const absolute = lazyFlat(VECTOR, 'data', initial.sizes, (i) =>
    strict(atol.kind === 'container' ? atol.flat(i) : scalarOf(atol)),
  );
  const varyingDerivative = derivative(callback.callVarying);
  const isAugmented = lowering.differentiates && level === 'autodiff';
  if (isAugmented && solver.startsWithConstants)
    detachedDerivative([initialTime, initial].map((value) => detached(value)));
  const varies = isAugmented && initial.level === 'autodiff';
  const constants = isAugmented ? callback.constants : [];
  const sensitivities = solver.controlsEachSensitivity
    ? eachSensitivity(lowering, constants, varies, states)
    : oneSensitivity(lowering, constants, varies);
  const result = callMethod(lowering, {
    method: solver.method,
    entry: solver.entry,
    args: [relabeled(initial, VECTOR), initialTime, times, relative, absolute, most],
    given: {
      ...constantFunctions(solver.constants),
      derivative: derivative(callback.call),
      detached_derivative: ([time, state]) => {
        if (!isAugmented) return detachedDerivative([time, state]);
        return augmentedDerivative(lowering, (at) => varyingDerivative([time, at]), state, sensitivities, states);
      },
      state_derivative: detachedDerivative,
      sensitivity_derivative: ([time, state, sensitivity]) => {
        return sensitivityDerivative(
          lowering,
          (at) => varyingDerivative([time, at]),
          state,
          sensitivity,
          sensitivities,
        );
      },
      augmented: ([state]) => (isAugmented ? augmentedStates(lowering, state, sensitivities) : state),
      derivatives_at: ([time, state]) => jacobianOf(lowering, call, (at) => detachedDerivative([time, at]), state),
      has_derivatives: variesHere(lowering, level),
      has_varying_initial_time: variesHere(lowering, initialTime.level),
      has_varying_times: variesHere(lowering, times.level),
      refuse_steps: ([time]) => {
        const { steps } = solver.failures;
        const stop = (name: string) => () => {
          const [before, after] = steps.replace('{name}', name).split('{time}');
          refuse(lowering, before, ...(after === undefined ? [] : [scalarOf(time), after]));
        };
        if (steps.includes('{name}')) builder.if(truth(hasSuffix), stop(`${base}_tol`), stop(base));
        else stop(base)();
        return NOTHING;
      },
      refuse_attempts: () => refuse(lowering, solver.failures.attempts),
      refuse_convergence: () => refuse(lowering, solver.failures.convergence ?? solver.failures.attempts),
    },
    level,
  });
  return containerOf(result);
}

/** Functions without arguments that return these integers. */
function constantFunctions(values: Readonly<Record<string, number>> = {}): Readonly<Record<string, GivenFunction>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, () => scalar(int(value), 'data')]));
}

/** Stores and checks the arguments, in Stan's order. */
function checkProblem(lowering: Lowering, name: string, defaults: Tolerances, problem: Problem): CheckedProblem {
  const { builder } = lowering;
  const initial = builder.materialize(containerOf(problem.initial), 'initial');
  const initialTime = hold(lowering, problem.initialTime);
  const times = builder.materialize(containerOf(problem.times), 'times');
  const tolerances = heldTolerances(lowering, problem.tolerances, defaults);
  const shared = problem.shared.map((value) => hold(lowering, value));
  checkFinite(builder, name, 'initial state', initial);
  checkFinite(builder, name, 'initial time', initialTime);
  checkFinite(builder, name, 'times', times);
  for (const value of shared) checkFinite(builder, name, 'ode parameters and data', value);
  checkHasElements(builder, name, 'initial state', initial);
  checkTimes(builder, name, initialTime, times);
  const controls = TOLERANCES.map(([words, requirement], k) => ({ words, requirement, value: tolerances[k] }));
  for (const { words, requirement, value } of problem.controls ?? controls) {
    if (value.kind === 'container') checkEach(builder, name, words, value, requirement);
    else checkScalar(builder, name, words, value, requirement);
  }
  return { shared, initial, initialTime, times, tolerances };
}

/** 1 or 2; `meaning` describes it. */
function oneOrTwo(meaning: string): Requirement {
  return {
    holds: (x) => or(compare('eq', x, int(1)), compare('eq', x, int(2))),
    must: '1 or 2',
    text: meaning,
  };
}

const ADJOINT_CONTROLS: readonly (readonly [words: string, requirement: Requirement])[] = [
  ['relative_tolerance_forward', positiveFinite],
  ['absolute_tolerance_forward', positiveFinite],
  ['relative_tolerance_backward', positiveFinite],
  ['absolute_tolerance_backward', positiveFinite],
  ['relative_tolerance_quadrature', positiveFinite],
  ['absolute_tolerance_quadrature', positiveFinite],
  ['max_num_steps', positive],
  ['num_steps_between_checkpoints', positive],
  [
    'interpolation_polynomial',
    oneOrTwo('interpolation_polynomial{0}, must be 1 for Hermite or 2 for polynomial interpolation of ODE solution'),
  ],
  ['solver_forward', oneOrTwo('solver_forward{0}, must be 1 for Adams or 2 for BDF forward solver')],
  ['solver_backward', oneOrTwo('solver_backward{0}, must be 1 for Adams or 2 for BDF backward solver')],
];

/** The same numbers as another type with the same layout, such as a vector as an array of reals. */
function relabeled<V extends Value>(value: V, type: Type): V {
  return { ...value, type };
}
