import { type Builder, container, elementOf, levelOf, position } from '../ir/builder.js';
import { add, get, load, size, toReal } from '../ir/expressions.js';
import type { Expr, Local, Ref } from '../ir/nodes.js';
import type { ContainerValue, ScalarValue, TupleValue, Value } from '../ir/value.js';
import { type AutodiffLevel, rankOf, type Type } from '../language/types.js';

export type StoredContainer = ContainerValue & { readonly ref: Ref };

/** Where the value of a variable lies. */
export type Storage =
  | { readonly kind: 'scalar'; readonly local: Local }
  | { readonly kind: 'container'; readonly ref: Ref }
  | { readonly kind: 'tuple'; readonly slots: readonly Storage[] };

/** What a name stands for; a function's argument and a loop variable have no storage, as they are never assigned. */
export interface Binding {
  readonly value: Value;
  readonly storage: Storage | null;
  /** The block that declares a local variable. */
  readonly block?: number;
}

export function scalarValue(type: Type, level: AutodiffLevel, value: Expr): ScalarValue {
  return { kind: 'scalar', type, level: elementOf(type) === 'int' ? 'data' : level, value };
}

/** The container in `ref`, whose sizes are known by other, often simpler expressions than reading them off it. */
export function storedContainer(type: Type, level: AutodiffLevel, ref: Ref, sizes: readonly Expr[]): StoredContainer {
  return { ...container(type, level, ref), sizes, at: (...indexes) => load(ref, position(type, sizes, indexes)) };
}

/** Contents of `ref` from element `offset` on, for a container that lies there. */
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
    ...container(type, level, view),
    sizes,
    flat: (i) => load(ref, add(offset, i)),
    at: (...indexes) => load(ref, add(offset, position(type, sizes, indexes))),
  };
}

export function sizesOfRef(ref: Ref): readonly Expr[] {
  return Array.from({ length: ref.rank }, (_, axis) => size(ref, axis));
}

/** An implicit conversion of a value: ints to reals, also inside containers and tuples; nothing else is converted. */
export function promoteValue(value: Value, type: Type): Value {
  switch (value.kind) {
    case 'scalar':
      return type.kind === 'real' && value.value.type === 'int'
        ? { ...value, type, value: toReal(value.value) }
        : value;
    case 'container': {
      if (type.kind === 'tuple' || elementOf(type) === elementOf(value.type)) return value;
      return {
        ...value,
        type,
        flat: (i) => toReal(value.flat(i)),
        at: (...indexes) => toReal(value.at(...indexes)),
        ref: null,
      };
    }
    case 'tuple':
      return type.kind === 'tuple'
        ? tupleOf(value.elements.map((slot, i) => promoteValue(slot, type.elements[i])))
        : value;
  }
}

export function tupleOf(elements: readonly Value[]): TupleValue {
  return {
    kind: 'tuple',
    type: { kind: 'tuple', elements: elements.map((element) => element.type) },
    level: levelOf(elements),
    elements,
  };
}

/** The same value at another autodiff level; ints are always data. */
export function withLevel(value: Value, level: AutodiffLevel): Value {
  if (value.kind === 'tuple')
    return { ...value, level, elements: value.elements.map((slot) => withLevel(slot, level)) };
  return { ...value, level: elementOf(value.type) === 'int' ? 'data' : level };
}

/** Reading it again costs nothing and gives the same. */
export function isRepeatable(e: Expr): boolean {
  return e.kind === 'const' || e.kind === 'get';
}

/** The value of a storage. */
export function valueIn(storage: Storage, type: Type, level: AutodiffLevel, sizes: readonly Expr[] = []): Value {
  if (storage.kind === 'scalar') return scalarValue(type, level, get(storage.local));
  if (storage.kind === 'container') {
    return storedContainer(type, level, storage.ref, sizes.length === rankOf(type) ? sizes : sizesOfRef(storage.ref));
  }
  const types = type.kind === 'tuple' ? type.elements : [];
  return tupleOf(storage.slots.map((slot, i) => valueIn(slot, types[i], level)));
}
