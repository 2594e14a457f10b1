import type { Typed } from '../check/typed.js';
import { type Builder, count, position } from '../ir/builder.js';
import { add, compare, get, int } from '../ir/expressions.js';
import type { Expr, Ref } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { type Type, unwindArray } from '../language/types.js';
import type { Span } from '../source/span.js';
import type { AssignmentStatement, AssignmentTarget, Index, Place } from '../syntax/ast.js';
import { readsWhatItWrites } from './aliasing.js';
import { isAtMost } from './bounds.js';
import { isFresh } from './declaration.js';
import { lowerExpression, lowerOperator } from './expressions.js';
import { type IndexKind, sizePlace } from './index-messages.js';
import { selected } from './indexing.js';
import type { Lowering } from './lowering.js';
import { sameExpression } from './same.js';
import { contiguousStart, narrow, type Selection, selectedSizes, sourceIndexes, wholeOf } from './selection.js';
import { unsupported } from './unsupported.js';
import { promoteValue, type Storage, storedContainer, tupleOf } from './values.js';

const COMPOUND: Readonly<Record<string, string>> = {
  '+=': 'add',
  '-=': 'subtract',
  '*=': 'multiply',
  '/=': 'divide',
  '.*=': 'elt_multiply',
  './=': 'elt_divide',
};

export function lowerAssignment(
  lowering: Lowering,
  { target, operator, value, span }: AssignmentStatement<Typed>,
): void {
  const firstFresh = lowering.builder.names.fresh();
  if (operator === '=') {
    const right = lowerExpression(lowering, value);
    if (!renew(lowering, target, right, firstFresh)) assignTo(lowering, target, right, span);
    return;
  }
  if (target.kind === 'tuplePattern') throw new Error('A tuple has no compound assignment');
  const place = resolve(lowering, target);
  const left = readPlace(lowering, place, target.type);
  const right = lowerExpression(lowering, value);
  const result = lowerOperator(lowering, COMPOUND[operator], span, [left, right], target.type);
  if (!renew(lowering, target, result, firstFresh)) store(lowering, place, result, span);
}

/**
 * Gives a variable of the log density new storage for a new value where no loop or condition lies between its declaration
 * and the assignment: then nothing is overwritten that the reverse sweep would have to bring back. Says whether it did.
 */
function renew(lowering: Lowering, target: AssignmentTarget<Typed>, value: Value, firstFresh: number): boolean {
  if (lowering.phase !== 'logDensity' || target.kind !== 'variable' || target.symbol?.kind !== 'variable') return false;
  const { builder } = lowering;
  const { id, name } = target.symbol;
  const binding = lowering.binding(target.symbol, target.span);
  const { value: holder, block } = binding;
  if (block !== builder.block) return false;
  const promoted = promoteValue(value, target.type);
  if (holder.kind === 'scalar' && promoted.kind === 'scalar') {
    const local = builder.newLocal(elementKind(holder.type), name);
    builder.assign(local, promoted.value);
    lowering.bindings.set(id, { value: { ...holder, value: get(local) }, storage: { kind: 'scalar', local }, block });
    return true;
  }
  if (holder.kind !== 'container' || promoted.kind !== 'container') return false;
  checkWholeSizes(lowering, holder, promoted, name);
  const isOwn = promoted.ref !== null && isFresh(promoted.ref, firstFresh);
  const ref = isOwn ? promoted.ref : builder.allocate(elementKind(holder.type), holder.sizes, name);
  if (!isOwn) builder.fill(ref, { ...promoted, sizes: holder.sizes });
  const renewed = storedContainer(holder.type, holder.level, ref, holder.sizes);
  lowering.bindings.set(id, { value: renewed, storage: { kind: 'container', ref }, block });
  return true;
}

function assignTo(lowering: Lowering, target: AssignmentTarget<Typed>, value: Value, span: Span): void {
  if (target.kind !== 'tuplePattern') {
    store(lowering, resolve(lowering, target), promoteValue(value, target.type), span);
    return;
  }
  if (value.kind !== 'tuple') throw new Error('A tuple is assigned from a tuple');
  const parts =
    target.targets.length > 1 ? value.elements.map((element) => snapshot(lowering, element)) : value.elements;
  for (const [i, part] of target.targets.entries()) assignTo(lowering, part, parts[i], span);
}

/** A copy that later assignments cannot change. */
function snapshot(lowering: Lowering, value: Value): Value {
  const { builder } = lowering;
  switch (value.kind) {
    case 'scalar':
      return { ...value, value: builder.bind(value.value, 'part') };
    case 'container': {
      const ref = builder.allocate(value.ref?.element ?? elementKind(value.type), value.sizes, 'part');
      builder.fill(ref, value);
      return storedContainer(value.type, value.level, ref, value.sizes);
    }
    case 'tuple':
      return tupleOf(value.elements.map((element) => snapshot(lowering, element)));
  }
}

