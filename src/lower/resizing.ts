import { elementOf } from '../ir/builder.js';
import { compare, int, or } from '../ir/expressions.js';
import type { Ref } from '../ir/nodes.js';
import type { ContainerValue } from '../ir/value.js';
import { unwindArray } from '../language/types.js';
import type { Lowering } from './lowering.js';
import { checkWholeSizes, type DeclaredSizes } from './sizes.js';
import { type Storage, storedContainer } from './values.js';

/**
 * Whether a variable, or a part of it, is declared with a literal size of 0: in Stan it then takes the sizes of the first non-empty value
 * that is assigned to it.
 */
export function isDeclaredEmpty(sizes: DeclaredSizes): boolean {
  if (sizes.kind === 'sizes') return sizes.sizes.some((size) => size.kind === 'const' && size.value === 0);
  return isDeclaredEmpty({ kind: 'sizes', sizes: sizes.outer }) || sizes.slots.some(isDeclaredEmpty);
}

/** Allows the containers of a variable to change their sizes. */
export function letResize(lowering: Lowering, storage: Storage): void {
  if (storage.kind === 'composite') {
    for (const part of storage.parts) letResize(lowering, part);
  } else if (storage.kind === 'container') lowering.known.resizable.add(storage.ref);
}

/** Whether any part of a storage may change its sizes. */
export function isResizable(lowering: Lowering, storage: Storage): boolean {
  if (storage.kind === 'composite') return storage.parts.some((part) => isResizable(lowering, part));
  return storage.kind === 'container' && lowering.known.resizable.has(storage.ref);
}

/** Assigns a whole container, which takes the sizes of the value if it is empty; `x` may occur in the value. */
export function assignResizing(
  lowering: Lowering,
  ref: Ref,
  holder: ContainerValue,
  value: ContainerValue,
  name: string,
): void {
  const { builder } = lowering;
  const { depth } = unwindArray(holder.type);
  const isEmpty = builder.bind(
    holder.sizes.map((own) => compare('eq', own, int(0))).reduce((a, b) => or(a, b)),
    'empty',
  );
  checkWholeSizes(lowering, holder.type, holder.sizes, value, name, (axis) =>
    axis === 0 && depth > 0 ? compare('eq', holder.sizes[0], int(0)) : isEmpty,
  );
  const sizes = value.sizes.map((own) => builder.bind(own, 'size'));
  const copy = builder.allocate(elementOf(holder.type), sizes, 'copy');
  builder.fill(copy, { ...value, sizes });
  const differs = sizes.map((own, axis) => compare('ne', own, holder.sizes[axis])).reduce((a, b) => or(a, b));
  builder.if(differs, () => builder.allocateRef(ref, sizes));
  builder.fill(ref, storedContainer(holder.type, value.level, copy, sizes));
}
