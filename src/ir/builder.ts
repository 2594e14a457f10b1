import type { AutodiffLevel, Type } from '../language/types.js';
import { INT, REAL, rankOf, unwindArray } from '../language/types.js';
import type { Span } from '../source/span.js';
import { add, get, int, load, mul, real, size, toReal } from './expressions.js';
import type {
  Block,
  Expr,
  Failure,
  KernelArgument,
  Local,
  PrintPart,
  Ref,
  ScalarType,
  Statement,
  TargetTerm,
  Variable,
} from './nodes.js';
import type { ContainerValue, ScalarValue, Value } from './value.js';

/** Assigns numbers to the variables, labels and functions of one program. */
export class Names {
  #next = 1;
  readonly globals: Variable[] = [];

  fresh(): number {
    return this.#next++;
  }
}

/**
 * Appends statements to a block. The function table and the lowering write IR through it; callbacks build nested blocks. `span` is the
 * statement being lowered, and `callers` are the statements that call the user functions around it. Failures of checks contain both.
 */
export class Builder {
  readonly names: Names;
  span: Span | null = null;
  callers: readonly Span[] = [];
  /** Receives each emitted statement and the source statement, outside of functions, to which it belongs. */
  observe: ((statement: Statement, source: Span) => void) | null = null;
  #block: Statement[] = [];

  constructor(names: Names) {
    this.names = names;
  }

  emit(statement: Statement): void {
    if (this.observe !== null) {
      const source = this.#source();
      if (source !== null) this.observe(statement, source);
    }
    this.#block.push(statement);
  }

