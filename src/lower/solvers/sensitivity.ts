import { containerOf } from '../../functions/broadcast.js';
import { container, lazyFlat } from '../../ir/builder.js';
import { add, call1, int, load, mul, real, toReal } from '../../ir/expressions.js';
import type { Expr, Ref, Variable } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { VECTOR } from '../../language/types.js';
import { NoTangent, writeTangents } from '../../tangent/tangent.js';
import type { Lowering } from '../lowering.js';
import { captureVector } from './jacobian.js';

/**
 * The derivative of the states followed by that of a sensitivity: the states' own derivative along one direction in the space of everything
 * that they depend on. A solver that controls the error of both takes steps that also suit gradients.
 *
 * `f` gives the derivative for states at the level of parameters; `seeds` are its constants with their directions. Where `f` has no
 * forward derivative, the sensitivity's is 0, and the states alone are controlled.
 */
export function augmentedDerivative(
  lowering: Lowering,
  f: (states: Value) => Value,
  augmented: Value,
  seeds: ReadonlyMap<Variable, Variable>,
  size: Expr,
): Value {
  const { builder } = lowering;
  const given = containerOf(augmented);
  const result = builder.allocate('real', [add(size, size)], 'augmented');
  const slope = writeSensitivity(
    lowering,
    f,
    { size, state: (i) => given.flat(i), sensitivity: (i) => given.flat(add(size, i)), seeds },
    (i, value) => builder.store(result, add(size, i), value),
  );
  builder.each(size, (i) => builder.store(result, i, load(slope, i)));
  return container(VECTOR, 'data', result, [add(size, size)]);
}

/** The derivative of the sensitivity alone, as in `augmentedDerivative`. */
export function sensitivityDerivative(
  lowering: Lowering,
  f: (states: Value) => Value,
  states: Value,
  sensitivity: Value,
  seeds: ReadonlyMap<Variable, Variable>,
): Value {
  const { builder } = lowering;
  const state = containerOf(states);
  const along = containerOf(sensitivity);
  const [size] = state.sizes;
  const result = builder.allocate('real', [size], 'sensitivity');
  writeSensitivity(
    lowering,
    f,
    { size, state: (i) => state.flat(i), sensitivity: (i) => along.flat(i), seeds },
    (i, value) => builder.store(result, i, value),
  );
  return container(VECTOR, 'data', result, [size]);
}

interface Along {
  readonly size: Expr;
  readonly state: (i: Expr) => Expr;
  readonly sensitivity: (i: Expr) => Expr;
  readonly seeds: ReadonlyMap<Variable, Variable>;
}

/** Writes the derivative of the sensitivity, element by element; the states' own is in the container that it gives. */
function writeSensitivity(
  lowering: Lowering,
  f: (states: Value) => Value,
  { size, state, sensitivity, seeds }: Along,
  write: (i: Expr, value: Expr) => void,
): Ref {
  const { builder } = lowering;
  const states = builder.allocate('real', [size], 'states');
  const direction = builder.allocate('real', [size], 'direction');
  builder.each(size, (i) => builder.store(states, i, state(i)));
  builder.each(size, (i) => builder.store(direction, i, sensitivity(i)));
  const slope = builder.newRef('real', 1, 'slope');
  const body = captureVector(lowering, f, states, size, slope);
  try {
    const written = builder.capture(() => {
      const tangents = writeTangents(
        builder,
        body,
        new Map([...seeds, [states, direction]]),
        lowering.tangents.optional,
      );
      builder.each(size, (i) => write(i, tangents.element(slope, i)));
    });
    for (const statement of written) builder.emit(statement);
  } catch (error) {
    if (!(error instanceof NoTangent)) throw error;
    for (const statement of body) builder.emit(statement);
    builder.each(size, (i) => write(i, real(0)));
  }
  return slope;
}

/** The states, followed by the direction in which they start. */
export function augmentedStates(lowering: Lowering, initial: Value, varies: boolean): Value {
  const { builder } = lowering;
  const given = containerOf(initial);
  const [size] = given.sizes;
  const result = builder.allocate('real', [add(size, size)], 'augmented');
  builder.each(size, (i) => builder.store(result, i, given.flat(i)));
  builder.each(size, (i) => builder.store(result, add(size, i), varies ? weight(i, 0) : real(0)));
  return container(VECTOR, 'data', result, [add(size, size)]);
}

/** For each variable of constants a variable with their direction. */
export function directionsOf(lowering: Lowering, constants: readonly Value[]): ReadonlyMap<Variable, Variable> {
  const { builder } = lowering;
  const directions = new Map<Variable, Variable>();
  const visit = (value: Value): void => {
    const k = directions.size + 1;
    if (value.kind === 'composite') value.parts.forEach(visit);
    else if (value.level === 'data') return;
    else if (value.kind === 'scalar') {
      if (value.value.kind !== 'get') return;
      const local = builder.newLocal('real', 'direction');
      builder.assign(local, weight(int(0), k));
      directions.set(value.value.local, local);
    } else if (value.ref !== null) {
      const ref = builder.allocate('real', value.sizes, 'direction');
      builder.fill(
        ref,
        lazyFlat(value.type, 'data', value.sizes, (i) => weight(i, k)),
      );
      directions.set(value.ref, ref);
    }
  };
  constants.forEach(visit);
  return directions;
}

/** Between ½ and 1½, and different for each element, so that opposite sensitivities do not cancel. */
function weight(i: Expr, k: number): Expr {
  return add(real(1), mul(real(0.5), call1('cos', add(mul(real(2.4), toReal(i)), real(1.7 * k)))));
}
