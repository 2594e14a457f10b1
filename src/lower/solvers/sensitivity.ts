import { containerOf } from '../../functions/broadcast.js';
import { NoTangent } from '../../gradient/forward/missing-derivatives.js';
import { writeTangents } from '../../gradient/forward/tangents.js';
import { container, count, lazyFlat } from '../../ir/builder.js';
import { add, and, call1, compare, int, load, mul, real, sub, toReal } from '../../ir/expressions.js';
import type { Expr, Local, Ref, Variable } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { VECTOR } from '../../language/types.js';
import type { Lowering } from '../lowering.js';
import { captureVector } from './jacobian.js';

/**
 * The sensitivities whose errors a solver controls: derivatives of the states along directions in the space of everything that they depend
 * on. Controlling them makes the step sizes suitable for gradients.
 */
export interface Sensitivities {
  /** Number of sensitivities. */
  readonly count: Expr;
  /** Whether the states' initial values vary; the first sensitivities are then those to the initial values. */
  readonly variesInitially: boolean;
  /** One direction in which everything varies, or one direction per axis. */
  readonly along: 'a direction' | 'each axis';
  /** Constants that vary, and their elements of the direction. */
  readonly seeds: ReadonlyMap<Variable, Variable>;
  /** Emits statements in which the seeds have the direction with this number. */
  readonly within: (number: Expr, write: () => void) => void;
}

/** One sensitivity, along a direction without zeros. */
export function oneSensitivity(
  lowering: Lowering,
  constants: readonly Value[],
  variesInitially: boolean,
): Sensitivities {
  const { builder } = lowering;
  const seeds = new Map<Variable, Variable>();
  for (const leaf of varyingLeaves(constants)) {
    const k = seeds.size + 1;
    if (leaf.kind === 'local') {
      const local = builder.newLocal('real', 'direction');
      builder.assign(local, weight(int(0), k));
      seeds.set(leaf.local, local);
    } else {
      const ref = builder.allocate('real', leaf.value.sizes, 'direction');
      builder.fill(
        ref,
        lazyFlat(leaf.value.type, 'data', leaf.value.sizes, (i) => weight(i, k)),
      );
      seeds.set(leaf.ref, ref);
    }
  }
  return { count: int(1), variesInitially, along: 'a direction', seeds, within: (_, write) => write() };
}

/** The sensitivities to each initial state, if these vary, and to each number among the constants that varies. */
export function eachSensitivity(
  lowering: Lowering,
  constants: readonly Value[],
  variesInitially: boolean,
  states: Expr,
): Sensitivities {
  const { builder } = lowering;
  const seeds = new Map<Variable, Variable>();
  const setters: ((number: Expr, x: number) => void)[] = [];
  let total: Expr = variesInitially ? states : int(0);
  for (const leaf of varyingLeaves(constants)) {
    const offset = total;
    if (leaf.kind === 'local') {
      const local = builder.newLocal('real', 'direction');
      builder.assign(local, real(0));
      seeds.set(leaf.local, local);
      setters.push((number, x) => {
        builder.if(compare('eq', number, offset), () => builder.assign(local, real(x)));
      });
      total = builder.bind(add(offset, int(1)));
    } else {
      const ref = builder.allocate('real', leaf.value.sizes, 'direction', 'zero');
      seeds.set(leaf.ref, ref);
      const end = builder.bind(add(offset, count(leaf.value.sizes)));
      setters.push((number, x) => {
        const isInside = and(compare('ge', number, offset), compare('lt', number, end));
        builder.if(isInside, () => builder.store(ref, sub(number, offset), real(x)));
      });
      total = end;
    }
  }
  const within = (number: Expr, write: () => void): void => {
    for (const set of setters) set(number, 1);
    write();
    for (const set of setters) set(number, 0);
  };
  return { count: total, variesInitially, along: 'each axis', seeds, within };
}

type Leaf =
  | { readonly kind: 'local'; readonly local: Local }
  | { readonly kind: 'ref'; readonly ref: Ref; readonly value: ContainerValue };

function varyingLeaves(values: readonly Value[]): readonly Leaf[] {
  return values.flatMap((value): readonly Leaf[] => {
    if (value.kind === 'composite') return varyingLeaves(value.parts);
    if (value.level === 'data') return [];
    if (value.kind === 'scalar') return value.value.kind === 'get' ? [{ kind: 'local', local: value.value.local }] : [];
    return value.ref === null ? [] : [{ kind: 'ref', ref: value.ref, value }];
  });
}

/**
 * The derivatives of the states, followed by those of the sensitivities.
 *
 * `f` returns the derivative for states at the level of parameters. If it has no forward derivative, the derivatives of the sensitivities
 * are 0, and only the states are controlled.
 */
