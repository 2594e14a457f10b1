import { ByteWriter } from './bytes.js';
import type { Code } from './code.js';
import type { Signature } from './module.js';
import { F64, I32, I64, MISC_PREFIX, OP, SIMD, SIMD_PREFIX, V128, type ValueType } from './opcodes.js';

/**
 * The numeric kernels as compiled modules: functions of `math` are copied into each generated module, small ones into
 * the loops that call them; functions of `linear` are called through imports.
 */
export interface KernelLibrary {
  readonly math: KernelModule;
  readonly linear: ReadonlyMap<string, Signature>;
}

interface KernelModule {
  readonly functions: readonly KernelFunction[];
  /** Index of an exported function. */
  readonly exports: ReadonlyMap<string, number>;
  readonly data: readonly { readonly address: number; readonly bytes: Uint8Array }[];
}

export interface KernelFunction {
  readonly signature: Signature;
  readonly locals: readonly ValueType[];
  /** Instructions without the final `end`. */
  readonly code: Uint8Array;
  /** The positions in `code` of numbers that depend on function indexes, in order. */
  readonly places: readonly Place[];
}

/** `value`: index of the local or function, or the nesting depth of a `return`. */
interface Place {
  readonly kind: 'local' | 'call' | 'return' | 'constant';
  readonly start: number;
  readonly end: number;
  readonly value: number;
}

/** Reads both kernel modules. Call it once and keep the result. */
export function readKernels(math: Uint8Array, linear: Uint8Array): KernelLibrary {
  const sections = readSections(linear);
  const linearTypes = readTypes(sections);
  const linearFunctions = readFunctionTypes(sections);
  return {
    math: readModule(math),
    linear: new Map([...readExports(sections)].map(([name, index]) => [name, linearTypes[linearFunctions[index]]])),
  };
}

/** The copy of a kernel as a separate function; `functionIndex` gives a kernel's index in the new module. */
export function relocated(kernel: KernelFunction, functionIndex: (kernel: number) => number): ByteWriter {
  const body = new ByteWriter(kernel.code.length + 64);
  body.unsigned(kernel.locals.length);
  for (const type of kernel.locals) {
    body.unsigned(1);
    body.byte(type);
  }
  copy(kernel, body, (place, out) => {
    if (place.kind === 'call') {
      out.byte(OP.call);
      out.unsigned(functionIndex(place.value));
    } else out.bytes(kernel.code.subarray(place.start, place.end));
  });
  body.byte(OP.end);
  return body;
}

/**
 * Writes the kernel's instructions in place of a call: the arguments are on the stack, and the result replaces them. `constant` returns the
 * local that holds a vector constant.
 */
export function inline(
  kernel: KernelFunction,
  code: Code,
  functionIndex: (kernel: number) => number,
  constant: (bytes: Uint8Array) => number,
): void {
  const { parameters, results } = kernel.signature;
  const types = [...parameters, ...kernel.locals];
  const locals = types.map((type) => code.temporary(type));
  for (let k = parameters.length - 1; k >= 0; k--) code.set(locals[k]);
  for (let k = parameters.length; k < locals.length; k++) {
    code.zero(types[k]);
    code.set(locals[k]);
  }
  code.block(results[0]);
  copy(kernel, code.out, (place, out) => {
    if (place.kind === 'local') {
      out.byte(kernel.code[place.start]);
      out.unsigned(locals[place.value]);
    } else if (place.kind === 'call') {
      out.byte(OP.call);
      out.unsigned(functionIndex(place.value));
    } else if (place.kind === 'constant') {
      const local = constant(kernel.code.subarray(place.end - 16, place.end));
      out.byte(OP.localGet);
      out.unsigned(local);
    } else {
      out.byte(OP.br);
      out.unsigned(place.value);
    }
  });
  code.end();
  for (const [k, local] of locals.entries()) code.release(types[k], local);
}

function copy(kernel: KernelFunction, out: ByteWriter, write: (place: Place, out: ByteWriter) => void): void {
  let copied = 0;
  for (const place of kernel.places) {
    out.bytes(kernel.code.subarray(copied, place.start));
    write(place, out);
    copied = place.end;
  }
  out.bytes(kernel.code.subarray(copied));
}

const DECODER = new TextDecoder();

class Reader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte(): number {
    return this.bytes[this.at++];
  }

  /** LEB128, unsigned. */
  unsigned(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  skipLeb(): void {
    while (this.byte() >= 0x80);
  }

  name(): string {
    const length = this.unsigned();
    this.at += length;
    return DECODER.decode(this.bytes.subarray(this.at - length, this.at));
  }

  vector<Item>(read: () => Item): Item[] {
    return Array.from({ length: this.unsigned() }, read);
  }

  type(): ValueType {
    const byte = this.byte();
    if (byte !== I32 && byte !== I64 && byte !== F64 && byte !== V128) throw new Error(`kernel uses type ${byte}`);
    return byte;
  }
}

type Sections = ReadonlyMap<number, Reader>;

function readSections(bytes: Uint8Array): Sections {
  const sections = new Map<number, Reader>();
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const id = reader.byte();
    const size = reader.unsigned();
    if (id !== 0) sections.set(id, new Reader(bytes, reader.at));
    reader.at += size;
  }
  return sections;
}

function readTypes(sections: Sections): Signature[] {
  const reader = sections.get(1);
  if (reader === undefined) return [];
  return reader.vector(() => {
    reader.byte();
    return { parameters: reader.vector(() => reader.type()), results: reader.vector(() => reader.type()) };
  });
}

