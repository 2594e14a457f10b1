/** What the service needs of an engine. Our own is in `leapfrog.ts`; a second one can stand beside it. */
import type { ProgramInfo } from '../../analyze.js';
import type { JsonData } from '../../model/json.js';
import type { ResidentGradient } from '../../model/model.js';

/** A program's text, with the texts that its `#include`s name. */
export interface ProgramSource {
  /** What messages call the program; `string` unless given. */
  readonly name?: string;
  readonly program: string;
  readonly includes: Readonly<Record<string, string>>;
}

/** A program compiled, or why it is none. */
export type Compilation =
  | {
      readonly compiled: true;
      /** What `instantiate` needs to know of the module, as JSON text. */
      readonly artifact: string;
      readonly wasm: Uint8Array;
      readonly warnings: string;
      /** What the compiler did, with times and sizes. */
      readonly log: string;
    }
  | { readonly compiled: false; readonly text: string; readonly diagnostics: readonly DiagnosticDetail[] };

/** Something to say about a program. Lines count from 1, columns from 0 in bytes; the end is behind the last character. */
export interface DiagnosticDetail {
  readonly kind: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint?: string;
  /** As the compiler prints it: with the place, and for errors with the lines around it. */
  readonly text: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
}

/** What can be said of a program without compiling it. */
export interface Description {
  readonly errors: readonly DiagnosticDetail[];
  readonly warnings: readonly DiagnosticDetail[];
  /** Of a program without errors. */
  readonly info?: ProgramInfo;
  /** Of every program that can be read. */
  readonly formatted?: string;
}

export interface InstanceOptions {
  /** Seed of random numbers in transformed data. */
  readonly seed: number;
  readonly print: (text: string) => void;
  /** Bytes of memory that the instance may grow to. */
  readonly maximumMemory: number;
  /** Asked before the instance takes so many bytes more; if it is refused, whatever runs throws an error of which `isShortage` is true. */
  readonly claimMemory?: (bytes: number) => boolean;
}

/** Parts of an output: the parameters always, the others as asked. */
export interface OutputParts {
  readonly transformedParameters: boolean;
  readonly generatedQuantities: boolean;
}

export interface DensityForm {
  /** Whether constant terms are dropped. */
  readonly propto: boolean;
  /** Whether the Jacobian of the constraining transforms is included. */
  readonly jacobian: boolean;
}

/** Something that a program declares as output. */
export interface DeclaredOutput {
  readonly name: string;
  readonly block: 'parameters' | 'transformed parameters' | 'generated quantities';
}

/** A compiled program with its data. Whatever fails throws an error that the engine knows. */
export interface EngineModel {
  readonly dimension: number;
  /** Bytes of memory that it has taken so far. */
  readonly memoryBytes: number;
  /** Everything that the program declares as output, in order. */
  readonly parameters: readonly (DeclaredOutput & { readonly dims: readonly number[] })[];
  constrainedNames(parts: OutputParts): readonly string[];
  unconstrainedNames(): readonly string[];
  /** What the program's `profile` blocks took so far. */
  profiles(): readonly { readonly name: string; readonly seconds: number; readonly runs: number }[];
  logDensity(position: Float64Array, form: DensityForm): number;
  logDensityGradient(position: Float64Array, gradient: Float64Array, form: DensityForm): number;
  /** Absent or undefined where the host has a part in evaluations. */
  resident?(form: DensityForm): ResidentGradient | undefined;
  seedRandom(seed: number, chain: number): void;
  /** Writes to `out` from element `offset` on, 0 unless given. */
  writeArray(position: Float64Array, out: Float64Array, parts: OutputParts, offset?: number): void;
  /** The unconstrained position of these values. What is missing is taken from `position`, or is an error without it. */
  unconstrain(values: JsonData, position?: Float64Array): Float64Array;
  /** The unconstrained position of a draw's parameters, in the order of `constrainedNames` without the other parts. */
  unconstrainDraw(parameters: Float64Array): Float64Array;
}

/** Why something failed: at the point (`rejection`), for the program or its data (`error`), or by our fault (`undefined`). */
export type Blame = { readonly kind: 'rejection' | 'error'; readonly message: string } | undefined;

export interface Engine {
  compile(source: ProgramSource): Compilation;
  describe(source: ProgramSource, pedantic: boolean): Description;
  /** Everything that a compiled program declares as output, in order; sizes are known with its data. */
  outputs(artifact: string): readonly DeclaredOutput[];
  instantiate(artifact: string, module: WebAssembly.Module, data: JsonData, options: InstanceOptions): EngineModel;
  blame(error: unknown): Blame;
  /** Whether the host refused memory (`InstanceOptions.claimMemory`). */
  isShortage(error: unknown): boolean;
}
