/**
 * The interface of an engine, which consists of a compiler (`leapfrog-compiler.ts`) and models (`leapfrog-models.ts`).
 */

import type { Compilation, CompilationOptions, Description, ProgramSource } from '../chain/compiler.js';
import type { MemoryLimits, ModelHost } from '../chain/model-host.js';
import type { InputsCheck, InputsRequest, RunOutcome, RunRequest, RunSink } from '../chain/request.js';
import type { LeaveOneOut } from '../fits/cross-validation.js';
import type { ObservedVariable } from '../fits/observed-variables.js';
import type { EvidenceRequest, LogEvidence } from '../studies/evidence.js';
import type { MatchRequest } from '../studies/moment-match.js';
import type { ObservedRequest } from '../studies/observed-outcomes.js';
import type { FunctionCall, FunctionValue } from './calls/function-call.js';
import type { ProfileRequest, ProgramProfile } from './program-profile.js';

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
