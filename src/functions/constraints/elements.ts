import { type Builder, container, count, levelOf } from '../../ir/builder.js';
import { compare, int, mul, toReal, ZERO } from '../../ir/expressions.js';
import { sameExpression } from '../../ir/interned.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { type AutodiffLevel, REAL, type Type, unwindArray } from '../../language/types.js';
import { ensure, type MessagePart } from '../ensure.js';
import type { JacobianSink } from '../entry.js';
import { reusable } from '../shapes.js';
import { type Arguments, type ElementwiseConstraint, type InversePlace, OFFSET_MULTIPLIER } from './elementwise.js';
import { linearPlaceInside, placeInside, placeOf } from './places.js';

/** The arguments of a constraint: scalars, or containers with the sizes of the variable; null if absent. */
export interface ArgumentValues {
  readonly first: Value | null;
  readonly second: Value | null;
}

/** A constraint with its arguments. */
interface Bound {
  readonly rule: ElementwiseConstraint;
  readonly args: ArgumentValues;
  readonly level: AutodiffLevel;
  /** The arguments of the element at a linear position. */
  readonly at: (position: Expr) => Arguments;
}

function bound(builder: Builder, rule: ElementwiseConstraint, value: Value, given: ArgumentValues): Bound {
  const ready = (arg: Value | null): Value | null => {
    if (arg?.kind === 'container') return reusable(builder, arg);
    if (arg?.kind !== 'scalar' || arg.value.kind === 'get') return arg;
    return { ...arg, value: builder.bind(arg.value, 'bound') };
  };
  const args = { first: ready(given.first), second: ready(given.second) };
  const read = (arg: Value | null, position: Expr): Expr | null => {
    if (arg === null) return null;
    if (arg.kind === 'composite') throw new Error('A bound is a scalar or a container');
    return arg.kind === 'scalar' ? arg.value : arg.flat(position);
  };
  const { first, second } = args;
  return {
    rule,
    args,
    level: levelOf([value, first, second].filter((arg) => arg !== null)),
    at: (position) => ({ first: read(first, position), second: read(second, position) }),
  };
}

/** Transforms free values to values within the bounds, and adds the log Jacobian of the transform. */
export function constrainElements(
  builder: Builder,
  rule: ElementwiseConstraint,
  x: Value,
  args: ArgumentValues,
  jacobian: JacobianSink | null,
  name = 'constrained',
): Value {
  const given = bound(builder, rule, x, args);
  const { at, level } = given;
  if (x.kind === 'composite') throw new Error('A tuple is constrained slot by slot');
  checkSizes(builder, given, x, rule.words.constrain);
  checkArguments(builder, given, x);
  if (x.kind === 'scalar') {
    const free = builder.bind(toReal(x.value), 'x');
    jacobian?.(rule.jacobian(free, at(int(0))));
    return { kind: 'scalar', type: REAL, level, value: rule.constrain(builder, free, at(int(0))) };
  }
  const out = builder.allocate('real', x.sizes, name);
  const isConstant = isConstantJacobian(given);
  builder.elements(x, (element, i) => {
    const free = builder.bind(toReal(element), 'x');
    if (!isConstant) jacobian?.(rule.jacobian(free, at(i)));
    builder.store(out, i, rule.constrain(builder, free, at(i)));
  });
  if (isConstant) jacobian?.(mul(toReal(count(x.sizes)), rule.jacobian(ZERO, at(int(0)))));
  return container(x.type, level, out, x.sizes);
}

function isConstantJacobian({ rule, args }: Bound): boolean {
  return rule === OFFSET_MULTIPLIER && args.first?.kind !== 'container' && args.second?.kind !== 'container';
}

/**
 * The inverse of `constrainElements`. Rejects values outside the bounds, with the message of Stan's inverse, unless relative rounding errors
 * of at most `rounding` explain them.
 */