  #source(): Span | null {
    return this.callers.at(-1) ?? this.span;
  }

  /** Runs `write` and returns the statements that it emits, without appending them to the block. */
  capture(write: () => void): Block {
    const outer = this.#block;
    const inner: Statement[] = [];
    this.#block = inner;
    try {
      write();
    } finally {
      this.#block = outer;
    }
    return inner;
  }

  /** Like `capture`, and also returns the result of `write`. */
  captureResult<T>(write: () => T): { readonly block: Block; readonly result: T } {
    const results: T[] = [];
    const block = this.capture(() => results.push(write()));
    return { block, result: results[0] };
  }

  newLocal(type: ScalarType, name: string, storage: 'local' | 'global' = 'local'): Local {
    const local: Local = { kind: 'local', id: this.names.fresh(), name, type, storage };
    if (storage === 'global') this.names.globals.push(local);
    return local;
  }

  newRef(
    element: ScalarType,
    rank: number,
    name: string,
    storage: 'local' | 'global' = 'local',
    parent: Ref | null = null,
  ): Ref {
    const ref: Ref = { kind: 'ref', id: this.names.fresh(), name, element, rank, storage, parent };
    if (storage === 'global') this.names.globals.push(ref);
    return ref;
  }

  /**
   * Assigns the value to a new local and returns a read of it. Returns constants and reads of locals that are never reassigned unchanged.
   */
  bind(value: Expr, name = 't'): Expr {
    if (value.kind === 'const') return value;
    const local = this.newLocal(value.type, name);
    this.emit({ kind: 'assign', local, value });
    return get(local);
  }

  assign(local: Local, value: Expr): void {
    this.emit({ kind: 'assign', local, value: local.type === 'real' ? toReal(value) : value });
  }

  store(ref: Ref, index: Expr, value: Expr): void {
    this.emit({ kind: 'store', ref, index, value: ref.element === 'real' ? toReal(value) : value });
  }

  target(value: Expr, term: TargetTerm = 'always'): void {
    this.emit({ kind: 'target', value: toReal(value), term, span: this.#source() });
  }

  /** `for (i = from; i < to; i++)`, zero-based. */
  for(from: Expr, to: Expr, body: (index: Expr) => void, name = 'i'): void {
    const index = this.newLocal('int', name);
    const block = this.capture(() => body(get(index)));
    this.emit({ kind: 'for', index, from, to, body: block });
  }

  /** `for (i = 0; i < count; i++)`. */
  each(count: Expr, body: (index: Expr) => void): void {
    this.for(int(0), count, body);
  }

  if(condition: Expr, then: () => void, otherwise: () => void = () => {}): void {
    if (condition.kind === 'const') {
      if (condition.value !== 0) then();
      else otherwise();
      return;
    }
    this.emit({ kind: 'if', condition, then: this.capture(then), otherwise: this.capture(otherwise) });
  }

  while(condition: Expr, body: () => void): void {
    this.emit({ kind: 'while', condition, body: this.capture(body) });
  }

  /** A block that `exit` with its label leaves. */
  labeled(body: (label: number) => void): void {
    const label = this.names.fresh();
    this.emit({ kind: 'labeled', label, body: this.capture(() => body(label)) });
  }

  exit(label: number): void {
    this.emit({ kind: 'exit', label });
  }

  allocate(
    element: ScalarType,
    sizes: readonly Expr[],
    name = 'm',
    fill: 'none' | 'uninitialized' | 'zero' = 'none',
    storage: 'local' | 'global' = 'local',
  ): Ref {
    const ref = this.newRef(element, sizes.length, name, storage);
    this.allocateRef(ref, sizes, fill);
    return ref;
  }

  /** Allocates memory for an existing container. */
  allocateRef(ref: Ref, sizes: readonly Expr[], fill: 'none' | 'uninitialized' | 'zero' = 'none'): void {
    const { span, callers } = this;
    this.emit({ kind: 'allocate', ref, sizes, fill, span, callers });
  }

  view(parent: Ref, offset: Expr, sizes: readonly Expr[], name = parent.name): Ref {
    const ref = this.newRef(parent.element, sizes.length, name, 'local', parent);
    this.emit({ kind: 'view', ref, offset, sizes });
    return ref;
  }

  kernel(name: string, args: readonly KernelArgument[]): void {
    this.emit({ kind: 'kernel', name, args, result: null });
  }

  kernelResult(type: ScalarType, name: string, args: readonly KernelArgument[]): Expr {
    const result = this.newLocal(type, name);
    this.emit({ kind: 'kernel', name, args, result });
    return get(result);
  }

  /** Stops with Stan's message unless `condition` holds. `{0}`, `{1}`, … in the template are replaced with `values`. */
  check(condition: Expr, template: string, values: readonly Expr[] = [], kind: Failure['kind'] = 'rejection'): void {
    if (condition.kind === 'const' && condition.value !== 0) return;
    const { span, callers } = this;
    this.emit({ kind: 'check', condition, failure: { kind, template, span, callers }, values });
  }

  /** Stops with the printed parts as its message. */
  reject(parts: readonly PrintPart[], fatal: boolean): void {
    const { span, callers } = this;
    this.emit({ kind: 'reject', parts, fatal, span, callers });
  }

  /** The value with its elements contiguous in memory: the value itself if they already are, otherwise a copy in newly allocated memory. */
  materialize(value: ContainerValue, name = 'm'): ContainerValue & { readonly ref: Ref } {
    if (value.ref !== null) return { ...value, ref: value.ref };
    const ref = this.allocate(elementOf(value.type), value.sizes, name);
    this.fill(ref, value);
    return container(value.type, value.level, ref, value.sizes);
  }

  /** Writes every element of `value` to `ref`, which must have the same sizes. */
  fill(ref: Ref, value: ContainerValue): void {
    this.elements(value, (element, linear) => this.store(ref, linear, element));
  }

  /** Writes loops over all elements in memory order: one loop if linear positions are cheap, otherwise one loop per axis. */
  elements(value: ContainerValue, visit: (element: Expr, linear: Expr) => void): void {
    if (!value.nested) {
      this.each(count(value.sizes), (i) => visit(value.flat(i), i));
      return;
    }
    const order = axesInMemoryOrder(value.type);
    const indexes: Expr[] = new Array(order.length);
    const inner = (k: number): void => {
      if (k === order.length) visit(value.at(...indexes), position(value.type, value.sizes, indexes));
      else {
        this.each(value.sizes[order[k]], (i) => {
          indexes[order[k]] = i;
          inner(k + 1);
        });
      }
    };
    inner(0);
  }

  /** Sum of a real term over `0 … count - 1`. */
  sum(total: Expr, term: (index: Expr) => Expr): Expr {
    const accumulator = this.newLocal('real', 'sum');
    this.assign(accumulator, real(0));
    this.each(total, (i) => this.assign(accumulator, add(get(accumulator), term(i))));
    return get(accumulator);
  }
}

export function pointer(ref: Ref, offset: Expr | null = null): KernelArgument {
  return { kind: 'pointer', ref, offset, adjoint: false };
}

/** The scalar type of a container's elements, or of a scalar. */
export function elementOf(type: Type): ScalarType {
  return unwindArray(type).element.kind === 'int' ? 'int' : 'real';
}

/** The number of scalars: the product of the sizes. */
export function count(sizes: readonly Expr[]): Expr {
  return sizes.reduce(mul, int(1));
}

/** The linear position of zero-based `indexes` in a container of `type` with `sizes`. */
export function position(type: Type, sizes: readonly Expr[], indexes: readonly Expr[]): Expr {
  const { element, depth } = unwindArray(type);
  let linear: Expr = int(0);
  for (let axis = 0; axis < depth; axis++) linear = add(mul(linear, sizes[axis]), indexes[axis]);
  if (element.kind === 'matrix') {
    linear = add(mul(linear, sizes[depth + 1]), indexes[depth + 1]);
    return add(mul(linear, sizes[depth]), indexes[depth]);
  }
  if (rankOf(type) > depth) linear = add(mul(linear, sizes[depth]), indexes[depth]);
  return linear;
}

/** The zero-based indexes of a linear position: the inverse of `position`. */
export function indexesOf(type: Type, sizes: readonly Expr[], linear: Expr): Expr[] {
  const order = axesInMemoryOrder(type);
  const indexes: Expr[] = new Array(sizes.length);
  let rest = linear;
  for (let k = order.length - 1; k > 0; k--) {
    const axis = order[k];
    indexes[axis] = { kind: 'apply', type: 'int', op: 'rem_int', args: [rest, sizes[axis]] };
    rest = { kind: 'apply', type: 'int', op: 'div_int', args: [rest, sizes[axis]] };
  }
  if (order.length > 0) indexes[order[0]] = rest;
  return indexes;
}

/** Axes from the slowest to the fastest in memory. */
function axesInMemoryOrder(type: Type): number[] {
  const { element, depth } = unwindArray(type);
  return element.kind === 'matrix' ? [...range(depth), depth + 1, depth] : range(rankOf(type));
}

function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}

