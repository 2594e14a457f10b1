/** The interface of an engine. Leapfrog's own is in `leapfrog.ts`; others, for example in another process, can be added. */

import type { DerivedKind } from '../analysis/derived-names.js';
import type { ProgramInfo } from '../analyze.js';
import type { CostDetail } from '../explain.js';
import type { FunctionCall, FunctionValue } from './calls/function-call.js';
import type { LeaveOneOut } from './cross-validation.js';
import type { MemoryLimits, ModelHost } from './model-host.js';
import type { MatchRequest } from './moment-match.js';
import type { ObservedRequest } from './observed-outcomes.js';
import type { ObservedVariable } from './observed-variables.js';
import type { ProfileRequest, ProgramProfile } from './program-profile.js';
import type { InputsCheck, InputsRequest, RunOutcome, RunRequest, RunSink } from './request.js';

export type { DerivedKind };

/** A program's text, with the texts that its `#include`s name. */
export interface ProgramSource {
  /** The program's name in messages; `string` by default. */
  readonly name?: string;
  readonly program: string;
  readonly includes: Readonly<Record<string, string>>;
}

export interface CompilationOptions {
  /** Whether the module includes second derivatives of the log density, if they can be compiled. */
  readonly secondDerivatives?: boolean;
  /** Whether parameters whose priors have a location and a scale have coordinates that can be learned. */
  readonly reparameterizes?: boolean;
  /** Whether the module includes gradients of parts of the log density, from whose times follow those of its statements. */
  readonly profiles?: boolean;
  /** Whether the log density can be evaluated in slices. */
  readonly slices?: boolean;
  /** Compiles the program derived from the given one, instead of that one. */
  readonly derived?: DerivedKind;
}

/** A compiled program, or the diagnostics of an invalid one. */
export type Compilation =
  | {
      readonly compiled: true;
      /** The description of the module that is required to run it, as JSON text. */
      readonly artifact: string;
      readonly wasm: Uint8Array;
      readonly warnings: string;
      /** What the compiler did, with times and sizes. */
      readonly log: string;
    }
  | { readonly compiled: false; readonly text: string; readonly diagnostics: readonly DiagnosticDetail[] };

/** A message about a program. Lines count from 1, columns from 0 in bytes; the end is after the last character. */
export interface DiagnosticDetail {
  readonly kind: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint?: string;
  /** The message as the compiler prints it: with its location, and for errors with the surrounding lines. */
  readonly text: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
}

/** What is known about a program without compiling it. */
export interface Description {
  readonly errors: readonly DiagnosticDetail[];
  readonly warnings: readonly DiagnosticDetail[];
  /** For a program without errors. */
  readonly info?: ProgramInfo;
  /** For every program that can be parsed. */
  readonly formatted?: string;
  /** If requested, of a program that can be compiled. */
  readonly costs?: readonly CostDetail[];
}

/** Compiles programs and runs functions of the services namespace on them. Promises reject only for faults of the engine. */
export interface Engine {
  compile(source: ProgramSource, options?: CompilationOptions): Promise<Compilation>;
  describe(source: ProgramSource, pedantic: boolean, explains?: boolean): Promise<Description>;
  /** Reports errors in the inputs of a run before it begins. */
  checkInputs(request: InputsRequest): Promise<InputsCheck>;
  /**
   * Runs one chain of a function and passes its events to the sink. Errors that the sink throws end the run and reject the
   * promise.
   */
  run(functionName: string, request: RunRequest, sink: RunSink): Promise<RunOutcome>;
  /** Calls a function that a program declares; absent in an engine without this. Rejects with errors that `refusalOf` recognizes. */
  call?(call: FunctionCall, limits: MemoryLimits): Promise<FunctionValue>;
  /** Measures the gradient of a program by statement; absent in an engine without this. Rejects with errors that `refusalOf` recognizes. */
  profile?(request: ProfileRequest, limits: MemoryLimits): Promise<ProgramProfile>;
  /** Cross-validates draws with moment matching; absent in an engine without this. Rejects with errors that `refusalOf` recognizes. */
  crossValidate?(request: MatchRequest, limits: MemoryLimits): Promise<LeaveOneOut>;
  /** The outcomes of a program in its data; absent in an engine without this. */
  observe?(request: ObservedRequest): Promise<readonly ObservedVariable[]>;
  /** Models to be evaluated at any point; absent in an engine that only runs functions. */
  readonly models?: ModelHost;
}