export function unconstrainElements(
  builder: Builder,
  rule: ElementwiseConstraint,
  y: Value,
  args: ArgumentValues,
  rounding: Expr | null = null,
): Value {
  const given = bound(builder, rule, y, args);
  const { at, level } = given;
  if (y.kind === 'composite') throw new Error('A tuple is unconstrained slot by slot');
  const { unconstrain, unconstrainArray } = rule.words;
  checkSizes(builder, given, y, unwindArray(y.type).depth > 0 ? unconstrainArray : unconstrain);
  checkArguments(builder, given, y);
  const read = (element: Expr, i: Expr): Expr => {
    const value = builder.bind(toReal(element), 'y');
    return rounding === null ? value : builder.bind(rule.nearest(value, at(i), rounding), 'nearest');
  };
  if (y.kind === 'scalar') {
    const value = read(y.value, int(0));
    rule.checkInverse(builder, value, at(int(0)), NOWHERE);
    return { kind: 'scalar', type: REAL, level, value: rule.unconstrain(builder, value, at(int(0))) };
  }
  const { first, second } = given.args;
  const isWhole = first?.kind !== 'container' && second?.kind !== 'container';
  const out = builder.allocate('real', y.sizes, 'free');
  builder.elements(y, (element, i) => {
    const value = read(element, i);
    rule.checkInverse(builder, value, at(i), isWhole ? inversePlace(y, i) : NOWHERE);
    builder.store(out, i, rule.unconstrain(builder, value, at(i)));
  });
  return container(y.type, level, out, y.sizes);
}

const NOWHERE: InversePlace = { index: [], linear: [] };

function inversePlace({ type, sizes }: ContainerValue, position: Expr): InversePlace {
  return { index: placeInside(type, sizes, position), linear: linearPlaceInside(type, sizes, position) };
}

/** Stan's checks of a declared variable; `subject` contains the checking function and the variable's name. */
export function checkElements(
  builder: Builder,
  rule: ElementwiseConstraint,
  y: Value,
  args: ArgumentValues,
  subject: string,
): void {
  if (rule.checks.length === 0) return;
  const given = bound(builder, rule, y, args);
  if (y.kind === 'composite') throw new Error('A tuple is checked slot by slot');
  if (y.kind === 'scalar') {
    for (const check of rule.checks) check(builder, y.value, given.at(int(0)), [subject]);
    return;
  }
  checkSizes(builder, given, y, rule.words.constrain);
  for (const check of rule.checks) {
    builder.each(count(y.sizes), (i) => {
      const value = builder.bind(y.flat(i), 'y');
      check(builder, value, given.at(i), [subject, ...placeOf(y.type, y.sizes, i)]);
    });
  }
}

/** Checks the arguments: scalars once, containers element by element. */
function checkArguments(builder: Builder, { rule, args, level, at }: Bound, value: Value): void {
  for (const { reads, check, isPlacedInDerivatives = false } of rule.argumentChecks) {
    if (reads.some((name) => args[name] === null)) continue;
    const container = reads.map((name) => args[name]).find((arg) => arg?.kind === 'container');
    if (container === undefined || value.kind !== 'container') {
      check(builder, at(int(0)), []);
      continue;
    }
    const named = args[reads[0]];
    const isPlaced = named?.kind === 'container' && (level === 'autodiff' || !isPlacedInDerivatives);
    builder.each(count(value.sizes), (i) =>
      check(builder, at(i), isPlaced ? placeInside(value.type, value.sizes, i) : []),
    );
  }
}

/** Requires that containers among the arguments have the value's sizes: `lb_constrain: x (2, 1) and lb (3, 1) must match in size`. */
function checkSizes(builder: Builder, { rule, args }: Bound, value: Value, words: string): void {
  if (value.kind !== 'container') return;
  const { first, second } = args;
  if (first?.kind === 'container') checkMatching(builder, words, rule.words.first, value, first);
  if (second?.kind === 'container') checkMatching(builder, words, rule.words.second, value, second);
}

function checkMatching(
  builder: Builder,
  words: string,
  name: string,
  value: ContainerValue,
  other: ContainerValue,
): void {
  const show = (sizes: readonly Expr[]): MessagePart[] =>
    dimensions(value.type, sizes).flatMap((size, k) => (k === 0 ? [size] : [', ', size]));
  value.sizes.forEach((size, axis) => {
    if (sameExpression(size, other.sizes[axis])) return;
    const message = [
      `${words} (`,
      ...show(value.sizes),
      `) and ${name} (`,
      ...show(other.sizes),
      ') must match in size',
    ];
    ensure(builder, compare('eq', size, other.sizes[axis]), message, 'error');
  });
}

/** The sizes as Stan Math lists them: a vector has one column, and a row vector one row. */
function dimensions(type: Type, sizes: readonly Expr[]): readonly Expr[] {
  const { element, depth } = unwindArray(type);
  if (element.kind === 'vector') return [...sizes, int(1)];
  return element.kind === 'row_vector' ? [...sizes.slice(0, depth), int(1), ...sizes.slice(depth)] : sizes;
}
