import type { Typed } from '../check/typed.js';
import { count, indexesOf, pointer } from '../ir/builder.js';
import { add, compare, int, load, mul, ZERO } from '../ir/expressions.js';
import type { Expr, Ref } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { type AutodiffLevel, type Type, unwindArray } from '../language/types.js';
import type { Constraint, Expression, NamedConstraint } from '../syntax/ast.js';
import type { Slice, StructuredConstraint, Subject } from './constraints/constraint.js';
import {
  type Arguments,
  type ElementwiseConstraint,
  LOWER,
  LOWER_UPPER,
  OFFSET_MULTIPLIER,
  UPPER,
} from './constraints/elementwise.js';
import { STRUCTURED } from './constraints/table.js';
import { lowerExpression } from './expressions.js';
import { ensure, type MessagePart } from './failure.js';
import type { Lowering } from './lowering.js';
import { sameExpression } from './same.js';
import { isRepeatable, scalarValue, storedContainer, windowOf } from './values.js';

/** A variable's constraint with its arguments evaluated. */
export type EvaluatedConstraint =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'elementwise';
      readonly rule: ElementwiseConstraint;
      readonly first: Value | null;
      readonly second: Value | null;
    }
  | { readonly kind: 'structured'; readonly rule: StructuredConstraint };

export function evaluateConstraint(lowering: Lowering, constraint: Constraint<Typed>): EvaluatedConstraint {
  const argument = (e: Expression<Typed>): Value => {
    const value = lowerExpression(lowering, e);
    if (value.kind === 'scalar') return { ...value, value: lowering.hold(value.value, 'bound') };
    return value.kind === 'container' ? lowering.builder.materialize(value, 'bound') : value;
  };
  const elementwise = (
    rule: ElementwiseConstraint,
    first: Expression<Typed> | null,
    second: Expression<Typed> | null,
  ): EvaluatedConstraint => ({
    kind: 'elementwise',
    rule,
    first: first && argument(first),
    second: second && argument(second),
  });
  switch (constraint.kind) {
    case 'none':
      return { kind: 'none' };
    case 'lower':
      return elementwise(LOWER, constraint.lower, null);
    case 'upper':
      return elementwise(UPPER, null, constraint.upper);
    case 'lower_upper':
      return elementwise(LOWER_UPPER, constraint.lower, constraint.upper);
    case 'offset':
      return elementwise(OFFSET_MULTIPLIER, constraint.offset, null);
    case 'multiplier':
      return elementwise(OFFSET_MULTIPLIER, null, constraint.multiplier);
    case 'offset_multiplier':
      return elementwise(OFFSET_MULTIPLIER, constraint.offset, constraint.multiplier);
    default:
      return { kind: 'structured', rule: STRUCTURED[constraint.kind] };
  }
}

/** The unconstrained sizes of a variable of these sizes. */
export function freeSizesOf(type: Type, sizes: readonly Expr[], constraint: Constraint<Typed>): readonly Expr[] {
  if (!isNamed(constraint.kind)) return sizes;
  const { depth } = unwindArray(type);
  return [...sizes.slice(0, depth), ...STRUCTURED[constraint.kind].freeSizes(sizes.slice(depth))];
}

function isNamed(kind: Constraint<Typed>['kind']): kind is NamedConstraint {
  return kind in STRUCTURED;
}

/** The arguments for the element at a linear position: scalars, or containers of the variable's own sizes. */
function argumentsAt(constraint: Extract<EvaluatedConstraint, { kind: 'elementwise' }>, i: Expr): Arguments {
  const at = (value: Value | null): Expr | null => {
    if (value === null) return null;
    if (value.kind === 'tuple') throw new Error('A bound is a scalar or a container');
    return value.kind === 'scalar' ? value.value : value.flat(i);
  };
  return { first: at(constraint.first), second: at(constraint.second) };
}

/** Checks the arguments themselves: containers have the variable's sizes; scalars once, elements one by one. */
function checkArguments(
  lowering: Lowering,
  constraint: Extract<EvaluatedConstraint, { kind: 'elementwise' }>,
  type: Type,
  sizes: readonly Expr[],
): void {
  const { builder } = lowering;
  const { rule, first, second } = constraint;
  const [caller, firstName, secondName] = ARGUMENT_NAMES.get(rule) ?? ['', '', ''];
  if (first?.kind === 'container') checkMatching(lowering, caller, firstName, type, sizes, first.sizes);
  if (second?.kind === 'container') checkMatching(lowering, caller, secondName, type, sizes, second.sizes);
  if (rule !== LOWER_UPPER && rule !== OFFSET_MULTIPLIER) return;
  const container = [first, second].find((value): value is ContainerValue => value?.kind === 'container');
  if (container === undefined) {
    rule.checkArguments(builder, argumentsAt(constraint, int(0)), []);
    return;
  }
  builder.each(count(container.sizes), (i) =>
    rule.checkArguments(builder, argumentsAt(constraint, i), ['[', add(i, int(1)), ']']),
  );
}

