/** Requests for evaluations of a model. */
import type { NonFinite } from '../formats/numbers.js';
import type { CompiledModel } from './model-host.js';

/** A compiled model and the text of its data. */
export interface OnData {
  readonly model: CompiledModel;
  readonly data: string;
  /** If given, the log density is evaluated in slices on at most this number of threads. The model must have been compiled with slices. */
  readonly threads?: number;
}

interface Evaluation {
  /** Absent in a message if it is the same as in the previous evaluation on this thread. */
  readonly on: OnData | undefined;
  /** How the response writes non-finite numbers. */
  readonly style: NonFinite;
}

interface AtPoint extends Evaluation {
  readonly position: readonly number[];
}

interface ParametersRequest extends Evaluation {
  readonly kind: 'parameters';
}

interface DensityRequest extends AtPoint {
  readonly kind: 'log density' | 'gradient';
  readonly jacobian: boolean;
}

interface WriteArrayRequest extends AtPoint {
  readonly kind: 'write array';
  readonly transformedParameters: boolean;
  readonly generatedQuantities: boolean;
  readonly seed: number;
}

interface UnconstrainRequest extends Evaluation {
  readonly kind: 'unconstrain';
  readonly values: string;
}

export type EvaluationRequest = ParametersRequest | DensityRequest | WriteArrayRequest | UnconstrainRequest;
