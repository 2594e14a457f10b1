import type { Typed } from '../check/typed.js';
import { containerOf, scalarOf } from '../functions/broadcast.js';
import type { StructuredConstraint } from '../functions/constraints/constraint.js';
import { checkElements, constrainElements, unconstrainElements } from '../functions/constraints/elements.js';
import {
  type ElementwiseConstraint,
  LOWER,
  LOWER_UPPER,
  OFFSET_MULTIPLIER,
  UPPER,
} from '../functions/constraints/elementwise.js';
import { checkStructures, constrainStructures, unconstrainStructures } from '../functions/constraints/structures.js';
import { STRUCTURED } from '../functions/constraints/table.js';
import { type Builder, lazyFlat } from '../ir/builder.js';
import { add, int, load } from '../ir/expressions.js';
import type { Expr, Ref } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import { type AutodiffLevel, arrayOf, MATRIX, type Type, unwindArray, VECTOR } from '../language/types.js';
import type { Constraint, Expression, NamedConstraint } from '../syntax/ast.js';

import type { Lowering } from './lowering.js';
import { scalarValue, windowOf } from './values.js';

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
    const value = lowering.expression(e);
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

/** The unconstrained sizes of a variable with the given constrained sizes. */
export function freeSizesOf(type: Type, sizes: readonly Expr[], constraint: Constraint<Typed>): readonly Expr[] {
  if (!isNamed(constraint.kind)) return sizes;
  const { depth } = unwindArray(type);
  return [...sizes.slice(0, depth), ...STRUCTURED[constraint.kind].freeSizes(sizes.slice(depth))];
}

function isNamed(kind: Constraint<Typed>['kind']): kind is NamedConstraint {
  return kind in STRUCTURED;
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
  { ref, offset }: ReadPlace,
): Value {
  const { builder, jacobian } = lowering;
  const read = (i: Expr): Expr => load(ref, add(offset, i));
  if (sizes.length === 0) {
    if (constraint.kind !== 'elementwise') return scalarValue(type, level, builder.bind(read(int(0)), name));
    const x = scalarValue(type, level, read(int(0)));
    const value = constrainElements(builder, constraint.rule, x, constraint, jacobian);
    return scalarValue(type, level, lowering.hold(scalarOf(value), name));
  }
  if (constraint.kind === 'none') return windowOf(builder, type, level, ref, offset, sizes);
  const x = lazyFlat(constraint.kind === 'elementwise' ? type : freeTypeOf(type, free), level, free, read);
  if (constraint.kind === 'elementwise') {
    return constrainElements(builder, constraint.rule, x, constraint, jacobian, name);
  }
  return constrainStructures(builder, constraint.rule, x, sizes.slice(unwindArray(type).depth), jacobian, name);
}

/** The type of the free values of a variable; its rank is the number of their sizes. */
function freeTypeOf(type: Type, free: readonly Expr[]): Type {
  const { depth } = unwindArray(type);
  return arrayOf(free.length === depth + 1 ? VECTOR : MATRIX, depth);
}

/** Writes the unconstrained value of a parameter to the position: the inverse of `constrainParameter`. */
export function unconstrainParameter(
  lowering: Lowering,
  constraint: EvaluatedConstraint,
  value: Value,
  { ref, offset }: ReadPlace,
  rounding: Expr,
): void {
  const { builder } = lowering;
  const free = unconstrained(builder, constraint, value, rounding);
  const write = (i: Expr, x: Expr): void => builder.store(ref, add(offset, i), x);
  if (free.kind === 'scalar') write(int(0), free.value);
  else builder.elements(containerOf(free), (element, i) => write(i, element));
}

function unconstrained(builder: Builder, constraint: EvaluatedConstraint, value: Value, rounding: Expr): Value {
  switch (constraint.kind) {
    case 'none':
      return value;
    case 'elementwise':
      return unconstrainElements(builder, constraint.rule, value, constraint, rounding);
    case 'structured':
      return unconstrainStructures(builder, constraint.rule, containerOf(value), rounding);
  }
}

/** Stan's check of a declared variable against its constraint. */
export function checkConstraint(lowering: Lowering, name: string, constraint: EvaluatedConstraint, value: Value): void {
  const { builder } = lowering;
  if (constraint.kind === 'elementwise') {
    checkElements(builder, constraint.rule, value, constraint, name);
  } else if (constraint.kind === 'structured') {
    checkStructures(builder, constraint.rule, containerOf(value), name);
  }
}
