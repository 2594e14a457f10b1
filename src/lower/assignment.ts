import type { Typed } from '../check/typed.js';
import { readsLocal, readsWhatItWrites } from '../dataflow/aliasing.js';
import { type Builder, count, elementOf, position } from '../ir/builder.js';
import { composite } from '../ir/composite.js';
import { add, int } from '../ir/expressions.js';
import type { Expr, Ref, Variable } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import type { ContainerValue, ScalarValue, Value } from '../ir/value.js';
import { partsOf, type Type, unwindArray } from '../language/types.js';
import type { AssignmentStatement, AssignmentTarget, Place } from '../syntax/ast.js';
import { startFresh, storeFresh } from './fresh.js';
import { type IndexKind, sizePlace } from './index-messages.js';
import { selected } from './indexing.js';
import type { Lowering } from './lowering.js';
import { lowerOperator } from './operators.js';
import { assignResizing, isResizable } from './resizing.js';
import {
  contiguousStart,
  type EvaluatedIndex,
  evaluateIndices,
  narrow,
  type Selection,
  selectedSizes,
  sourceIndexes,
  wholeOf,
} from './selection.js';
import { checkSize, checkWholeSizes, partName, sizesOfValue } from './sizes.js';
import { promoteValue, type Storage, storedContainer } from './values.js';

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
  const firstFresh = startFresh(lowering.builder);
  if (operator === '=') {
    const right = lowering.expression(value);
    if (!renew(lowering, target, right, firstFresh)) assignTo(lowering, target, right);
    return;
  }
  if (target.kind === 'tuplePattern') throw new Error('A tuple has no compound assignment');
  const place = resolve(lowering, target);
  const left = readPlace(lowering, place.target, target.type);
  const right = lowering.expression(value);
  const result = lowerOperator(lowering, COMPOUND[operator], span, [left, right], target.type);
  if (!renew(lowering, target, result, firstFresh)) store(lowering, place.target, result, target.type, place.name);
}

/**
 * Allocates new storage for an assignment to a variable of the log density, if no loop or condition separates it from the declaration: the
 * reverse sweep then has no old value to restore. Returns whether it did.
 */
function renew(lowering: Lowering, target: AssignmentTarget<Typed>, value: Value, firstFresh: number): boolean {
  if (lowering.scope.phase !== 'logDensity' || target.kind !== 'variable' || target.symbol?.kind !== 'variable')
    return false;
  const { name } = target.symbol;
  const { value: holder, storage, block } = lowering.binding(target.symbol);
  if (block !== lowering.builder.block || storage === null || isResizable(lowering, storage)) return false;
  const { type, level } = holder;
  const variable = { type, level, sizes: sizesOfValue(holder), name };
  const stored = storeFresh(lowering, variable, promoteValue(value, target.type), firstFresh);
  lowering.bind(target.symbol, { ...stored, block });
  return true;
}

function assignTo(lowering: Lowering, target: AssignmentTarget<Typed>, value: Value): void {
  if (target.kind !== 'tuplePattern') {
    const { target: found, name } = resolve(lowering, target);
    store(lowering, found, promoteValue(value, target.type), target.type, name);
    return;
  }
  if (value.kind !== 'composite') throw new Error('A tuple is assigned from a tuple');
  const parts = target.targets.length > 1 ? value.parts.map((part) => snapshot(lowering, part)) : value.parts;
  for (const [i, part] of target.targets.entries()) assignTo(lowering, part, parts[i]);
}

/** A copy that later assignments cannot change. */
export function snapshot(lowering: Lowering, value: Value): Value {
  const { builder } = lowering;
  switch (value.kind) {
    case 'scalar':
      return { ...value, value: builder.bind(value.value, 'part') };
    case 'container': {
      const ref = builder.allocate(value.ref?.element ?? elementOf(value.type), value.sizes, 'part');
      builder.fill(ref, value);
      return storedContainer(value.type, value.level, ref, value.sizes);
    }
    case 'composite':
      return composite(
        value.type,
        value.parts.map((part) => snapshot(lowering, part)),
      );
  }
}