function elementKind(type: Type): 'int' | 'real' {
  return unwindArray(type).element.kind === 'int' ? 'int' : 'real';
}

/** A place of the program: a variable's storage, with the part of it that indexes pick. */
interface ResolvedPlace {
  readonly name: string;
  readonly storage: Storage;
  /** The value of the variable (or tuple slot) that holds the place. */
  readonly holder: Value;
  readonly part: { readonly selection: Selection; readonly kinds: readonly IndexKind[] } | null;
}

function resolve(lowering: Lowering, place: Place<Typed>): ResolvedPlace {
  switch (place.kind) {
    case 'variable': {
      if (place.symbol?.kind !== 'variable') throw new Error('Only a variable is assigned');
      const storage = lowering.storage(place.symbol, place.span);
      return { name: place.name, storage, holder: lowering.binding(place.symbol, place.span).value, part: null };
    }
    case 'slot': {
      const tuple = resolve(lowering, place.tuple);
      if (tuple.storage.kind !== 'tuple' || tuple.holder.kind !== 'tuple')
        return unsupported(place.span, 'Arrays of tuples are');
      const k = place.slot - 1;
      return {
        name: `${tuple.name}.${place.slot}`,
        storage: tuple.storage.slots[k],
        holder: tuple.holder.elements[k],
        part: null,
      };
    }
    case 'indexed': {
      const inner = resolve(lowering, place.container);
      if (inner.holder.kind !== 'container') return unsupported(place.span, 'Arrays of tuples are');
      const before = inner.part?.selection ?? wholeOf(inner.holder.sizes, inner.holder.type);
      const selection = narrow(lowering, before, place.indices, 'assign');
      const kinds = place.indices.map(kindOf);
      return { ...inner, part: { selection, kinds } };
    }
  }
}

function kindOf(index: Index<Typed>): IndexKind {
  switch (index.kind) {
    case 'all':
      return 'omni';
    case 'from':
      return 'min';
    case 'to':
      return 'max';
    case 'between':
      return 'min_max';
    case 'single':
      return index.index.type.kind === 'int' ? 'uni' : 'multi';
  }
}

function readPlace(lowering: Lowering, { holder, part }: ResolvedPlace, type: Type): Value {
  if (part === null) return holder;
  if (holder.kind !== 'container') throw new Error('Only a container has parts');
  return selected(lowering, holder, part.selection, type);
}

function store(lowering: Lowering, place: ResolvedPlace, value: Value, span: Span): void {
  const { storage, holder, part, name } = place;
  if (part === null || holder.kind !== 'container' || storage.kind !== 'container') {
    assignStorage(lowering, storage, holder, value, name, span);
    return;
  }
  storePart(lowering, storage.ref, holder, part.selection, part.kinds, value, name);
}

/** Assigns a whole variable: a scalar, every element of a container after a check of its sizes, every slot of a tuple. */
export function assignStorage(
  lowering: Lowering,
  storage: Storage,
  holder: Value,
  value: Value,
  name: string,
  span: Span,
): void {
  const { builder } = lowering;
  if (storage.kind === 'scalar' && value.kind === 'scalar') builder.assign(storage.local, value.value);
  else if (storage.kind === 'container' && value.kind === 'container' && holder.kind === 'container') {
    checkWholeSizes(lowering, holder, value, name);
    if (value.ref === storage.ref) return;
    const sized = { ...value, sizes: holder.sizes };
    fillSafely(lowering, storage.ref, value, (source) => builder.fill(storage.ref, { ...source, sizes: sized.sizes }));
  } else if (storage.kind === 'tuple' && value.kind === 'tuple' && holder.kind === 'tuple') {
    const parts = value.elements.map((element) => snapshot(lowering, element));
    for (const [i, slot] of storage.slots.entries())
      assignStorage(lowering, slot, holder.elements[i], parts[i], `${name}.${i}`, span);
  } else unsupported(span, 'This assignment is');
}

/** Fills memory from a value that may read that memory: through a temporary copy where the order would matter. */
function fillSafely(
  lowering: Lowering,
  target: Ref,
  value: ContainerValue,
  fill: (source: ContainerValue) => void,
): void {
  const { builder } = lowering;
  const block = builder.capture(() => fill(value));
  if (!readsWhatItWrites(block, target)) {
    for (const statement of block) builder.emit(statement);
    return;
  }
  const copy = builder.allocate(elementKind(value.type), value.sizes, 'copy');
  builder.fill(copy, value);
  fill(storedContainer(value.type, value.level, copy, value.sizes));
}

function isSameSize(lowering: Lowering, a: Expr, b: Expr): boolean {
  return sameExpression(a, b) || (isAtMost(lowering, a, b) && isAtMost(lowering, b, a));
}