/** The function and the names of the arguments in Stan's messages about their sizes. */
const ARGUMENT_NAMES: ReadonlyMap<ElementwiseConstraint, readonly [string, string, string]> = new Map([
  [LOWER, ['lb_constrain', 'lb', '']],
  [UPPER, ['ub_constrain', '', 'ub']],
  [LOWER_UPPER, ['lub_constrain', 'lb', 'ub']],
  [OFFSET_MULTIPLIER, ['offset_multiplier_constrain', 'mu', 'sigma']],
]);

function checkMatching(
  lowering: Lowering,
  caller: string,
  name: string,
  type: Type,
  own: readonly Expr[],
  others: readonly Expr[],
): void {
  const show = (sizes: readonly Expr[]): MessagePart[] =>
    dimensions(type, sizes).flatMap((size, k) => (k === 0 ? [size] : [', ', size]));
  own.forEach((size, axis) => {
    if (sameExpression(size, others[axis])) return;
    const message = [`${caller}: x (`, ...show(own), `) and ${name} (`, ...show(others), ') must match in size'];
    ensure(lowering.builder, compare('eq', size, others[axis]), message, 'error');
  });
}

/** Sizes as Stan Math lists them: a vector has one column, a row vector one row. */
function dimensions(type: Type, sizes: readonly Expr[]): readonly Expr[] {
  const { element, depth } = unwindArray(type);
  if (element.kind === 'vector') return [...sizes, int(1)];
  return element.kind === 'row_vector' ? [...sizes.slice(0, depth), int(1), ...sizes.slice(depth)] : sizes;
}

export interface ReadPlace {
  readonly ref: Ref;
  readonly offset: Expr;
}

/** Reads a parameter from the unconstrained position, with the log Jacobian of its transform. */
export function constrainParameter(
  lowering: Lowering,
  name: string,
  type: Type,
  level: AutodiffLevel,
  sizes: readonly Expr[],
  constraint: EvaluatedConstraint,
  free: readonly Expr[],
  place: ReadPlace,
): Value {
  const { builder } = lowering;
  const counts = lowering.phase === 'logDensity';
  const jacobian = (value: Expr): void => {
    if (counts && !(value.kind === 'const' && value.value === 0)) builder.target(value, 'jacobian');
  };
  const read = (i: Expr): Expr => load(place.ref, add(place.offset, i));
  if (constraint.kind === 'elementwise') checkArguments(lowering, constraint, type, sizes);
  if (sizes.length === 0) {
    const x = builder.bind(read(int(0)), name);
    if (constraint.kind !== 'elementwise') return scalarValue(type, level, x);
    const args = argumentsAt(constraint, int(0));
    jacobian(constraint.rule.jacobian(x, args));
    return scalarValue(type, level, lowering.hold(constraint.rule.constrain(builder, x, args), name));
  }
  if (constraint.kind === 'none') return windowOf(builder, type, level, place.ref, place.offset, sizes);

  const out = builder.allocate('real', sizes, name);
  if (constraint.kind === 'elementwise') {
    const { rule } = constraint;
    const total = count(sizes);
    const fixed = constraint.first?.kind !== 'container' && constraint.second?.kind !== 'container';
    const isConstant = fixed && rule === OFFSET_MULTIPLIER;
    builder.each(total, (i) => {
      const x = builder.bind(read(i), 'x');
      const args = argumentsAt(constraint, i);
      if (!isConstant) jacobian(rule.jacobian(x, args));
      builder.store(out, i, rule.constrain(builder, x, args));
    });
    if (isConstant) {
      const once = rule.jacobian(ZERO, argumentsAt(constraint, int(0)));
      jacobian(mul({ kind: 'apply', type: 'real', op: 'to_real', args: [total] }, once));
    }
    return storedContainer(type, level, out, sizes);
  }
  const { depth } = unwindArray(type);
  eachArrayElement(lowering, type, sizes, (k) =>
    constraint.rule.constrain(
      builder,
      sizes.slice(depth),
      sliceOf(lowering, place.ref, add(place.offset, mul(k, count(free.slice(depth))))),
      sliceOf(lowering, out, mul(k, count(sizes.slice(depth)))),
      counts ? jacobian : null,
    ),
  );
  return storedContainer(type, level, out, sizes);
}

function sliceOf(lowering: Lowering, ref: Ref, base: Expr): Slice {
  const start = isRepeatable(base) ? base : lowering.hold(base, 'base');
  return {
    read: (i) => load(ref, add(start, i)),
    write: (i, value) => lowering.builder.store(ref, add(start, i), value),
    address: pointer(ref, start),
  };
}

/** Runs for each element of an array by its linear number; once, with 0, where there is no array. */
function eachArrayElement(lowering: Lowering, type: Type, sizes: readonly Expr[], run: (k: Expr) => void): void {
  const { depth } = unwindArray(type);
  if (depth === 0) run(int(0));
  else lowering.builder.for(int(0), count(sizes.slice(0, depth)), run);
}