/** The storage that an assignable expression denotes, with the part that its indexes select; for a tuple, one per slot. */
type Target = SingleTarget | { readonly kind: 'composite'; readonly parts: readonly Target[] };

interface SingleTarget {
  readonly kind: 'single';
  readonly storage: Exclude<Storage, { kind: 'composite' }>;
  /** The value of the whole storage. */
  readonly holder: ScalarValue | ContainerValue;
  readonly part: Part | null;
}

interface Part {
  readonly selection: Selection;
  /** Number of axes of the arrays of tuples around the target, if it is a slot. */
  readonly outer: number;
  /** The indexes of the remaining axes. */
  readonly kinds: readonly IndexKind[];
}

interface NamedTarget {
  readonly name: string;
  readonly target: Target;
}

function targetOf(storage: Storage, holder: Value): Target {
  if (storage.kind !== 'composite') {
    if (holder.kind === 'composite') throw new Error('The storage of a composite is composite');
    return { kind: 'single', storage, holder, part: null };
  }
  if (holder.kind !== 'composite') throw new Error('Composite storage holds a composite');
  return { kind: 'composite', parts: storage.parts.map((part, i) => targetOf(part, holder.parts[i])) };
}

function resolve(lowering: Lowering, place: Place<Typed>): NamedTarget {
  switch (place.kind) {
    case 'variable': {
      if (place.symbol?.kind !== 'variable') throw new Error('Only a variable is assigned');
      const storage = lowering.storage(place.symbol);
      const { value } = lowering.binding(place.symbol);
      return { name: place.name, target: targetOf(storage, value) };
    }
    case 'slot': {
      const { name, target } = resolve(lowering, place.tuple);
      if (target.kind !== 'composite') throw new Error('Only a tuple has slots');
      return { name: `${name}.${place.slot}`, target: behindIndexes(target.parts[place.slot - 1]) };
    }
    case 'indexed': {
      const { name, target } = resolve(lowering, place.container);
      const indices = evaluateIndices(lowering, place.indices);
      return { name, target: narrowTarget(lowering, target, indices, 'assign') };
    }
  }
}

/** The target without the axes that single indexes fix. */
function behindIndexes(target: Target): Target {
  if (target.kind === 'composite') return { kind: 'composite', parts: target.parts.map(behindIndexes) };
  if (target.part === null) return target;
  const { selection } = target.part;
  const outer = selection.axes.filter((axis) => axis.kind === 'fixed').length;
  return { ...target, part: { selection, outer, kinds: [] } };
}

function narrowTarget(
  lowering: Lowering,
  target: Target,
  indices: readonly EvaluatedIndex[],
  use: 'assign' | null,
): Target {
  if (target.kind === 'composite') {
    const parts = target.parts.map((part, i) => narrowTarget(lowering, part, indices, i === 0 ? use : null));
    return { kind: 'composite', parts };
  }
  const { holder, part } = target;
  if (holder.kind === 'scalar') throw new Error('A scalar has no indexes');
  const before = part?.selection ?? wholeOf(holder.sizes, holder.type);
  const selection = narrow(lowering, before, indices, use);
  const kinds = [...(part?.kinds ?? []), ...indices.map((index) => index.kind)];
  return { ...target, part: { selection, outer: part?.outer ?? 0, kinds } };
}

function readPlace(lowering: Lowering, target: Target, type: Type): Value {
  if (target.kind === 'composite') {
    const types = partsOf(type) ?? [];
    return composite(
      type,
      target.parts.map((part, i) => readPlace(lowering, part, types[i])),
    );
  }
  const { holder, part } = target;
  if (part === null || holder.kind === 'scalar') return holder;
  return selected(lowering, holder, part.selection, type);
}

