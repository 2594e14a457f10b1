/**
 * An assembler for WebAssembly modules. Every leapfrog step runs in WebAssembly, because JavaScript would box the numbers that pass between
 * functions, and would have to leave its own code to call a compiled density.
 *
 * Code is a list of bytes. An expression leaves its value on the stack; a step leaves nothing. Opcodes are those of the WebAssembly core
 * specification 2.0, section 5.4. Indexes of locals, functions and types are below 128, so each takes one byte.
 */
export type Code = readonly number[];

export type ValueType = 'i32' | 'f64' | 'v128';

/** A local of a function, as the code that reads it. */
export type Variable = readonly [0x20, number];

/** Writes a call with these arguments. */
export type Call = (...taken: readonly Code[]) => Code;

/** A function: its parameters, other locals, result type, and steps, the last of which leaves the result on the stack. */
export interface Routine {
  readonly takes: readonly ValueType[];
  readonly variables?: readonly ValueType[];
  readonly returns?: ValueType;
  /** Receives the parameters and then the other locals. */
  steps(...variables: readonly Variable[]): readonly Code[];
}

const TYPES: Readonly<Record<ValueType, number>> = { i32: 0x7f, f64: 0x7c, v128: 0x7b };

/** A module with one memory, `host.memory`. All other imports also come from `host`, and must be declared before any definition. */
export class ModuleWriter {
  private readonly types: Code[] = [];
  private readonly imports: Code[] = [[...name('host'), ...name('memory'), 0x02, 0x00, 0]];
  private readonly bodies: Code[] = [];
  private readonly exports: Code[] = [];
  private importedFunctions = 0;
  private globals = 0;

  /** Imports an immutable number. */
  importNumber(field: string): Code {
    this.imports.push([...name('host'), ...name(field), 0x03, TYPES.i32, 0]);
    this.globals += 1;
    return [0x23, this.globals - 1];
  }

  importFunction(field: string, takes: readonly ValueType[], returns: ValueType): Call {
    this.types.push(functionType(takes, returns));
    this.imports.push([...name('host'), ...name(field), 0x00, this.types.length - 1]);
    this.importedFunctions += 1;
    return callOf(this.importedFunctions - 1);
  }

  /** Defines and exports a function. */
  define(field: string, routine: Routine): Call {
    const { takes, variables = [], returns } = routine;
    const all = [...takes, ...variables].map((_, index): Variable => [0x20, index]);
    const declared = list(variables.map((type) => [1, TYPES[type]]));
    return this.defineBody(field, functionType(takes, returns), [...declared, ...routine.steps(...all).flat(), 0x0b]);
  }

  /** Defines and exports a function with an encoded type and body. */
  defineBody(field: string, type: Code, body: Code): Call {
    const index = this.importedFunctions + this.bodies.length;
    this.types.push(type);
    this.bodies.push(sized(body));
    this.exports.push([...name(field), 0x00, index]);
    return callOf(index);
  }

  compile(): WebAssembly.Module {
    const typeIndexes = this.bodies.map((_, index) => [this.importedFunctions + index]);
    return new WebAssembly.Module(
      Uint8Array.from([
        ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
        ...section(1, list(this.types)),
        ...section(2, list(this.imports)),
        ...section(3, list(typeIndexes)),
        ...section(7, list(this.exports)),
        ...section(10, list(this.bodies)),
      ]),
    );
  }
}

export function functionType(takes: readonly ValueType[], returns: ValueType | undefined): Code {
  const returned = returns === undefined ? [] : [TYPES[returns]];
  return [0x60, takes.length, ...takes.map((type) => TYPES[type]), returned.length, ...returned];
}

function callOf(index: number): Call {
  return (...taken) => [...taken.flat(), 0x10, index];
}

export function set(variable: Variable, value: Code): Code {
  return [...value, 0x21, variable[1]];
}

/** A 32-bit integer constant. */
export function integer(value: number): Code {
  return [0x41, ...signed(value)];
}

/** A double constant. */
export function real(value: number): Code {
  return [0x44, ...new Uint8Array(Float64Array.of(value).buffer)];
}

/** Executes some steps if a condition holds, and others if it does not. */
export function when(condition: Code, then: readonly Code[], otherwise: readonly Code[] = []): Code {
  const rest = otherwise.length === 0 ? [] : [0x05, ...otherwise.flat()];
  return [...condition, 0x04, 0x40, ...then.flat(), ...rest, 0x0b];
}

/** Repeats steps while a condition holds. */
export function repeat(condition: Code, steps: readonly Code[]): Code {
  return [0x02, 0x40, 0x03, 0x40, ...condition, 0x45, 0x0d, 1, ...steps.flat(), 0x0c, 0, 0x0b, 0x0b];
}

export function returnValue(value: Code): Code {
  return [...value, 0x0f];
}

/** The first value if the condition holds, otherwise the second. */
export function choose(condition: Code, first: Code, second: Code): Code {
  return [...first, ...second, ...condition, 0x1b];
}

type Binary = (left: Code, right: Code) => Code;

function binary(...opcode: Code): Binary {
  return (left, right) => [...left, ...right, ...opcode];
}

export const int = {
  load: (address: Code, offset = 0): Code => [...address, 0x28, 2, ...unsigned(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [...address, ...value, 0x36, 2, ...unsigned(offset)],
  add: binary(0x6a),
  subtract: binary(0x6b),
  multiply: binary(0x6c),
  and: binary(0x71),
  xor: binary(0x73),
  shiftLeft: binary(0x74),
  shiftRight: binary(0x76),
  rotateLeft: binary(0x77),
  equal: binary(0x46),
  different: binary(0x47),
  less: binary(0x48),
  not: (value: Code): Code => [...value, 0x45],
  /** Converts a double to an int by truncation; NaN becomes 0. */
  truncated: (value: Code): Code => [...value, 0xfc, 0x02],
} as const;

export const double = {
  load: (address: Code, offset = 0): Code => [...address, 0x2b, 3, ...unsigned(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [...address, ...value, 0x39, 3, ...unsigned(offset)],
  add: binary(0xa0),
  subtract: binary(0xa1),
  multiply: binary(0xa2),
  divide: binary(0xa3),
  less: binary(0x63),
  greater: binary(0x64),
  equal: binary(0x61),
  magnitude: (value: Code): Code => [...value, 0x99],
  negative: (value: Code): Code => [...value, 0x9a],
  /** The greatest integer that is not greater. */
  floor: (value: Code): Code => [...value, 0x9c],
  /** 2 to the power of an int from -1022 to 1023. */
  powerOfTwo: (exponent: Code): Code => [...exponent, ...integer(1023), 0x6a, 0xac, 0x42, 52, 0x86, 0xbf],
  /** Converts an unsigned 32-bit integer to a double. */
  fromBits: (value: Code): Code => [...value, 0xb8],
} as const;

function section(id: number, content: Code): Code {
  return [id, ...sized(content)];
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function name(text: string): Code {
  return sized([...new TextEncoder().encode(text)]);
}

function sized(content: Code): Code {
  return [...unsigned(content.length), ...content];
}

/** LEB128 encoding of an unsigned integer. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  return value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
