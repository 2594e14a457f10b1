import type { Typed } from '../check/typed.js';
import { count, lazyFlat, position } from '../ir/builder.js';
import { composite } from '../ir/composite.js';
import { add, int, load, mul } from '../ir/expressions.js';
import type { Expr, Ref } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { type AutodiffLevel, arrayOf, partsOf, type Type, unwindArray } from '../language/types.js';
import type { Constraint, SizedType } from '../syntax/ast.js';
import {
  checkConstraint,
  constrainParameter,
  evaluateConstraint,
  freeSizesOf,
  unconstrainParameter,
} from './constrained.js';
import { innermost } from './declaration.js';
import { selected } from './indexing.js';
import type { Lowering } from './lowering.js';
import type { Axis } from './selection.js';
import type { DeclaredSizes } from './sizes.js';
import { scalarValue, storedContainer } from './values.js';

/** A value that the host reads or writes under its own name: a variable, or a slot `a.1` of a variable that consists of tuples. */
export interface Leaf {
  readonly name: string;
  /** The type of the value inside the innermost tuple. */
  readonly type: Type;
  readonly sizes: readonly Expr[];
  /** Sizes of the arrays of tuples around it, outermost first. */
  readonly outer: readonly Expr[];
  /** For each slot in the name, the number of these sizes that precede it. */
  readonly tupleAxes: readonly number[];
  readonly constraint: Constraint<Typed>;
}

/** A leaf of a parameter with its position among the unconstrained values. */
export interface PlacedLeaf extends Leaf {
  /** Unconstrained sizes of the value inside the innermost tuple. */
  readonly free: readonly Expr[];
  /** The position of the value in the first tuple. */
  readonly offset: Expr;
  /** For each array of tuples, the distance to the value in the next tuple. */
  readonly strides: readonly Expr[];
}

export function leavesOf(
  type: Type,
  declared: SizedType<Typed>,
  sizes: DeclaredSizes,
  name: string,
  outer: readonly Expr[] = [],
  tupleAxes: readonly number[] = [],
): readonly Leaf[] {
  const inner = innermost(declared);
  if (sizes.kind === 'sizes') {
    const constraint: Constraint<Typed> = inner.kind === 'tuple' ? { kind: 'none' } : inner.constraint;
    return [{ name, type, sizes: sizes.sizes, outer, tupleAxes, constraint }];
  }
  const { element } = unwindArray(type);
  if (element.kind !== 'tuple' || inner.kind !== 'tuple') throw new Error('Only a tuple has slots');
  return inner.elements.flatMap((slot, i) =>
    leavesOf(
      element.elements[i],
      slot,
      sizes.slots[i],
      `${name}.${i + 1}`,
      [...outer, ...sizes.outer],
      [...tupleAxes, sizes.outer.length],
    ),
  );
}

export function isComplex(type: Type): boolean {
  return unwindArray(type).element.kind.startsWith('complex');
}

/** All sizes of a leaf, including those of the arrays of tuples. */
export function allSizes({ outer, sizes }: Leaf): readonly Expr[] {
  return [...outer, ...sizes];
}

/** The types of the containers or scalars that hold all values of a leaf: one, or two for complex numbers. */
export function storedTypes({ type, outer }: Leaf): readonly Type[] {
  const whole = arrayOf(type, outer.length);
  return partsOf(whole) ?? [whole];
}

/** Assembles a variable from the stored values of its leaves, taken in order. */
export function assemble(type: Type, stored: readonly Value[]): Value {
  let next = 0;
  const build = (part: Type): Value => {
    const types = partsOf(part);
    return types === null ? stored[next++] : composite(part, types.map(build));
  };
  return build(type);
}

/** The stored values of a variable's leaves. */
export function flatten(value: Value): readonly Exclude<Value, { kind: 'composite' }>[] {
  return value.kind === 'composite' ? value.parts.flatMap(flatten) : [value];
}

/** The leaves with their stored values. */
function pairs<L extends Leaf>(leaves: readonly L[], value: Value): readonly (readonly [L, readonly Value[]])[] {
  const stored = flatten(value);
  let next = 0;
  return leaves.map((leaf) => {
    const start = next;
    next += storedTypes(leaf).length;
    return [leaf, stored.slice(start, next)];
  });
}