export function augmentedDerivative(
  lowering: Lowering,
  f: (states: Value) => Value,
  augmented: Value,
  sensitivities: Sensitivities,
  size: Expr,
): Value {
  const { builder } = lowering;
  const given = containerOf(augmented);
  const sizes = [add(size, mul(size, sensitivities.count))];
  const result = builder.allocate('real', sizes, 'augmented');
  const slope = writeSensitivities(lowering, f, {
    size,
    state: (i) => given.flat(i),
    sensitivity: (i) => given.flat(add(size, i)),
    sensitivities,
    write: (i, value) => builder.store(result, add(size, i), value),
  });
  builder.each(size, (i) => builder.store(result, i, load(slope, i)));
  return container(VECTOR, 'data', result, sizes);
}

/** The derivatives of the sensitivities alone, as in `augmentedDerivative`. */
export function sensitivityDerivative(
  lowering: Lowering,
  f: (states: Value) => Value,
  states: Value,
  along: Value,
  sensitivities: Sensitivities,
): Value {
  const { builder } = lowering;
  const state = containerOf(states);
  const given = containerOf(along);
  const [size] = state.sizes;
  const sizes = [mul(size, sensitivities.count)];
  const result = builder.allocate('real', sizes, 'sensitivity');
  writeSensitivities(lowering, f, {
    size,
    state: (i) => state.flat(i),
    sensitivity: (i) => given.flat(i),
    sensitivities,
    write: (i, value) => builder.store(result, i, value),
  });
  return container(VECTOR, 'data', result, sizes);
}

interface Along {
  readonly size: Expr;
  readonly state: (i: Expr) => Expr;
  readonly sensitivity: (i: Expr) => Expr;
  readonly sensitivities: Sensitivities;
  readonly write: (i: Expr, value: Expr) => void;
}

/** Writes the derivatives of the sensitivities, element by element; returns the derivatives of the states. */
function writeSensitivities(
  lowering: Lowering,
  f: (states: Value) => Value,
  { size, state, sensitivity, sensitivities, write }: Along,
): Ref {
  const { builder } = lowering;
  const states = builder.allocate('real', [size], 'states');
  const direction = builder.allocate('real', [size], 'direction');
  builder.each(size, (i) => builder.store(states, i, state(i)));
  const slope = builder.newRef('real', 1, 'slope');
  const body = captureVector(lowering, f, states, size, slope);
  const writeOne = (number: Expr): void => {
    const first = builder.bind(mul(number, size));
    builder.each(size, (i) => builder.store(direction, i, sensitivity(add(first, i))));
    sensitivities.within(number, () => {
      const tangents = writeTangents(
        builder,
        body,
        new Map([...sensitivities.seeds, [states, direction]]),
        lowering.tangents.optional,
      );
      builder.each(size, (i) => write(add(first, i), tangents.element(slope, i)));
    });
  };
  try {
    if (sensitivities.along === 'a direction') {
      for (const statement of builder.capture(() => writeOne(int(0)))) builder.emit(statement);
      return slope;
    }
    for (const statement of builder.capture(() => builder.each(sensitivities.count, writeOne))) builder.emit(statement);
  } catch (error) {
    if (!(error instanceof NoTangent)) throw error;
    builder.each(mul(size, sensitivities.count), (i) => write(i, real(0)));
  }
  // The statements of the sensitivities may be skipped at run time.
  const own = builder.newRef('real', 1, 'slope');
  for (const statement of captureVector(lowering, f, states, size, own)) builder.emit(statement);
  return own;
}

/** The initial states, followed by the initial sensitivities. */
export function augmentedStates(lowering: Lowering, initial: Value, sensitivities: Sensitivities): Value {
  const { builder } = lowering;
  const { along, variesInitially, count: numbers } = sensitivities;
  const given = containerOf(initial);
  const [size] = given.sizes;
  const sizes = [add(size, mul(size, numbers))];
  const result = builder.allocate('real', sizes, 'augmented', 'zero');
  builder.each(size, (i) => {
    builder.store(result, i, given.flat(i));
    if (!variesInitially) return;
    if (along === 'a direction') builder.store(result, add(size, i), weight(i, 0));
    else builder.store(result, add(size, mul(i, add(size, int(1)))), real(1));
  });
  return container(VECTOR, 'data', result, sizes);
}

/** Between ½ and 1½, and different for each element: opposite sensitivities then do not cancel. */
function weight(i: Expr, k: number): Expr {
  return add(real(1), mul(real(0.5), call1('cos', add(mul(real(2.4), toReal(i)), real(1.7 * k)))));
}