function checkSize(lowering: Lowering, left: Expr, right: Expr, before: string, between: string): void {
  if (isSameSize(lowering, left, right)) return;
  lowering.builder.check(
    compare('eq', left, right),
    `${before} ({0}) and ${between} ({1}) must match in size`,
    [left, right],
    'error',
  );
}

/** Stan's checks for `x = value`: arrays axis by axis, columns before rows. */
export function checkWholeSizes(lowering: Lowering, holder: ContainerValue, value: ContainerValue, name: string): void {
  const { element, depth } = unwindArray(holder.type);
  for (let axis = 0; axis < depth; axis++) {
    checkSize(
      lowering,
      holder.sizes[axis],
      value.sizes[axis],
      `assign array size: assigning variable ${name}`,
      'right hand side',
    );
  }
  const kind = element.kind;
  if (kind === 'matrix') {
    const before = `matrix assign columns: assigning variable ${name}`;
    checkSize(lowering, holder.sizes[depth + 1], value.sizes[depth + 1], before, 'right hand side columns');
  }
  if (kind === 'matrix' || kind === 'vector') {
    const before = `${kind} assign rows: assigning variable ${name}`;
    checkSize(lowering, holder.sizes[depth], value.sizes[depth], before, 'right hand side rows');
  }
  if (kind === 'row_vector') {
    const before = `row_vector assign columns: assigning variable ${name}`;
    checkSize(lowering, holder.sizes[depth], value.sizes[depth], before, 'right hand side columns');
  }
}

function storePart(
  lowering: Lowering,
  ref: Ref,
  holder: ContainerValue,
  selection: Selection,
  kinds: readonly IndexKind[],
  value: Value,
  name: string,
): void {
  const { builder } = lowering;
  if (value.kind === 'scalar') {
    const place = position(holder.type, holder.sizes, sourceIndexes(selection, []));
    builder.store(ref, place, value.value);
    return;
  }
  if (value.kind !== 'container') throw new Error('A part of a container is a scalar or a container');
  checkPartSizes(lowering, holder.type, selection, kinds, value, name);
  const sizes = selectedSizes(selection);
  const start = contiguousStart(holder.type, holder.sizes, selection);
  const offset = start === null ? null : lowering.hold(start, 'offset');
  fillSafely(lowering, ref, value, (source) => {
    if (offset !== null && !source.nested) {
      builder.each(count(sizes), (i) => builder.store(ref, add(offset, i), source.flat(i)));
      return;
    }
    eachIndex(builder, source.type, sizes, (indexes) =>
      builder.store(ref, position(holder.type, holder.sizes, sourceIndexes(selection, indexes)), source.at(...indexes)),
    );
  });
}

/** A loop for each axis, the innermost along neighbours in memory. */
function eachIndex(
  builder: Builder,
  type: Type,
  sizes: readonly Expr[],
  visit: (indexes: readonly Expr[]) => void,
): void {
  const axes = sizes.map((_, k) => k);
  const last = axes.length - 1;
  const order = unwindArray(type).element.kind === 'matrix' ? [...axes.slice(0, -2), last, last - 1] : axes;
  const indexes: Expr[] = sizes.map(() => int(0));
  const inner = (k: number): void => {
    if (k === order.length) {
      visit([...indexes]);
      return;
    }
    builder.for(int(0), sizes[order[k]], (i) => {
      indexes[order[k]] = i;
      inner(k + 1);
    });
  };
  inner(0);
}

function checkPartSizes(
  lowering: Lowering,
  type: Type,
  selection: Selection,
  kinds: readonly IndexKind[],
  value: ContainerValue,
  name: string,
): void {
  const { element, depth } = unwindArray(type);
  const sizes = selectedSizes(selection);
  const open = selection.axes.flatMap((axis, k) => (axis.kind === 'fixed' ? [] : [k]));
  const isIndexed = kinds.length > depth;
  open.forEach((axis, k) => {
    const before = `: assigning variable ${name}`;
    if (axis >= depth && !isIndexed) {
      checkElementSize(lowering, element, axis - depth, sizes[k], value.sizes[k], name);
      return;
    }
    const kind = axis < depth ? 'array' : element.kind === 'matrix' ? 'matrix' : 'vector';
    const line = kind !== 'matrix' ? 'length' : axis - depth === 0 ? 'row' : 'column';
    const { place, right } = sizePlace(kind, axis < depth ? kinds : kinds.slice(depth), line);
    checkSize(lowering, sizes[k], value.sizes[k], place + before, right);
  });
}

/** A whole vector or matrix assigned to an element of an array. */
function checkElementSize(
  lowering: Lowering,
  element: Type,
  axis: number,
  left: Expr,
  right: Expr,
  name: string,
): void {
  const line = element.kind === 'row_vector' || axis === 1 ? 'columns' : 'rows';
  checkSize(
    lowering,
    left,
    right,
    `${element.kind} assign ${line}: assigning variable ${name}`,
    `right hand side ${line}`,
  );
}