/**
 * Runs for the indexes of each tuple, as in Stan's loops: in each array of tuples, the first index varies fastest. Runs once, without
 * indexes, if there is no array.
 */
function eachTuple(lowering: Lowering, { outer, tupleAxes }: Leaf, run: (indexes: readonly Expr[]) => void): void {
  const indexes: Expr[] = outer.map(() => int(0));
  const order = loopOrder(tupleAxes);
  const inner = (k: number): void => {
    if (k === order.length) {
      run([...indexes]);
      return;
    }
    lowering.builder.each(outer[order[k]], (i) => {
      indexes[order[k]] = i;
      inner(k + 1);
    });
  };
  inner(0);
}

/** Axes from the outermost loop to the innermost. */
function loopOrder(tupleAxes: readonly number[]): readonly number[] {
  let first = 0;
  return tupleAxes.flatMap((axes) => {
    const own = Array.from({ length: axes }, (_, k) => first + axes - 1 - k);
    first += axes;
    return own;
  });
}

/** Stan names a leaf inside arrays of tuples after the variables of its own loops: `a[sym2__, sym1__].1`. */
function checkedName({ name, tupleAxes }: Leaf): string {
  const [root, ...slots] = name.split('.');
  let used = 0;
  return slots.reduce((text, slot, k) => {
    const axes = tupleAxes[k];
    const symbols = Array.from({ length: axes }, (_, i) => `sym${used + axes - i}__`);
    used += axes;
    return `${text}${axes === 0 ? '' : `[${symbols.join(', ')}]`}.${slot}`;
  }, root);
}

/** The value inside the tuples at these indexes. */
function inTuple(lowering: Lowering, { outer, type }: Leaf, stored: Value, indexes: readonly Expr[]): Value {
  if (outer.length === 0 || stored.kind !== 'container') return stored;
  const axes = stored.sizes.map(
    (size, k): Axis =>
      k < indexes.length ? { kind: 'fixed', index: indexes[k] } : { kind: 'range', start: int(0), size, whole: true },
  );
  return selected(lowering, stored, { axes, rest: type }, type);
}

/** Stan's checks of a variable's leaves against their constraints. */
export function checkLeaves(lowering: Lowering, leaves: readonly Leaf[], value: Value): void {
  for (const [leaf, [stored]] of pairs(leaves, value)) {
    const constraint = evaluateConstraint(lowering, leaf.constraint);
    if (constraint.kind === 'none') continue;
    eachTuple(lowering, leaf, (indexes) => {
      const inner = inTuple(lowering, leaf, stored, indexes);
      checkConstraint(lowering, checkedName(leaf), constraint, inner);
    });
  }
}

/** Assigns the leaves of a parameter their positions among the unconstrained values from `offset` on; `size` is the number of values. */
export function placeLeaves(
  lowering: Lowering,
  declared: DeclaredSizes,
  leaves: readonly Leaf[],
  offset: Expr,
): { readonly placed: readonly PlacedLeaf[]; readonly size: Expr } {
  const hold = (e: Expr, name: string): Expr => lowering.hold(e, name, 'global');
  if (declared.kind === 'sizes') {
    const [leaf] = leaves;
    const free = freeSizesOf(leaf.type, leaf.sizes, leaf.constraint).map((size) => hold(size, 'free'));
    const numbers = mul(count(free), int(isComplex(leaf.type) ? 2 : 1));
    return { placed: [{ ...leaf, free, offset, strides: [] }], size: hold(numbers, 'numbers') };
  }
  const placed: PlacedLeaf[] = [];
  let stride: Expr = int(0);
  for (const slot of declared.slots) {
    const own = leaves.slice(placed.length, placed.length + leafCount(slot));
    const inner = placeLeaves(lowering, slot, own, hold(add(offset, stride), 'offset'));
    placed.push(...inner.placed);
    stride = hold(add(stride, inner.size), 'stride');
  }
  const size = hold(mul(count(declared.outer), stride), 'numbers');
  return { placed: placed.map((leaf) => ({ ...leaf, strides: [stride, ...leaf.strides] })), size };
}

function leafCount(declared: DeclaredSizes): number {
  return declared.kind === 'sizes' ? 1 : declared.slots.reduce((sum, slot) => sum + leafCount(slot), 0);
}

