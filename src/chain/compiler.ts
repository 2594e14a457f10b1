/** The interface of a compiler, with its inputs and results. */
import type { ProgramInfo } from '../analyze.js';
import type { CompileOptions } from '../compile.js';
import type { DerivedKind } from '../derive/derived-names.js';
import type { CostDetail } from '../explain.js';

/** The source of a program, and the sources of its `#include`s. */
export interface ProgramSource {
  /** The program's name in messages; `string` by default. */
  readonly name?: string;
  readonly program: string;
  readonly includes: Readonly<Record<string, string>>;
}

export interface CompilationOptions
  extends Pick<CompileOptions, 'secondDerivatives' | 'reparameterizes' | 'integrates' | 'profiles' | 'slices'> {
  /** Whether, and how, to compile a program that is derived from the given one instead. */
  readonly derived?: DerivedKind;
}

/** A compiled program, or the diagnostics of an invalid one. */
export type Compilation =
  | {
      readonly compiled: true;
      /** The description of the module, as JSON text. It is required to run the module. */
      readonly artifact: string;
      readonly wasm: Uint8Array;
      readonly warnings: string;
      /** A log of the compiler's stages, with times and sizes. */
      readonly log: string;
    }
  | { readonly compiled: false; readonly text: string; readonly diagnostics: readonly DiagnosticDetail[] };

/** A message about a program. Lines are one-based; columns are zero-based and count bytes. The end is exclusive. */
export interface DiagnosticDetail {
  readonly kind: string;
  readonly severity: 'error' | 'warning';
  /** Names the error independently of its text: docs/diagnostics.md. */
  readonly code: string;
  readonly message: string;
  /** What was probably meant instead of the text at the location. */
  readonly suggestion?: string;
  readonly hint?: string;
  /** The message with its location and, for errors, the surrounding lines, as printed by the compiler. */
  readonly text: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
}

/** The results of analyzing a program without compiling it. */
export interface Description {
  readonly errors: readonly DiagnosticDetail[];
  readonly warnings: readonly DiagnosticDetail[];
  /** Set for a program without errors. */
  readonly info?: ProgramInfo;
  /** Set for every program that can be parsed. */
  readonly formatted?: string;
  /** Set, if requested, for a program that can be compiled. */
  readonly costs?: readonly CostDetail[];
}

/** A compiler in this process. */
export interface Compiler {
  compile(source: ProgramSource, options?: CompilationOptions): Compilation;
  describe(source: ProgramSource, pedantic: boolean, explains?: boolean): Description;
}
