import { type Builder, container, count, pointer } from '../../ir/builder.js';
import { add, compare, int, load, mul, select, ZERO } from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import type { ContainerValue } from '../../ir/value.js';
import { arrayOf, MATRIX, type Type, unwindArray, VECTOR } from '../../language/types.js';
import type { JacobianSink } from '../entry.js';
import { reusable } from '../shapes.js';
import type { ReadableSlice, Slice, StructuredConstraint } from './constraint.js';
import { placeInArray } from './places.js';

/** Transforms free values to constrained values of the sizes `inner`, one per element of an array, and adds the log Jacobian. */
export function constrainStructures(
  builder: Builder,
  rule: StructuredConstraint,
  free: ContainerValue,
  inner: readonly Expr[],
  jacobian: JacobianSink | null,
  name = 'constrained',
): ContainerValue {
  const x = reusable(builder, free);
  const { outer, inner: freeInner } = split(x);
  const sizes = [...outer, ...inner];
  const out = builder.allocate('real', sizes, name);
  eachArrayElement(builder, outer, (k) =>
    rule.constrain(
      builder,
      inner,
      readOnly(builder, x, mul(k, count(freeInner))),
      outputSlice(builder, out, outer, mul(k, count(inner))),
      { jacobian, level: x.level },
    ),
  );
  return container(typeOf(inner, outer), x.level, out, sizes);
}

/**
 * The inverse of `constrainStructures`. Rejects invalid values, with the message of Stan's inverse. If `rounding` is positive, first
 * corrects what relative rounding errors of at most `rounding` explain.
 */
export function unconstrainStructures(
  builder: Builder,
  rule: StructuredConstraint,
  value: ContainerValue,
  rounding: Expr | null = null,
): ContainerValue {
  const y = builder.materialize(value);
  const { outer, inner } = split(y);
  const { correct } = rule;
  if (rounding !== null && correct !== undefined) {
    builder.if(compare('gt', rounding, ZERO), () =>
      eachArrayElement(builder, outer, (k) =>
        correct(builder, inner, sliceOf(builder, y.ref, mul(k, count(inner))), rounding),
      ),
    );
  }
  const free = rule.freeSizes(inner).map((size) => select(compare('lt', size, int(0)), int(0), size));
  const sizes = [...outer, ...free];
  const out = builder.allocate('real', sizes, 'free');
  eachArrayElement(builder, outer, (k) =>
    rule.unconstrain(
      builder,
      inner,
      sliceOf(builder, y.ref, mul(k, count(inner))),
      sliceOf(builder, out, mul(k, count(free))),
    ),
  );
  return container(typeOf(free, outer), y.level, out, sizes);
}

/** Stan's check of a declared variable; `caller` is the checking function. */
export function checkStructures(
  builder: Builder,
  rule: StructuredConstraint,
  value: ContainerValue,
  name: string,
): void {
  const y = builder.materialize(value);
  const { outer, inner } = split(y);
  eachArrayElement(builder, outer, (k) => {
    const place = rule.anonymousInArrays ? [] : placeInArray(outer, k);
    const slice = sliceOf(builder, y.ref, mul(k, count(inner)));
    rule.check(builder, inner, slice, { name: [name, ...place] });
  });
}

/** The sizes of the array, and of the values in it. */
function split({ type, sizes }: ContainerValue): { readonly outer: readonly Expr[]; readonly inner: readonly Expr[] } {
  const { depth } = unwindArray(type);
  return { outer: sizes.slice(0, depth), inner: sizes.slice(depth) };
}

/** The sizes of one value in an array, or of the value itself. */
export function innerSizes(value: ContainerValue): readonly Expr[] {
  return split(value).inner;
}

function typeOf(inner: readonly Expr[], outer: readonly Expr[]): Type {
  return arrayOf(inner.length === 1 ? VECTOR : MATRIX, outer.length);
}

/** Runs for each element of an array with its linear index; once, with 0, for a value outside of arrays. */
function eachArrayElement(builder: Builder, outer: readonly Expr[], run: (k: Expr) => void): void {
  if (outer.length === 0) run(int(0));
  else builder.each(count(outer), run);
}

/** The elements of a value, starting at position `base`. */
function readOnly(builder: Builder, value: ContainerValue, base: Expr): ReadableSlice {
  const start = builder.bind(base, 'base');
  return { read: (i) => value.flat(add(start, i)) };
}

/** The memory of one value in an array. It has no address for kernels, because their writes would count as overwriting earlier values. */
function outputSlice(builder: Builder, ref: Ref, outer: readonly Expr[], base: Expr): Slice {
  const { address, ...slice } = sliceOf(builder, ref, base);
  return outer.length === 0 ? { ...slice, address } : slice;
}

function sliceOf(builder: Builder, ref: Ref, base: Expr): Slice {
  const start = builder.bind(base, 'base');
  return {
    read: (i) => load(ref, add(start, i)),
    write: (i, value) => builder.store(ref, add(start, i), value),
    address: pointer(ref, start),
  };
}