/** Assigns a value of the target's type: each element of a container after a check of its sizes, each part of a composite. */
function store(lowering: Lowering, target: Target, value: Value, type: Type, name: string): void {
  if (target.kind === 'composite') {
    if (value.kind !== 'composite') throw new Error('A composite is assigned from a composite');
    const types = partsOf(type) ?? [];
    const roots = rootsOf(target);
    const parts = value.parts.map((part) => (readsAny(lowering, part, roots) ? snapshot(lowering, part) : part));
    for (const [i, part] of target.parts.entries()) {
      store(lowering, part, parts[i], types[i], partName(type, name, i));
    }
    return;
  }
  const { storage, holder, part } = target;
  if (storage.kind === 'scalar' || holder.kind === 'scalar') {
    if (storage.kind !== 'scalar' || value.kind !== 'scalar') throw new Error('A scalar is assigned from a scalar');
    lowering.builder.assign(storage.local, value.value);
  } else if (part !== null) storePart(lowering, storage.ref, holder, part, value, name);
  else {
    if (value.kind !== 'container') throw new Error('A container is assigned from a container');
    if (lowering.known.resizable.has(storage.ref)) {
      assignResizing(lowering, storage.ref, holder, value, name);
      return;
    }
    checkWholeSizes(lowering, holder.type, holder.sizes, value, name);
    if (value.ref === storage.ref) return;
    const { builder } = lowering;
    fillSafely(lowering, storage.ref, value, (source) => builder.fill(storage.ref, { ...source, sizes: holder.sizes }));
  }
}

/** Assigns all of a variable. */
export function assignStorage(lowering: Lowering, storage: Storage, holder: Value, value: Value, name: string): void {
  store(lowering, targetOf(storage, holder), value, holder.type, name);
}

function rootsOf(target: Target): readonly Variable[] {
  if (target.kind === 'composite') return target.parts.flatMap(rootsOf);
  return [target.storage.kind === 'scalar' ? target.storage.local : rootOf(target.storage.ref)];
}

/** Whether computing a value reads variables that are about to be written. */
function readsAny(lowering: Lowering, value: Value, variables: readonly Variable[]): boolean {
  const { builder } = lowering;
  switch (value.kind) {
    case 'scalar':
      return value.value.kind !== 'const';
    case 'container': {
      if (value.ref !== null) return variables.includes(rootOf(value.ref));
      const ref = builder.newRef(elementOf(value.type), value.sizes.length, 'part');
      const block = builder.capture(() => builder.fill(ref, value));
      return variables.some((variable) =>
        variable.kind === 'ref' ? readsWhatItWrites(block, variable) : readsLocal(block, variable),
      );
    }
    case 'composite':
      return value.parts.some((part) => readsAny(lowering, part, variables));
  }
}

/** Fills memory from a value that may read the same memory, through a temporary copy if the order would matter. */
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
  const copy = builder.allocate(elementOf(value.type), value.sizes, 'copy');
  builder.fill(copy, value);
  fill(storedContainer(value.type, value.level, copy, value.sizes));
}

function storePart(
  lowering: Lowering,
  ref: Ref,
  holder: ContainerValue,
  { selection, outer, kinds }: Part,
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
  const sizes = selectedSizes(selection);
  const inner = elementType(holder.type, outer);
  if (kinds.length === 0) checkWholeSizes(lowering, inner, sizes, value, name);
  else {
    const axes = selection.axes.slice(outer);
    checkPartSizes(lowering, inner, { ...selection, axes }, kinds, value, name);
  }
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

/** The element type `depth` levels down an array type. */
function elementType(type: Type, depth: number): Type {
  return depth > 0 && type.kind === 'array' ? elementType(type.element, depth - 1) : type;
}

/** One loop per axis; the innermost loop visits adjacent elements in memory. */
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
    builder.each(sizes[order[k]], (i) => {
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
