import { fixedReal, streamReal } from '../../src/formats/number-text.js';
import type { Block, Expr, KernelArgument, Local, Ref, ScalarType, Statement } from '../../src/ir/nodes.js';
import { OPS } from '../../src/ir/ops.js';

/**
 * Interprets IR statement by statement: the slow twin of the compiled code, for tests. Containers live in the memory of
 * the kernels' instance, so that kernels work on them. Adjoints and tapes are not interpreted: differentiated IR has
 * other tests.
 */
export interface Kernels {
  readonly memory: WebAssembly.Memory;
  /** First free byte of the memory. */
  readonly free: number;
  call(name: string, args: readonly number[]): number;
  /** Called in each iteration of a loop; it may throw. */
  iterate?(): void;
}

/** Thrown by `check` and `reject`. */
export class Stopped extends Error {}

interface Placed {
  readonly pointer: number;
  readonly sizes: readonly number[];
}

class Exit {
  readonly label: number;
  constructor(label: number) {
    this.label = label;
  }
}

export class Evaluator {
  readonly #kernels: Kernels;
  readonly #locals = new Map<Local, number>();
  readonly #refs = new Map<Ref, Placed>();
  #free: number;
  target = 0;
  constants = 0;
  randomState = 0;

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
    this.#free = kernels.free;
  }

  set(local: Local, value: number): void {
    this.#locals.set(local, value);
  }

  /** Allocates memory for a container and writes its elements, in memory order. */
  place(ref: Ref, sizes: readonly number[], elements: readonly number[]): void {
    this.#allocate(ref, sizes);
    for (const [i, element] of elements.entries()) this.#write(ref, i, element);
  }

  elements(ref: Ref): number[] {
    const count = this.#placed(ref).sizes.reduce((a, b) => a * b, 1);
    return Array.from({ length: count }, (_, i) => this.#read(ref, i));
  }

  run(block: Block): void {
    for (const statement of block) this.#step(statement);
  }

  value(e: Expr): number {
    switch (e.kind) {
      case 'const':
        return e.value;
      case 'get':
        return this.#locals.get(e.local) ?? Number.NaN;
      case 'load':
        return this.#read(e.ref, this.value(e.index));
      case 'size':
        return this.#placed(e.ref).sizes[e.axis];
      case 'target':
        return this.target;
      case 'load_adjoint':
        throw new Error('Adjoints are not interpreted');
      case 'apply': {
        const args = e.args.map((arg) => this.value(arg));
        const { wasm } = OPS[e.op];
        return wasm.kind === 'kernel' ? this.#kernels.call(wasm.name, args) : instruction(e.op, args);
      }
    }
  }

  #step(statement: Statement): void {
    switch (statement.kind) {
      case 'assign':
        this.#locals.set(statement.local, this.value(statement.value));
        return;
      case 'store':
        this.#write(statement.ref, this.value(statement.index), this.value(statement.value));
        return;
      case 'allocate':
        this.#allocate(
          statement.ref,
          statement.sizes.map((size) => this.value(size)),
        );
        return;
      case 'view': {
        const { ref } = statement;
        if (ref.parent === null) throw new Error('A view has a parent');
        const pointer = this.#placed(ref.parent).pointer + this.value(statement.offset) * bytesOf(ref.element);
        this.#refs.set(ref, { pointer, sizes: statement.sizes.map((size) => this.value(size)) });
        return;
      }
      case 'target':
        if (statement.term === 'constant') this.constants += this.value(statement.value);
        else this.target += this.value(statement.value);
        return;
      case 'for': {
        const from = this.value(statement.from);
        const to = this.value(statement.to);
        for (let i = from; i < to; i++) {
          this.#kernels.iterate?.();
          this.#locals.set(statement.index, i);
          this.run(statement.body);
        }
        return;
      }
      case 'while':
        while (this.value(statement.condition) !== 0) {
          this.#kernels.iterate?.();
          this.run(statement.body);
        }
        return;
      case 'if':
        this.run(this.value(statement.condition) !== 0 ? statement.then : statement.otherwise);
        return;
      case 'arena': {
        const free = this.#free;
        this.run(statement.body);
        this.#free = free;
        return;
      }
      case 'labeled':
        try {
          this.run(statement.body);
        } catch (exit) {
          if (!(exit instanceof Exit) || exit.label !== statement.label) throw exit;
        }
        return;
      case 'exit':
        throw new Exit(statement.label);
      case 'kernel': {
        const result = this.#kernels.call(
          statement.name,
          statement.args.map((arg) => this.#argument(arg)),
        );
        if (statement.result !== null) this.#locals.set(statement.result, result);
        return;
      }
      case 'check':
        if (this.value(statement.condition) === 0) {
          throw new Stopped(
            fillTemplate(
              statement.failure.template,
              statement.values.map((value) => this.value(value)),
              statement.values.map(({ type }) => type),
            ),
          );
        }
        return;
      default:
        throw new Error(`A ${statement.kind} statement is not interpreted`);
    }
  }

  #argument(argument: KernelArgument): number {
    if (argument.kind === 'random_state') return this.randomState;
    if (argument.kind !== 'pointer') return this.value(argument);
    const { ref, offset } = argument;
    return this.#placed(ref).pointer + (offset === null ? 0 : this.value(offset) * bytesOf(ref.element));
  }

  #allocate(ref: Ref, sizes: readonly number[]): void {
    const bytes = sizes.reduce((a, b) => a * b, bytesOf(ref.element));
    const pointer = this.#free;
    this.#free = (this.#free + bytes + 15) & ~15;
    const missing = this.#free - this.#kernels.memory.buffer.byteLength;
    if (missing > 0) this.#kernels.memory.grow(Math.ceil(missing / 65536));
    this.#refs.set(ref, { pointer, sizes });
  }

  #placed(ref: Ref): Placed {
    const placed = this.#refs.get(ref);
    if (placed === undefined) throw new Error(`${ref.name} has no memory`);
    return placed;
  }

  #read(ref: Ref, index: number): number {
    const view = new DataView(this.#kernels.memory.buffer);
    const address = this.#placed(ref).pointer + index * bytesOf(ref.element);
    return ref.element === 'int' ? view.getInt32(address, true) : view.getFloat64(address, true);
  }

  #write(ref: Ref, index: number, value: number): void {
    const view = new DataView(this.#kernels.memory.buffer);
    const address = this.#placed(ref).pointer + index * bytesOf(ref.element);
    if (ref.element === 'int') view.setInt32(address, value, true);
    else view.setFloat64(address, value, true);
  }
}