export function scalar(value: Expr, level: AutodiffLevel): ScalarValue {
  return { kind: 'scalar', type: value.type === 'int' ? INT : REAL, level, value };
}

/** The container in `ref`. `sizes` may replace reads of its header by simpler expressions. */
export function container(
  type: Type,
  level: AutodiffLevel,
  ref: Ref,
  sizes: readonly Expr[] = Array.from({ length: ref.rank }, (_, axis) => size(ref, axis)),
): ContainerValue & { readonly ref: Ref } {
  return {
    kind: 'container',
    type,
    level,
    sizes,
    flat: (i) => load(ref, i),
    at: (...indexes) => load(ref, position(type, sizes, indexes)),
    ref,
    nested: false,
    costly: false,
  };
}

/** A container computed element by element from linear positions. */
export function lazyFlat(
  type: Type,
  level: AutodiffLevel,
  sizes: readonly Expr[],
  flat: (position: Expr) => Expr,
  costly = false,
): ContainerValue {
  return {
    kind: 'container',
    type,
    level,
    sizes,
    flat,
    at: (...indexes) => flat(position(type, sizes, indexes)),
    ref: null,
    nested: false,
    costly,
  };
}

/** A container computed element by element from zero-based indexes (transposes, blocks, gathers). */
export function lazyAt(
  type: Type,
  level: AutodiffLevel,
  sizes: readonly Expr[],
  at: (...indexes: Expr[]) => Expr,
  costly = false,
): ContainerValue {
  return {
    kind: 'container',
    type,
    level,
    sizes,
    flat: (linear) => at(...indexesOf(type, sizes, linear)),
    at,
    ref: null,
    nested: sizes.length > 1,
    costly,
  };
}

export function levelOf(values: readonly Value[]): AutodiffLevel {
  return values.some((value) => value.level === 'autodiff') ? 'autodiff' : 'data';
}
