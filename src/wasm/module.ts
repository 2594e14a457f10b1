import { ByteWriter } from './bytes.js';
import { F64, I32, OP, type ValueType } from './opcodes.js';

export interface Signature {
  readonly parameters: readonly ValueType[];
  readonly results: readonly ValueType[];
}

/** Types of exports. */
const FUNCTION = 0x00;
const GLOBAL = 0x03;

/** Function indexes are assigned before the bodies exist; imports come first. */
export class ModuleWriter {
  readonly #types: Signature[] = [];
  readonly #typeIndexes = new Map<string, number>();
  readonly #imports: { readonly module: string; readonly name: string; readonly type: number }[] = [];
  readonly #functions: { readonly type: number; body: ByteWriter | null }[] = [];
  readonly #globals: ValueType[] = [];
  readonly #exports: {
    readonly name: string;
    readonly type: typeof FUNCTION | typeof GLOBAL;
    readonly index: number;
  }[] = [];
  readonly #data: { readonly address: number; readonly bytes: Uint8Array }[] = [];

  type(signature: Signature): number {
    const key = `${signature.parameters.join()}>${signature.results.join()}`;
    let index = this.#typeIndexes.get(key);
    if (index === undefined) {
      index = this.#types.push(signature) - 1;
      this.#typeIndexes.set(key, index);
    }
    return index;
  }

  /** All imports must be declared before the first function. */
  import(module: string, name: string, signature: Signature): number {
    if (this.#functions.length > 0) throw new Error('imports must precede functions');
    return this.#imports.push({ module, name, type: this.type(signature) }) - 1;
  }

  /** Reserves the index of a function whose body follows later. */
  declare(signature: Signature): number {
    return this.#imports.length + this.#functions.push({ type: this.type(signature), body: null }) - 1;
  }

  define(index: number, body: ByteWriter): void {
    this.#functions[index - this.#imports.length].body = body;
  }

  /** A mutable global, zero at first. */
  global(type: ValueType): number {
    return this.#globals.push(type) - 1;
  }

  export(name: string, index: number): void {
    this.#exports.push({ name, type: FUNCTION, index });
  }

  exportGlobal(name: string, index: number): void {
    this.#exports.push({ name, type: GLOBAL, index });
  }

  data(address: number, bytes: Uint8Array): void {
    this.#data.push({ address, bytes });
  }

  /** The module's bytes; its memory is imported as `env.memory`. */
  bytes(): Uint8Array<ArrayBuffer> {
    const out = new ByteWriter(4096);
    out.bytes([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);
    section(out, 1, this.#types, (to, { parameters, results }) => {
      to.byte(0x60);
      to.unsigned(parameters.length);
      to.bytes(parameters);
      to.unsigned(results.length);
      to.bytes(results);
    });
    const memory = { module: 'env', name: 'memory', type: -1 };
    section(out, 2, [memory, ...this.#imports], (to, { module, name, type }) => {
      to.name(module);
      to.name(name);
      if (type < 0) to.bytes([0x02, 0x00, 0x01]);
      else {
        to.byte(0x00);
        to.unsigned(type);
      }
    });
    section(out, 3, this.#functions, (to, { type }) => to.unsigned(type));
    section(out, 6, this.#globals, (to, type) => {
      to.byte(type);
      to.byte(0x01);
      if (type === F64) {
        to.byte(OP.f64Const);
        to.float64(0);
      } else {
        to.byte(type === I32 ? OP.i32Const : OP.i64Const);
        to.byte(0);
      }
      to.byte(OP.end);
    });
    section(out, 7, this.#exports, (to, { name, type, index }) => {
      to.name(name);
      to.byte(type);
      to.unsigned(index);
    });
    section(out, 10, this.#functions, (to, { body }) => {
      if (body === null) throw new Error('a declared function has no body');
      to.sized(body);
    });
    section(out, 11, this.#data, (to, { address, bytes }) => {
      to.byte(0x00);
      to.byte(OP.i32Const);
      to.signed(address);
      to.byte(OP.end);
      to.unsigned(bytes.length);
      to.bytes(bytes);
    });
    return out.view().slice();
  }
}

function section<Item>(
  out: ByteWriter,
  id: number,
  items: readonly Item[],
  write: (to: ByteWriter, item: Item) => void,
): void {
  if (items.length === 0) return;
  const content = new ByteWriter(1024);
  content.unsigned(items.length);
  for (const item of items) write(content, item);
  out.byte(id);
  out.sized(content);
}
