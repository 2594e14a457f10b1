import { type Builder, elementOf } from '../ir/builder.js';
import { composite } from '../ir/composite.js';
import { get } from '../ir/expressions.js';
import type { Ref } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import type { Value } from '../ir/value.js';
import type { AutodiffLevel, Type } from '../language/types.js';
import { partsOf } from '../language/types.js';
import type { Lowering } from './lowering.js';
import { checkWholeSizes, type DeclaredSizes, partName, partSizes } from './sizes.js';
import { type Storage, scalarValue, storedContainer } from './values.js';

export interface StoredValue {
  readonly value: Value;
  readonly storage: Storage;
}

/** A variable that is assigned where it is declared, or replaced by a new one. */
interface FreshVariable {
  readonly type: Type;
  readonly level: AutodiffLevel;
  readonly sizes: DeclaredSizes;
  readonly name: string;
}

/** A lower bound on the number of the next variable: variables created after this call have at least this number and are fresh. */
export function startFresh(builder: Builder): number {
  return builder.names.fresh();
}

/** New storage for a value of the variable's type. Reuses memory that has been allocated for the value alone since `firstFresh`. */
export function storeFresh(
  lowering: Lowering,
  { type, level, sizes, name }: FreshVariable,
  value: Value,
  firstFresh: number,
  taken = new Set<Ref>(),
): StoredValue {
  const { builder } = lowering;
  if (value.kind === 'scalar') {
    const local = builder.newLocal(elementOf(type), name);
    builder.assign(local, value.value);
    return { value: scalarValue(type, level, get(local)), storage: { kind: 'scalar', local } };
  }
  if (value.kind === 'composite') {
    const types = partsOf(type) ?? [];
    const declared = partSizes(type, sizes);
    const parts = value.parts.map((part, i) => {
      const variable = { type: types[i], level, sizes: declared[i], name: partName(type, name, i) };
      return storeFresh(lowering, variable, part, firstFresh, taken);
    });
    return {
      value: composite(
        type,
        parts.map((part) => part.value),
      ),
      storage: { kind: 'composite', parts: parts.map((part) => part.storage) },
    };
  }
  const own = sizes.kind === 'sizes' ? sizes.sizes : [];
  checkWholeSizes(lowering, type, own, value, name);
  const isOwn =
    value.ref !== null &&
    isFresh(value.ref, firstFresh) &&
    !taken.has(value.ref) &&
    !lowering.known.resizable.has(value.ref);
  const ref = isOwn ? value.ref : builder.allocate(elementOf(type), own, name);
  if (isOwn) taken.add(ref);
  else builder.fill(ref, { ...value, sizes: own });
  return { value: storedContainer(type, level, ref, own), storage: { kind: 'container', ref } };
}

function isFresh(ref: Ref, firstFresh: number): boolean {
  return ref.parent === null && ref.storage === 'local' && rootOf(ref).id > firstFresh;
}
