import type { IrProgram, Local, Ref, ScalarType, StatementOf, Variable } from '../ir/nodes.js';
import type { CallsLayout, Site } from './artifact.js';
import type { KernelLibrary } from './kernels.js';
import { relocated } from './kernels.js';
import type { ModuleWriter, Signature } from './module.js';
import { F64, I32, type ValueType } from './opcodes.js';
import { allocationSite } from './sites.js';

/** The bytes of an element are 2 to this power. */
export function shiftOf(element: ScalarType): number {
  return element === 'int' ? 2 : 3;
}

/** The location of a scalar: a wasm global, or a local of the function being written. */
export interface Place {
  readonly global: boolean;
  readonly index: number;
}

export interface RefPlace {
  readonly pointer: Place;
  readonly sizes: readonly Place[];
}

/** Wasm globals that all functions share. */
export interface Registers {
  /** First free byte of the arena. */
  readonly top: number;
  /** The limit of `top`. */
  readonly limit: number;
  /** The start of the arena: the value of `top` at the start of an evaluation. */
  readonly base: number;
  /** Distance from a value to its adjoint. */
  readonly distance: number;
  /** First byte of the tape. */
  readonly tape: number;
  /** End of the tape while functions that use it are called. */
  readonly tapeTop: number;
  /** End of memory, for the tape and for evaluations without adjoints. */
  readonly end: number;
  /** Where the arena ends while adjoints are in use. */
  readonly arenaEnd: number;
  /** Distance of the control area from its address in the layout: nonzero if instances share a memory. */
  readonly control: number;
}

export interface Imports {
  /** (site): prints, or throws to end the evaluation. */
  readonly report: number;
  /**
   * (end, region, site): extends memory to `end` and returns its new end. Throws while adjoints are in use if `end` is that of the arena
   * (region 0). The site, or -1, is that of the allocation.
   */
  readonly reserve: number;
}

/** Functions of the module for allocation. */
export interface Helpers {
  /** (bytes: f64, site or -1) → address */
  readonly take: number;
  /** (address, bytes): zeros; bytes a multiple of 16. */
  readonly clear: number;
  /** (address, count, value: f64) */
  readonly fillReal: number;
  /** (address, count, value: i32) */
  readonly fillInt: number;
}

/** A function that the module can call. */
export interface WasmFunction {
  readonly index: number;
  readonly signature: Signature;
}

/** State that all functions of one module share while it is written. */
export class ModuleContext {
  readonly writer: ModuleWriter;
  readonly kernels: KernelLibrary;
  readonly program: IrProgram;
  readonly registers: Registers;
  readonly imports: Imports;
  /** Imported kernels of `linear`. */
  readonly linear: ReadonlyMap<string, WasmFunction>;
  readonly helpers: Helpers;
  readonly functions: ReadonlyMap<number, WasmFunction>;
  readonly randomState: number;
  /** Address of the values of a reported site. */
  readonly values: number;
  /** Address where a kernel stores the derivatives that it computes with its values. */
  readonly derivatives: number;
  /** Where open calls are recorded; null if the program calls no function. */
  readonly calls: CallsLayout | null;
  /** Whether loops may run two iterations at a time. */
  readonly vectorizes: boolean;
  readonly sites: Site[] = [];
  readonly #locals = new Map<Local, Place>();
  readonly #refs = new Map<Ref, RefPlace>();
  /** Wasm globals of variables, for functions that bind data and for all others. */
  readonly #bound = new Set<number>();
  readonly #used = new Set<number>();
  #definesBinding = false;
  readonly #math = new Map<number, number>();
  readonly #allocations = new Map<string, number>();

  constructor(
    fields: Pick<
      ModuleContext,
      | 'writer'
      | 'kernels'
      | 'program'
      | 'registers'
      | 'imports'
      | 'linear'
      | 'helpers'
      | 'functions'
      | 'randomState'
      | 'values'
      | 'derivatives'
      | 'calls'
      | 'vectorizes'
    >,
  ) {
    this.writer = fields.writer;
    this.kernels = fields.kernels;
    this.program = fields.program;
    this.registers = fields.registers;
    this.imports = fields.imports;
    this.linear = fields.linear;
    this.helpers = fields.helpers;
    this.functions = fields.functions;
    this.randomState = fields.randomState;
    this.values = fields.values;
    this.derivatives = fields.derivatives;
    this.calls = fields.calls;
    this.vectorizes = fields.vectorizes;
  }

  /** The site number of an allocation, which all allocations of a statement share; -1 if it is unknown. */
  allocationSite(statement: StatementOf<'allocate'>): number {
    const site = allocationSite(statement);
    if (site === undefined) return -1;
    const key = JSON.stringify(site);
    const known = this.#allocations.get(key);
    if (known !== undefined) return known;
    const number = this.sites.push(site) - 1;
    this.#allocations.set(key, number);
    return number;
  }

  /** Defines functions that bind data. */
  defineBinding(define: () => void): void {
    this.#definesBinding = true;
    define();
    this.#definesBinding = false;
  }

  /** Indexes of the wasm globals of variables that functions which bind data share with others. */
  boundGlobals(): number[] {
    return [...this.#bound].filter((index) => this.#used.has(index));
  }

  /** The wasm global of a global scalar. */
  globalLocal(local: Local): Place {
    let place = this.#locals.get(local);
    if (place === undefined) {
      place = { global: true, index: this.writer.global(valueType(local.type)) };
      this.#locals.set(local, place);
    }
    this.#note(place);
    return place;
  }

  /** The wasm globals of a global container. */
  globalRef(ref: Ref): RefPlace {
    let place = this.#refs.get(ref);
    if (place === undefined) {
      const register = (): Place => ({ global: true, index: this.writer.global(I32) });
      place = { pointer: register(), sizes: Array.from({ length: ref.rank }, register) };
      this.#refs.set(ref, place);
    }
    for (const each of [place.pointer, ...place.sizes]) this.#note(each);
    return place;
  }

  #note({ index }: Place): void {
    (this.#definesBinding ? this.#bound : this.#used).add(index);
  }

  /** The index in this module of a kernel, from its index in `math`; copies the kernel here on first use. */
  readonly mathFunction = (kernel: number): number => {
    const known = this.#math.get(kernel);
    if (known !== undefined) return known;
    const source = this.kernels.math.functions[kernel];
    const index = this.writer.declare(source.signature);
    this.#math.set(kernel, index);
    this.writer.define(index, relocated(source, this.mathFunction));
    return index;
  };

  /** Index in `math` of an exported kernel, or undefined. */
  mathKernel(name: string): number | undefined {
    return this.kernels.math.exports.get(name);
  }

  /** The function of a kernel: imported from `linear`, or copied from `math`. */
  kernelFunction(name: string): WasmFunction {
    const imported = this.linear.get(name);
    if (imported !== undefined) return imported;
    const kernel = this.mathKernel(name);
    if (kernel === undefined) throw new Error(`there is no kernel ${name}`);
    return { index: this.mathFunction(kernel), signature: this.kernels.math.functions[kernel].signature };
  }

  usesMath(): boolean {
    return this.#math.size > 0;
  }
}

export function valueType(type: ScalarType): ValueType {
  return type === 'int' ? I32 : F64;
}

/** Wasm types in which a variable is passed: a scalar, or a pointer and sizes. */
export function passedTypes(variable: Variable): ValueType[] {
  return variable.kind === 'local'
    ? [valueType(variable.type)]
    : Array.from({ length: 1 + variable.rank }, (): ValueType => I32);
}
