/**
 * The interface of an engine, which consists of a compiler (`leapfrog-compiler.ts`) and models (`leapfrog-models.ts`).
 */

import type { ProgramInfo } from '../analyze.js';
import type { CompileOptions } from '../compile.js';
import type { DerivedKind } from '../derive/derived-names.js';
import type { CostDetail } from '../explain.js';
import type { FunctionCall, FunctionValue } from './calls/function-call.js';
import type { LeaveOneOut } from './cross-validation.js';
import type { EvidenceRequest, LogEvidence } from './evidence.js';
import type { MemoryLimits, ModelHost } from './model-host.js';
import type { MatchRequest } from './moment-match.js';
import type { ObservedRequest } from './observed-outcomes.js';
import type { ObservedVariable } from './observed-variables.js';
import type { ProfileRequest, ProgramProfile } from './program-profile.js';
import type { InputsCheck, InputsRequest, RunOutcome, RunRequest, RunSink } from './request.js';

export type { DerivedKind };

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

/**
 * Compiles programs and runs functions of the services namespace on them. Unless noted, promises reject only for internal errors of the
 * engine.
 */
export interface Engine {
  compile(source: ProgramSource, options?: CompilationOptions): Promise<Compilation>;
  describe(source: ProgramSource, pedantic: boolean, explains?: boolean): Promise<Description>;
  /** Reports errors in the inputs of a run before it starts. */
  checkInputs(request: InputsRequest): Promise<InputsCheck>;
  /** Runs one chain of a function and passes its events to the sink. An error thrown by the sink ends the run and rejects the promise. */
  run(functionName: string, request: RunRequest, sink: RunSink): Promise<RunOutcome>;
  /** Calls a function that a program declares. Rejects with errors that `refusalOf` recognizes. */
  call(call: FunctionCall, limits: MemoryLimits): Promise<FunctionValue>;
  /** Measures the gradient of a program by statement. Rejects with errors that `refusalOf` recognizes. */
  profile(request: ProfileRequest, limits: MemoryLimits): Promise<ProgramProfile>;
  /** Cross-validates draws with moment matching. Rejects with errors that `refusalOf` recognizes. */
  crossValidate(request: MatchRequest, limits: MemoryLimits): Promise<LeaveOneOut>;
  /** Estimates a log evidence from draws. Rejects with errors that `refusalOf` recognizes. */
  logEvidence(request: EvidenceRequest, limits: MemoryLimits): Promise<LogEvidence>;
  /** The outcomes of a program in its data. */
  observe(request: ObservedRequest): Promise<readonly ObservedVariable[]>;
  /** Models that can be evaluated at any point. */
  readonly models: ModelHost;
}
