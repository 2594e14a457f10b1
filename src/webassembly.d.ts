/** The part of the WebAssembly interface (W3C WebAssembly JavaScript Interface 2.0) that neither ES nor Node types declare. */
declare namespace WebAssembly {
  type BufferSource = ArrayBufferView | ArrayBuffer;
  /** A function of numbers; ours pass no 64-bit integers. What returns nothing returns undefined, which callers ignore. */
  type ExportFunction = (...values: number[]) => number;
  type ImportFunction = (...values: number[]) => unknown;
  type ExportValue = ExportFunction | Memory | Table | Global;
  type ImportValue = ExportValue | ImportFunction | number;
  type Exports = Record<string, ExportValue>;
  type Imports = Record<string, Record<string, ImportValue>>;

  class CompileError extends Error {}
  class LinkError extends Error {}
  class RuntimeError extends Error {}

  interface ExportDescriptor {
    readonly name: string;
    readonly kind: 'function' | 'table' | 'memory' | 'global';
  }

  interface ImportDescriptor extends ExportDescriptor {
    readonly module: string;
  }

  class Module {
    constructor(bytes: BufferSource);
    static exports(module: Module): ExportDescriptor[];
    static imports(module: Module): ImportDescriptor[];
    static customSections(module: Module, name: string): ArrayBuffer[];
  }

  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Exports;
  }

  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }

  class Table {
    constructor(descriptor: { element: 'anyfunc' | 'externref'; initial: number; maximum?: number });
    readonly length: number;
    get(index: number): unknown;
    set(index: number, value?: unknown): void;
    grow(by: number, value?: unknown): number;
  }

  class Global {
    constructor(descriptor: { value: 'i32' | 'i64' | 'f32' | 'f64'; mutable?: boolean }, value?: number | bigint);
    value: number | bigint;
  }

  function validate(bytes: BufferSource): boolean;
  function compile(bytes: BufferSource): Promise<Module>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
  function instantiate(bytes: BufferSource, imports?: Imports): Promise<{ module: Module; instance: Instance }>;
}
