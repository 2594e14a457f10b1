/** What the main thread and a worker thread say to each other. Everything here survives structured cloning. */

import type { ArgumentValue } from '../../inference/algorithms/arguments.js';
import type { NonFinite } from '../../messages/numbers.js';
import type { BodyReading } from '../body.js';
import type { Description, DiagnosticDetail, ProgramSource } from './engine.js';

/** A compiled model as a worker receives it. The artifact is JSON text. */
export interface CompiledModel {
  readonly id: string;
  readonly artifact: string;
  readonly module: WebAssembly.Module;
}

/** A compiled model and the text of its data. */
interface OnData {
  readonly model: CompiledModel;
  readonly data: string;
}

/** A question about a model, answered with the body of the response. */
interface Evaluation extends OnData {
  /** How the answer writes non-finite numbers. */
  readonly style: NonFinite;
}

interface AtPoint extends Evaluation {
  readonly position: readonly number[];
}

export interface CompileJob {
  readonly kind: 'compile';
  readonly source: ProgramSource;
}

/** Checks, describes and formats a program without compiling it. */
export interface DescribeJob {
  readonly kind: 'describe';
  readonly source: ProgramSource;
  readonly pedantic: boolean;
}

/** Reads a request body that is too large for the main thread. */
export interface ReadJob {
  readonly kind: 'read';
  readonly bytes: Uint8Array;
}

export interface ParametersJob extends Evaluation {
  readonly kind: 'parameters';
}

export interface DensityJob extends AtPoint {
  readonly kind: 'log density' | 'gradient';
  readonly jacobian: boolean;
}

export interface WriteArrayJob extends AtPoint {
  readonly kind: 'write array';
  readonly transformedParameters: boolean;
  readonly generatedQuantities: boolean;
  readonly seed: number;
}

export interface UnconstrainJob extends Evaluation {
  readonly kind: 'unconstrain';
  readonly values: string;
}

/** One chain of a fit. Its messages are appended to `file`, a batch of whole lines at a time. */
export interface ChainJob extends OnData {
  readonly kind: 'chain';
  readonly algorithm: string;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly seed: number;
  readonly chain: number;
  /** Text of the initial values. */
  readonly init: string | undefined;
  /** Whether each message carries the chain's number. */
  readonly tagged: boolean;
  readonly file: string;
}

export type EvaluationJob = ParametersJob | DensityJob | WriteArrayJob | UnconstrainJob;
export type Job = CompileJob | DescribeJob | ReadJob | EvaluationJob | ChainJob;

export type JobResult =
  | {
      readonly kind: 'compiled';
      readonly artifact: string;
      readonly wasm: Uint8Array;
      readonly log: string;
      readonly warnings: string;
    }
  | { readonly kind: 'not compiled'; readonly text: string; readonly diagnostics: readonly DiagnosticDetail[] }
  | { readonly kind: 'described'; readonly description: Description }
  | { readonly kind: 'read'; readonly body: BodyReading }
  /** The body of a response. */
  | { readonly kind: 'answer'; readonly json: Uint8Array }
  | { readonly kind: 'finished' }
  /** The program, its data or the point is at fault; `message` says how. */
  | { readonly kind: 'refused'; readonly message: string }
  /** We are at fault. */
  | { readonly kind: 'fault'; readonly report: string };

/** How far a chain is: iterations done, and Stan's line about it. */
export interface ChainProgress {
  readonly iteration: number;
  readonly text: string;
}

/** What a worker sends while or after it works on a job. */
export type WorkerMessage =
  | { readonly type: 'started' }
  | ({ readonly type: 'progress' } & ChainProgress)
  | { readonly type: 'result'; readonly result: JobResult };

/** What a worker is told when it starts. */
export interface WorkerSetup {
  /** URL of the module that exports `engine`. */
  readonly engine: string;
  readonly memoryMebibytes: number;
}

export function isResult<Kind extends JobResult['kind']>(
  result: JobResult,
  kind: Kind,
): result is Extract<JobResult, { kind: Kind }> {
  return result.kind === kind;
}
