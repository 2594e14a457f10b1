import { type Builder, container, elementOf, lazyFlat, position } from '../ir/builder.js';
import { composite } from '../ir/composite.js';
import { ABSENT } from '../ir/exact.js';
import { add, apply, compare, get, int, load, real, size, toReal } from '../ir/expressions.js';
import type { Expr, Local, Ref } from '../ir/nodes.js';
import type { ContainerValue, ScalarValue, Value } from '../ir/value.js';
import { type AutodiffLevel, partsOf, rankOf, type Type, unwindArray } from '../language/types.js';

export type StoredContainer = ContainerValue & { readonly ref: Ref };

/** The storage of a variable's value. */
export type Storage =
  | { readonly kind: 'scalar'; readonly local: Local }
  | { readonly kind: 'container'; readonly ref: Ref }
  | { readonly kind: 'composite'; readonly parts: readonly Storage[] };

/** The meaning of a name. A function's argument and a loop variable have no storage, because they are never assigned. */
export interface Binding {
  readonly value: Value;
  readonly storage: Storage | null;
  /** The block that declares a local variable. */
  readonly block?: number;
}

export function scalarValue(type: Type, level: AutodiffLevel, value: Expr): ScalarValue {
  return { kind: 'scalar', type, level: elementOf(type) === 'int' ? 'data' : level, value };
}

/** The container in `ref`, with sizes given as expressions, which are often simpler than reads of the header. */
export function storedContainer(type: Type, level: AutodiffLevel, ref: Ref, sizes: readonly Expr[]): StoredContainer {
  return container(type, level, ref, sizes);
}

/** The contents of `ref` from element `offset`, as a contiguous container. */
export function windowOf(
  builder: Builder,
  type: Type,
  level: AutodiffLevel,
  ref: Ref,
  offset: Expr,
  sizes: readonly Expr[],
): StoredContainer {
  const view = builder.view(ref, offset, sizes);
  return {
    ...container(type, level, view, sizes),
    flat: (i) => load(ref, add(offset, i)),
    at: (...indexes) => load(ref, add(offset, position(type, sizes, indexes))),
  };
}

function sizesOfRef(ref: Ref): readonly Expr[] {
  return Array.from({ length: ref.rank }, (_, axis) => size(ref, axis));
}

/** An implicit conversion of a value: ints to reals, both to complex numbers, also inside containers and tuples. */
export function promoteValue(value: Value, type: Type): Value {
  if (value.kind !== 'composite' && unwindArray(type).element.kind.startsWith('complex')) {
    const [part] = partsOf(type) ?? [];
    return composite(type, [promoteValue(value, part), zeroLike(value, part)]);
  }
  switch (value.kind) {
    case 'scalar':
      return type.kind === 'real' && value.value.type === 'int'
        ? { ...value, type, value: toReal(value.value) }
        : value;
    case 'container': {
      if (elementOf(type) === elementOf(value.type)) return value;
      return {
        ...value,
        type,
        flat: (i) => toReal(value.flat(i)),
        at: (...indexes) => toReal(value.at(...indexes)),
        ref: null,
      };
    }
    case 'composite': {
      const types = partsOf(type);
      return types === null
        ? value
        : composite(
            type,
            value.parts.map((part, i) => promoteValue(part, types[i])),
          );
    }
  }
}

/** The absent imaginary parts of real numbers, in the shape of `value`. */
function zeroLike(value: ScalarValue | ContainerValue, type: Type): Value {
  return value.kind === 'scalar'
    ? scalarValue(type, 'data', ABSENT)
    : lazyFlat(type, 'data', value.sizes, () => ABSENT);
}

/** The same value at another autodiff level; ints are always data. */
export function withLevel(value: Value, level: AutodiffLevel): Value {
  if (value.kind === 'composite') return { ...value, level, parts: value.parts.map((part) => withLevel(part, level)) };
  return { ...value, level: elementOf(value.type) === 'int' ? 'data' : level };
}

/** The first size of a container; all parts of a composite have the same one. */
export function lengthOf(value: Value): Expr {
  if (value.kind === 'composite') return lengthOf(value.parts[0]);
  if (value.kind === 'scalar') throw new Error('A scalar has no length');
  return value.sizes[0];
}

/** Whether reading the value again is free and returns the same result. */
export function isRepeatable(e: Expr): boolean {
  return e.kind === 'const' || e.kind === 'get';
}

/** The value of a storage. */
export function valueIn(storage: Storage, type: Type, level: AutodiffLevel, sizes: readonly Expr[] = []): Value {
  if (storage.kind === 'scalar') return scalarValue(type, level, get(storage.local));
  if (storage.kind === 'container') {
    return storedContainer(type, level, storage.ref, sizes.length === rankOf(type) ? sizes : sizesOfRef(storage.ref));
  }
  const types = partsOf(type) ?? [];
  return composite(
    type,
    storage.parts.map((part, i) => valueIn(part, types[i], level)),
  );
}

/** The value as a constant, without derivatives. */
export function detached(value: Value): Value {
  if (value.level === 'data') return value;
  switch (value.kind) {
    case 'scalar':
      return { ...value, level: 'data', value: apply('detached', 'real', value.value) };
    case 'container':
      return lazyFlat(value.type, 'data', value.sizes, (i) => apply('detached', 'real', value.flat(i)));
    case 'composite':
      return composite(value.type, value.parts.map(detached));
  }
}

const TRUTH_VALUES: ReadonlySet<string> = new Set([
  ...['lt', 'le', 'gt', 'ge', 'eq', 'ne'].flatMap((op) => [op, `${op}_int`]),
  'and',
  'or',
  'not',
]);

/** An int or real that is not zero, or a comparison, as a truth value. */
export function truth(x: Expr): Expr {
  if (x.kind === 'apply' && TRUTH_VALUES.has(x.op)) return x;
  return compare('ne', x, x.type === 'int' ? int(0) : real(0));
}

/** The value of a call of a void function. */
export const NOTHING: Value = { kind: 'composite', type: { kind: 'void' }, level: 'data', parts: [] };