/** The position of the unconstrained value inside the tuples at these indexes. */
function offsetIn({ offset, outer, tupleAxes, strides }: PlacedLeaf, indexes: readonly Expr[]): Expr {
  let first = 0;
  return tupleAxes.reduce<Expr>((at, axes, k) => {
    let tuple: Expr = int(0);
    for (let axis = first + axes - 1; axis >= first; axis--) tuple = add(mul(tuple, outer[axis]), indexes[axis]);
    first += axes;
    return add(at, mul(tuple, strides[k]));
  }, offset);
}

/** Reads a leaf of a parameter from the unconstrained position; returns its stored values. */
export function readLeaf(
  lowering: Lowering,
  leaf: PlacedLeaf,
  level: AutodiffLevel,
  from: Ref,
): readonly Exclude<Value, { kind: 'composite' }>[] {
  const { builder } = lowering;
  const { name, type, sizes, outer, free } = leaf;
  const constraint = evaluateConstraint(lowering, leaf.constraint);
  const readAt = (offset: Expr): Value =>
    isComplex(type)
      ? complexAt(lowering, type, level, sizes, from, offset)
      : constrainParameter(lowering, name, type, level, sizes, constraint, free, { ref: from, offset });
  if (outer.length === 0) return flatten(readAt(leaf.offset));

  const whole = allSizes(leaf);
  const stored = storedTypes(leaf).map((part) => {
    const ref = builder.allocate('real', whole, name);
    return storedContainer(part, level, ref, whole);
  });
  eachTuple(lowering, leaf, (indexes) => {
    const parts = flatten(readAt(lowering.hold(offsetIn(leaf, indexes), 'offset')));
    for (const [k, part] of parts.entries()) writeInTuple(lowering, stored[k], indexes, part);
  });
  return stored;
}

function writeInTuple(
  lowering: Lowering,
  { ref, type, sizes }: ContainerValue & { readonly ref: Ref },
  indexes: readonly Expr[],
  value: Value,
): void {
  const { builder } = lowering;
  const first = position(
    type,
    sizes,
    sizes.map((_, k) => indexes[k] ?? int(0)),
  );
  if (value.kind === 'scalar') builder.store(ref, first, value.value);
  if (value.kind !== 'container') return;
  const start = lowering.hold(first, 'start');
  builder.elements(value, (x, i) => builder.store(ref, add(start, i), x));
}

/** Complex numbers in the order of unconstrained values: each real part is followed by the imaginary one. */
function complexAt(
  lowering: Lowering,
  type: Type,
  level: AutodiffLevel,
  sizes: readonly Expr[],
  from: Ref,
  offset: Expr,
): Value {
  const { builder } = lowering;
  const parts = (partsOf(type) ?? []).map((part, k): Value => {
    const at = (i: Expr): Expr => load(from, add(offset, add(mul(i, int(2)), int(k))));
    if (sizes.length === 0) return scalarValue(part, level, builder.bind(at(int(0)), 'part'));
    return builder.materialize(lazyFlat(part, level, sizes, at), 'part');
  });
  return composite(type, parts);
}

/** Writes the unconstrained values of a parameter to the position: the inverse of `readLeaf`. */
export function unconstrainLeaves(
  lowering: Lowering,
  leaves: readonly PlacedLeaf[],
  value: Value,
  to: Ref,
  rounding: Expr,
): void {
  const { builder } = lowering;
  for (const [leaf, stored] of pairs(leaves, value)) {
    const { type } = leaf;
    const constraint = evaluateConstraint(lowering, leaf.constraint);
    eachTuple(lowering, leaf, (indexes) => {
      const parts = stored.map((part) => inTuple(lowering, leaf, part, indexes));
      const offset = indexes.length === 0 ? leaf.offset : lowering.hold(offsetIn(leaf, indexes), 'offset');
      if (!isComplex(type)) {
        unconstrainParameter(lowering, constraint, parts[0], { ref: to, offset }, rounding);
        return;
      }
      for (const [k, part] of parts.entries()) {
        const write = (i: Expr, x: Expr): void => builder.store(to, add(offset, add(mul(i, int(2)), int(k))), x);
        if (part.kind === 'scalar') write(int(0), part.value);
        else if (part.kind === 'container') builder.elements(part, (x, i) => write(i, x));
      }
    });
  }
}