function bytesOf(type: ScalarType): number {
  return type === 'int' ? 4 : 8;
}

function instruction(op: string, args: readonly number[]): number {
  const [x, y, z] = args;
  switch (op) {
    case 'add':
      return x + y;
    case 'sub':
      return x - y;
    case 'mul':
      return x * y;
    case 'div':
      return x / y;
    case 'neg':
    case 'neg_int':
      return -x;
    case 'abs':
    case 'abs_int':
      return Math.abs(x);
    case 'sqrt':
      return Math.sqrt(x);
    case 'floor':
      return Math.floor(x);
    case 'ceil':
      return Math.ceil(x);
    case 'trunc':
    case 'to_int':
      return Math.trunc(x);
    case 'copysign':
      return Math.abs(x) * (y < 0 || Object.is(y, -0) ? -1 : 1);
    case 'lt':
    case 'lt_int':
      return Number(x < y);
    case 'le':
    case 'le_int':
      return Number(x <= y);
    case 'gt':
    case 'gt_int':
      return Number(x > y);
    case 'ge':
    case 'ge_int':
      return Number(x >= y);
    case 'eq':
    case 'eq_int':
      return Number(x === y);
    case 'ne':
    case 'ne_int':
      return Number(x !== y);
    case 'add_int':
      return (x + y) | 0;
    case 'sub_int':
      return (x - y) | 0;
    case 'mul_int':
      return Math.imul(x, y);
    case 'div_int':
      return Math.trunc(x / y);
    case 'rem_int':
      return x % y;
    case 'and':
      return x & y;
    case 'or':
      return x | y;
    case 'not':
      return Number(x === 0);
    case 'select':
    case 'select_int':
      return x !== 0 ? y : z;
    case 'to_real':
      return x;
    default:
      throw new Error(`The instruction ${op} is not interpreted`);
  }
}

/** Inserts the values, as C++ prints them. */
function fillTemplate(template: string, values: readonly number[], types: readonly ScalarType[]): string {
  return template.replace(/\{(\d+)(?::(f|range|\d+))?\}/g, (_, k: string, format: string | undefined) => {
    const value = values[Number(k)];
    if (format === 'range')
      return value === 0 ? 'container is empty and cannot be indexed' : `expecting index to be between 1 and ${value}`;
    if (types[Number(k)] === 'int') return String(value);
    if (format === 'f') return fixedReal(value);
    return streamReal(value, undefined, format === undefined ? undefined : Number(format));
  });
}
