/** Messages between the main thread and a worker thread. Everything here survives structured cloning. */

import type { CompilationOptions, Description, DiagnosticDetail, ProgramSource } from '../../chain/compiler.js';
import type { EvaluationRequest, OnData } from '../../chain/evaluation.js';
import type {
  CalibrationShare,
  InputsCheck,
  RefitShare,
  RunBlock,
  RunOutcome,
  RunProgress,
} from '../../chain/request.js';
import type { FunctionCall } from '../../engine/calls/function-call.js';
import type { ProfileRequest } from '../../engine/program-profile.js';
import type { DamagedFile } from '../../fit-files/checksums.js';
import type { DrawFile } from '../../fit-files/draw-file.js';
import type { LeaveOneOut } from '../../fits/cross-validation.js';
import type { ObservedVariable } from '../../fits/observed-variables.js';
import type { NonFinite } from '../../formats/numbers.js';
import type { Input, Seconds } from '../../inference/algorithms/algorithm.js';
import type { ArgumentValue } from '../../inference/algorithms/arguments.js';
import type { BoundData } from '../../model/bind.js';
import type { StorageFault } from '../../node/system-errors.js';
import type { EvidenceRequest, LogEvidence } from '../../studies/evidence.js';
import type { MatchRequest } from '../../studies/moment-match.js';
import type { ObservedRequest } from '../../studies/observed-outcomes.js';
import type { BodyReading } from './body.js';
import type { DrawRange, FitJob, FitResult } from './fit-job.js';
import type { AccountSetup } from './memory-budget.js';

/** Selects Leapfrog's own engine instead of the URL of a module with an engine. */
export const OWN_ENGINE = 'leapfrog';

export interface CompileJob extends CompilationOptions {
  readonly kind: 'compile';
  readonly source: ProgramSource;
}

/** Checks, describes and formats a program without compiling it. */
interface DescribeJob {
  readonly kind: 'describe';
  readonly source: ProgramSource;
  readonly pedantic: boolean;
  readonly explain: boolean;
}

/** Calls a function that the program of a model declares. */
interface CallJob {
  readonly kind: 'call';
  readonly model: { readonly id: string };
  readonly call: FunctionCall;
  /** Representation of non-finite numbers in the response. */
  readonly style: NonFinite;
}

/** Measures the gradient of a model by statement of its program. */
interface ProfileJob {
  readonly kind: 'profile';
  readonly model: { readonly id: string };
  readonly request: ProfileRequest;
}

/** Cross-validates a fit with moment matching. */
interface MatchJob extends Omit<MatchRequest, 'chains'> {
  readonly kind: 'match moments';
  readonly model: { readonly id: string };
  /** The folder of the fit. */
  readonly path: string;
  /** The draws of each chain. */
  readonly ranges: readonly DrawRange[];
}

/** Estimates the log evidence of a model from a fit. */
interface EvidenceJob extends Omit<EvidenceRequest, 'chains'> {
  readonly kind: 'estimate evidence';
  readonly model: { readonly id: string };
  /** The folder of the fit. */
  readonly path: string;
  /** The draws of each chain. */
  readonly ranges: readonly DrawRange[];
}

/** Finds the outcomes of a program in its data. */
interface ObserveJob extends ObservedRequest {
  readonly kind: 'observe';
}

/** Reads a request body that is too large for the main thread. */
interface ReadJob {
  readonly kind: 'read';
  readonly bytes: Uint8Array;
}

/** The source of an input: values in the request, as JSON text, or a finished fit. */
export type InputSource =
  | { readonly kind: 'values'; readonly text: string }
  | { readonly kind: 'fit'; readonly name: string; readonly path: string };

export type InputSources = Readonly<Partial<Record<Input, InputSource>>>;

/** Inputs of a function other than its arguments. */
interface OnInputs extends OnData {
  readonly algorithm: string;
  readonly inputs: InputSources;
  /** Names of the variables that are saved in draws; all variables if absent. */
  readonly save?: readonly string[];
}

/** Checks the inputs of a fit before it is accepted. */
export interface InputsJob extends OnInputs {
  readonly kind: 'inputs';
  /**
   * Whether to check the data in any case. Otherwise they are checked only if an input depends on them, because
   * transformed data may take long.
   */
  readonly checksData: boolean;
  /** The quantities of the rule for stopping. */
  readonly quantities?: readonly string[];
  /** If given, the data are also bound, with this seed, for the chains of the fit. */
  readonly bindingSeed?: number;
  /** Maximum bytes of the bound data. Larger data are not returned. */
  readonly mostBound?: number;
}