function readFunctionTypes(sections: Sections): number[] {
  const reader = sections.get(3);
  return reader === undefined ? [] : reader.vector(() => reader.unsigned());
}

function readExports(sections: Sections): Map<string, number> {
  const reader = sections.get(7);
  const exports = new Map<string, number>();
  if (reader === undefined) return exports;
  reader.vector(() => {
    const name = reader.name();
    const kind = reader.byte();
    const index = reader.unsigned();
    if (kind === 0) exports.set(name, index);
  });
  return exports;
}

function readModule(bytes: Uint8Array): KernelModule {
  const sections = readSections(bytes);
  const types = readTypes(sections);
  const functionTypes = readFunctionTypes(sections);
  if (sections.has(6)) throw new Error('math kernels must not have globals');
  const code = sections.get(10);
  const data = sections.get(11);
  let next = 0;
  return {
    exports: readExports(sections),
    functions: code === undefined ? [] : code.vector(() => new UnreadFunction(code, types[functionTypes[next++]])),
    data: data === undefined ? [] : data.vector(() => readData(data)),
  };
}

function readData(reader: Reader): { address: number; bytes: Uint8Array } {
  if (reader.unsigned() !== 0 || reader.byte() !== OP.i32Const)
    throw new Error('kernel data must have a constant address');
  const address = reader.unsigned();
  reader.byte();
  const length = reader.unsigned();
  reader.at += length;
  return { address, bytes: reader.bytes.slice(reader.at - length, reader.at) };
}

type Body = Omit<KernelFunction, 'signature'>;

/** A function whose body is read when it is first used: a program uses few of them. */
class UnreadFunction implements KernelFunction {
  readonly signature: Signature;
  private readonly bytes: Uint8Array;
  private read: Body | undefined;

  /** Moves the reader behind the function. */
  constructor(reader: Reader, signature: Signature) {
    this.signature = signature;
    const size = reader.unsigned();
    this.bytes = reader.bytes.subarray(reader.at, reader.at + size);
    reader.at += size;
  }

  get locals(): readonly ValueType[] {
    return this.body.locals;
  }

  get code(): Uint8Array {
    return this.body.code;
  }

  get places(): readonly Place[] {
    return this.body.places;
  }

  private get body(): Body {
    this.read ??= readBody(this.bytes);
    return this.read;
  }
}

function readBody(bytes: Uint8Array): Body {
  const reader = new Reader(bytes);
  const end = bytes.length;
  const locals = reader
    .vector(() => ({ count: reader.unsigned(), type: reader.type() }))
    .flatMap(({ count, type }) => Array.from({ length: count }, () => type));
  const origin = reader.at;
  const places: Place[] = [];
  let depth = 0;
  while (reader.at < end - 1) {
    const start = reader.at;
    const opcode = reader.byte();
    switch (opcode) {
      case OP.localGet:
      case OP.localSet:
      case OP.localTee:
      case OP.call: {
        const value = reader.unsigned();
        const kind = opcode === OP.call ? 'call' : 'local';
        places.push({ kind, start: start - origin, end: reader.at - origin, value });
        break;
      }
      case OP.return:
        places.push({ kind: 'return', start: start - origin, end: reader.at - origin, value: depth });
        break;
      case OP.block:
      case OP.loop:
      case OP.if:
        reader.skipLeb();
        depth++;
        break;
      case OP.end:
        depth--;
        break;
      default:
        skipImmediates(reader, opcode);
        if (opcode === SIMD_PREFIX && reader.bytes[start + 1] === SIMD.const) {
          places.push({ kind: 'constant', start: start - origin, end: reader.at - origin, value: 0 });
        }
    }
  }
  return { locals, code: bytes.slice(origin, end - 1), places };
}

function skipImmediates(reader: Reader, opcode: number): void {
  if (opcode === OP.br || opcode === OP.brIf || opcode === OP.i32Const || opcode === OP.i64Const) reader.skipLeb();
  else if (opcode === OP.f64Const) reader.at += 8;
  else if (opcode === 0x43) reader.at += 4;
  else if (opcode === 0x0e) {
    reader.vector(() => reader.unsigned());
    reader.skipLeb();
  } else if (opcode >= 0x28 && opcode <= 0x3e) {
    reader.skipLeb();
    reader.skipLeb();
  } else if (opcode === MISC_PREFIX) {
    const operation = reader.unsigned();
    if (operation === 10) reader.at += 2;
    else if (operation === 11) reader.at += 1;
    else if (operation > 7) throw new Error(`kernel uses instruction 0xfc ${operation}`);
  } else if (opcode === SIMD_PREFIX) skipSimdImmediates(reader, reader.unsigned());
  else if (
    opcode === OP.globalGet ||
    opcode === OP.globalSet ||
    opcode === 0x11 ||
    opcode === 0x3f ||
    opcode === 0x40
  ) {
    throw new Error(`kernel uses instruction ${opcode}`);
  }
}

function skipSimdImmediates(reader: Reader, operation: number): void {
  const isMemory = operation <= 11 || (operation >= 0x54 && operation <= 0x5d);
  if (isMemory) {
    reader.skipLeb();
    reader.skipLeb();
    if (operation >= 0x54 && operation <= 0x5b) reader.byte();
  } else if (operation === 12 || operation === 13) reader.at += 16;
  else if (operation >= 0x15 && operation <= 0x22) reader.byte();
}