/** Writes the unconstrained value of a parameter to the position: the inverse of `constrainParameter`. */
export function unconstrainParameter(
  lowering: Lowering,
  type: Type,
  sizes: readonly Expr[],
  constraint: EvaluatedConstraint,
  free: readonly Expr[],
  value: Value,
  place: ReadPlace,
): void {
  const { builder } = lowering;
  const write = (i: Expr, x: Expr): void => builder.store(place.ref, add(place.offset, i), x);
  if (constraint.kind === 'elementwise') checkArguments(lowering, constraint, type, sizes);
  if (value.kind === 'scalar') {
    if (constraint.kind !== 'elementwise') {
      write(int(0), value.value);
      return;
    }
    const args = argumentsAt(constraint, int(0));
    constraint.rule.checkInverse(builder, value.value, args, []);
    write(int(0), constraint.rule.unconstrain(builder, value.value, args));
    return;
  }
  if (value.kind !== 'container') throw new Error('A tuple is read slot by slot');
  if (constraint.kind === 'none') {
    builder.elements(value, (element, i) => write(i, element));
    return;
  }
  if (constraint.kind === 'elementwise') {
    const { rule } = constraint;
    const total = count(sizes);
    builder.each(total, (i) => {
      const args = argumentsAt(constraint, i);
      const y = builder.bind(value.flat(i), 'y');
      rule.checkInverse(builder, y, args, placeOf(type, sizes, i));
      write(i, rule.unconstrain(builder, y, args));
    });
    return;
  }
  const { depth } = unwindArray(type);
  const { ref } = builder.materialize(value);
  eachArrayElement(lowering, type, sizes, (k) => {
    const inner = sizes.slice(depth);
    const source = sliceOf(lowering, ref, mul(k, count(inner)));
    constraint.rule.check(builder, inner, source, constraint.rule.inverse);
    constraint.rule.unconstrain(
      builder,
      inner,
      source,
      sliceOf(lowering, place.ref, add(place.offset, mul(k, count(free.slice(depth))))),
    );
  });
}

/** Stan's index suffix of an element: `[2][3]` in arrays, `[2]` in vectors, `[1, 2]` in matrices. */
function placeOf(type: Type, sizes: readonly Expr[], linear: Expr): MessagePart[] {
  const { element, depth } = unwindArray(type);
  const indexes = indexesOf(type, sizes, linear).map((index) => add(index, int(1)));
  const parts: MessagePart[] = indexes.slice(0, depth).flatMap((index) => ['[', index, ']']);
  const inner = indexes.slice(depth);
  if (element.kind === 'matrix') return [...parts, '[', inner[0], ', ', inner[1], ']'];
  return inner.length === 0 ? parts : [...parts, '[', inner[0], ']'];
}

/** Stan's check of a declared variable against its constraint. */
export function checkConstraint(
  lowering: Lowering,
  name: string,
  type: Type,
  sizes: readonly Expr[],
  constraint: EvaluatedConstraint,
  value: Value,
): void {
  const { builder } = lowering;
  if (constraint.kind === 'none') return;
  const caller = lowering.checkingFunction;
  if (constraint.kind === 'elementwise') {
    const { rule } = constraint;
    if (rule === OFFSET_MULTIPLIER) return;
    if (value.kind === 'scalar') {
      rule.check(builder, value.value, argumentsAt(constraint, int(0)), [`${caller}: ${name}`]);
      return;
    }
    if (value.kind !== 'container') return;
    checkArguments(lowering, { ...constraint, rule: rule === LOWER_UPPER ? LOWER : rule }, type, sizes);
    builder.each(count(sizes), (i) => {
      const y = builder.bind(value.flat(i), 'y');
      rule.check(builder, y, argumentsAt(constraint, i), [`${caller}: ${name}`, ...placeOf(type, sizes, i)]);
    });
    return;
  }
  if (value.kind !== 'container') return;
  const { ref } = builder.materialize(value);
  const { depth } = unwindArray(type);
  eachArrayElement(lowering, type, sizes, (k) => {
    const inner = sizes.slice(depth);
    const indexes = depth === 0 ? [] : arrayIndexes(sizes.slice(0, depth), k);
    const subject: Subject = {
      function: caller,
      name: [name, ...indexes.flatMap((index): MessagePart[] => ['[', index, ']'])],
    };
    constraint.rule.check(builder, inner, sliceOf(lowering, ref, mul(k, count(inner))), subject);
  });
}

/** One-based indexes of the array element with linear number `k`. */
function arrayIndexes(sizes: readonly Expr[], k: Expr): Expr[] {
  const type: Type = sizes.reduce<Type>((element) => ({ kind: 'array', element }), { kind: 'real' });
  return indexesOf(type, sizes, k).map((index) => add(index, int(1)));
}