/** One chain of a fit. Its empty journal already exists in the fit's folder. */
export interface ChainJob extends Omit<OnInputs, 'data'> {
  readonly kind: 'chain';
  /** JSON text, or bound data. */
  readonly data: string | BoundData;
  readonly calibration?: CalibrationShare;
  readonly refits?: RefitShare;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly seed: number;
  readonly chain: number;
  /** Index of the chain in the fit, from 0. */
  readonly index: number;
  /** Maximum number of threads for the chain; 1 if absent. */
  readonly cores?: number;
  /**
   * A block of the chain's iterations, which is appended to the journal. The files of a fit with the draws so far are
   * written to `folder`.
   */
  readonly block?: RunBlock & {
    readonly folder: string;
    /** The folder with the files after the previous block, from which its state and a missing journal are read. */
    readonly earlier?: string;
  };
  /** Whether each message contains the chain's number. */
  readonly tagged: boolean;
  readonly folder: string;
  /** Whether the files of the fit are synchronized to disk before the chain ends. */
  readonly durably: boolean;
  /** Whether to omit diagnostics from the fit. They are still written to `files`. */
  readonly omitsDiagnostics?: boolean;
  /** Files that the chain writes in addition to those of the fit. */
  readonly files?: readonly DrawFile[];
  /** Shared memory: a non-zero number stops the chain at its next step. */
  readonly stop?: Int32Array;
}

/** Completes the files of a chain that has run in blocks: logs its times and, with a message, why it has stopped. */
export interface CompletionJob
  extends Pick<ChainJob, 'chain' | 'durably' | 'folder' | 'tagged'>,
    Required<Pick<NonNullable<ChainJob['block']>, 'earlier'>> {
  readonly kind: 'completion';
  readonly seconds: Seconds | undefined;
  readonly message: string | undefined;
}

export type Job =
  | CompileJob
  | DescribeJob
  | CallJob
  | ProfileJob
  | MatchJob
  | EvidenceJob
  | ObserveJob
  | ReadJob
  | EvaluationRequest
  | InputsJob
  | ChainJob
  | CompletionJob
  | FitJob;

export type JobResult =
  | FitResult
  | {
      readonly kind: 'compiled';
      readonly artifact: string;
      readonly wasm: Uint8Array;
      readonly log: string;
      readonly warnings: string;
    }
  | { readonly kind: 'not compiled'; readonly text: string; readonly diagnostics: readonly DiagnosticDetail[] }
  | { readonly kind: 'described'; readonly description: Description }
  | { readonly kind: 'matched'; readonly loo: LeaveOneOut }
  | { readonly kind: 'estimated evidence'; readonly evidence: LogEvidence }
  | { readonly kind: 'observed'; readonly observed: readonly ObservedVariable[] }
  | { readonly kind: 'read'; readonly body: BodyReading }
  /** The body of a response; bytes if it is large. */
  | { readonly kind: 'answer'; readonly json: string | Uint8Array<ArrayBuffer> }
  | InputsCheck
  | RunOutcome
  | { readonly kind: 'storage fault'; readonly fault: StorageFault }
  /** A file of a fit is corrupt. */
  | ({ readonly kind: 'damaged' } & Pick<DamagedFile, 'path' | 'flaw'>)
  /** A defect of Leapfrog. */
  | { readonly kind: 'fault'; readonly report: string };

/** Messages of a worker during or after a job. */
export type WorkerMessage =
  /** The thread has loaded its code and accepts jobs, several in one message. */
  | { readonly type: 'ready' }
  | { readonly type: 'progress'; readonly progress: RunProgress }
  /** The thread is waiting for memory. */
  | { readonly type: 'shortage' }
  /**
   * Results of the first jobs, or of all if they are quick. The remaining jobs have not been started and must be sent
   * again.
   */
  | {
      readonly type: 'results';
      readonly results: readonly JobResult[];
      readonly milliseconds: number;
      /** Whether the thread cannot load its code, so that another one must run further jobs. */
      readonly isUnusable: boolean;
    };

/** The first message to a worker. */
export interface WorkerSetup {
  /** URL of the module that exports `engine`, or OWN_ENGINE; a thread without one only reads fits. */
  readonly engine: string | undefined;
  readonly memoryMebibytes: number;
  /** The thread's account in the common budget, if any. */
  readonly account: AccountSetup | undefined;
  /** Shared memory: index of the thread's current job among the jobs of the latest message. */
  readonly place: Int32Array;
}

/** Orders to a worker: jobs, or a request to release unused memory. */
export type WorkerOrder = readonly Job[] | 'release' | 'end';

/** Runs a job and returns its result, which must be of the expected kind; `what` is the job's name in errors. */
export type PerformJob<Accepted extends Job = Job> = <Kind extends JobResult['kind']>(
  what: string,
  job: Accepted,
  ...expected: readonly Kind[]
) => Promise<Extract<JobResult, { kind: Kind }>>;

export function isResult<Kind extends JobResult['kind']>(
  result: JobResult,
  kind: Kind,
): result is Extract<JobResult, { kind: Kind }> {
  return result.kind === kind;
}
