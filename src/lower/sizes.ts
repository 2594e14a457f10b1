import { compare, int, or } from '../ir/expressions.js';
import { sameExpression } from '../ir/interned.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { partsOf, type Type, unwindArray } from '../language/types.js';
import { isAtMost } from './bounds.js';
import type { Lowering } from './lowering.js';

/** The evaluated sizes of a declared variable: for a container, all of them in order; for tuples, those of their array and of each slot. */
export type DeclaredSizes =
  | { readonly kind: 'sizes'; readonly sizes: readonly Expr[] }
  | { readonly kind: 'slots'; readonly outer: readonly Expr[]; readonly slots: readonly DeclaredSizes[] };

/** The sizes of a value, in the form of a declared variable's. */
export function sizesOfValue(value: Value): DeclaredSizes {
  if (value.kind === 'composite') return { kind: 'slots', outer: [], slots: value.parts.map(sizesOfValue) };
  return { kind: 'sizes', sizes: value.kind === 'container' ? value.sizes : [] };
}

/** The sizes of a composite's parts: in an array of tuples, all elements of one slot form one container. */
export function partSizes(type: Type, declared: DeclaredSizes): readonly DeclaredSizes[] {
  if (declared.kind === 'sizes') return (partsOf(type) ?? []).map(() => declared);
  return declared.slots.map((slot) => inside(declared.outer, slot));
}

function inside(outer: readonly Expr[], declared: DeclaredSizes): DeclaredSizes {
  return declared.kind === 'sizes'
    ? { kind: 'sizes', sizes: [...outer, ...declared.sizes] }
    : { ...declared, outer: [...outer, ...declared.outer] };
}

/** The name of a part in Stan's messages about its sizes, which count slots from 0. */
export function partName(type: Type, name: string, k: number): string {
  return type.kind === 'tuple' ? `${name}.${k}` : name;
}

function isSameSize(lowering: Lowering, a: Expr, b: Expr): boolean {
  if (lowering.keepsChecks) return false;
  return sameExpression(a, b) || (isAtMost(lowering, a, b) && isAtMost(lowering, b, a));
}

/** Stan's message for two different sizes, unless `unless` allows them. */
export function checkSize(
  lowering: Lowering,
  left: Expr,
  right: Expr,
  before: string,
  between: string,
  unless: Expr = int(0),
): void {
  if (isSameSize(lowering, left, right)) return;
  lowering.builder.check(
    or(unless, compare('eq', left, right)),
    `${before} ({0}) and ${between} ({1}) must match in size`,
    [left, right],
    'error',
  );
}

/** Whether one of the array dimensions before an axis has size 0, so that no elements exist whose sizes could differ. */
function isEmptyBefore({ sizes }: ContainerValue, axis: number): Expr {
  return sizes.slice(0, axis).reduce<Expr>((empty, size) => or(empty, compare('eq', size, int(0))), int(0));
}

/**
 * Stan's checks for `x = value` with `x` of this type and these sizes: arrays axis by axis, columns before rows. `unless` is the
 * condition under which an axis may have any size.
 */
export function checkWholeSizes(
  lowering: Lowering,
  type: Type,
  sizes: readonly Expr[],
  value: ContainerValue,
  name: string,
  unless: (axis: number) => Expr = () => int(0),
): void {
  const { element, depth } = unwindArray(type);
  const check = (axis: number, left: string, right: string): void =>
    checkSize(
      lowering,
      sizes[axis],
      value.sizes[axis],
      `${left}: assigning variable ${name}`,
      `right hand side${right}`,
      or(unless(axis), isEmptyBefore(value, Math.min(axis, depth))),
    );
  for (let axis = 0; axis < depth; axis++) check(axis, 'assign array size', '');
  const { kind } = element;
  if (kind === 'matrix') check(depth + 1, 'matrix assign columns', ' columns');
  if (kind === 'matrix' || kind === 'vector') check(depth, `${kind} assign rows`, ' rows');
  if (kind === 'row_vector') check(depth, 'row_vector assign columns', ' columns');
}
