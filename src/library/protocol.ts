/** Messages between the library and its threads. Everything here survives structured cloning. */

import type { Compilation, CompilationOptions, Description, ProgramSource } from '../chain/compiler.js';
import type { MemoryDraws } from '../chain/memory-draws.js';
import type { InputsCheck, InputsRequest, RunInput, RunOutcome, RunRequest } from '../chain/request.js';
import type { FunctionCall, FunctionValue } from '../engine/calls/function-call.js';
import type { ProfileRequest, ProgramProfile } from '../engine/program-profile.js';
import type { LeaveOneOut, LeftOutColumns } from '../fits/cross-validation.js';
import type { ObservedVariable } from '../fits/observed-variables.js';
import type { NamedDraws, NamedSummary } from '../fits/statistics.js';
import type { PredictivePlace } from '../inference/validation/leave-one-out.js';
import type { EvidenceRequest, LogEvidence } from '../studies/evidence.js';
import type { MatchRequest } from '../studies/moment-match.js';
import type { ObservedRequest } from '../studies/observed-outcomes.js';
import type { SentEvent } from './events.js';

/** The kernel modules as bytes. */
export interface KernelBytes {
  readonly math: Uint8Array<ArrayBuffer>;
  readonly linear: Uint8Array<ArrayBuffer>;
}

/**
 * The type of a thread, which determines the code that it loads: the compiler with the runner of compiled programs, the runner alone, or
 * statistics of draws.
 */
export type ThreadKind = 'compiler' | 'runner' | 'statistics';

/** The first message to a thread. */
export type Setup =
  | { readonly kind: 'set up compiler'; readonly kernels: KernelBytes; readonly linear: WebAssembly.Module }
  | { readonly kind: 'set up runner'; readonly linear: WebAssembly.Module }
  | { readonly kind: 'set up statistics' };

export type Job = CompilerJob | RunnerJob | StatisticsJob;
export type Order = Setup | Job;

type CompilerJob =
  | ({ readonly kind: 'compile'; readonly source: ProgramSource } & CompilationOptions)
  | { readonly kind: 'describe'; readonly source: ProgramSource; readonly pedantic: boolean; readonly explain: boolean }
  | { readonly kind: 'call'; readonly call: FunctionCall }
  | { readonly kind: 'profile'; readonly request: ProfileRequest }
  | { readonly kind: 'match moments'; readonly request: MatchRequest }
  | { readonly kind: 'estimate evidence'; readonly request: EvidenceRequest }
  | { readonly kind: 'observe'; readonly request: ObservedRequest };

export type RunnerJob =
  | ({ readonly kind: 'check data' } & Pick<InputsRequest, 'model' | 'data'>)
  | ({ readonly kind: 'check inputs'; readonly inputs: PortableInputs } & Omit<InputsRequest, 'inputs' | 'limits'>)
  | ({ readonly kind: 'run'; readonly functionName: string } & PortableRun);

type StatisticsJob =
  | { readonly kind: 'summarize' | 'leave out'; readonly columns: readonly NamedDraws[] }
  | {
      readonly kind: 'place';
      readonly observations: readonly { readonly observed: number }[];
      readonly logLikelihoods: readonly NamedDraws[];
      readonly simulated: readonly NamedDraws[];
    };

/** A run whose inputs are values, or draws in memory. */
export interface PortableRun
  extends Pick<
    RunRequest,
    'model' | 'data' | 'save' | 'arguments' | 'seed' | 'chain' | 'index' | 'cores' | 'block' | 'calibration' | 'refits'
  > {
  readonly inputs: PortableInputs;
  /** Whether to send diagnostics. */
  readonly diagnostics: boolean;
}

export type PortableInput =
  | Extract<RunInput, { readonly kind: 'values' }>
  | { readonly kind: 'draws'; readonly name: string; readonly draws: MemoryDraws };

export type PortableInputs = Readonly<Partial<Record<keyof RunRequest['inputs'], PortableInput>>>;

export type Result =
  | { readonly kind: 'compiled'; readonly compilation: Compilation }
  | { readonly kind: 'described'; readonly description: Description }
  | { readonly kind: 'called'; readonly value: FunctionValue }
  | { readonly kind: 'profiled'; readonly profile: ProgramProfile }
  | { readonly kind: 'matched'; readonly loo: LeaveOneOut }
  | { readonly kind: 'estimated evidence'; readonly evidence: LogEvidence }
  | { readonly kind: 'observed'; readonly observed: readonly ObservedVariable[] }
  | InputsCheck
  | RunOutcome
  | { readonly kind: 'summarized'; readonly summaries: readonly NamedSummary[] }
  | ({ readonly kind: 'left out' } & LeftOutColumns)
  | { readonly kind: 'placed'; readonly places: readonly PredictivePlace[] };

/**
 * Messages of a thread: events while a job runs, then a result or an internal error. A check of data begins with an
 * empty list of events.
 */
export type Said =
  | { readonly kind: 'events'; readonly events: readonly SentEvent[] }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'fault'; readonly report: string };
