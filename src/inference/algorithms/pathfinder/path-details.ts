import { choleskyFactor } from '../../linear/cholesky.js';
import type { PathApproximation } from '../../pathfinder/inverse-hessian.js';
import type { PathPoint } from '../../pathfinder/path.js';
import type { Detail, DetailRecord } from '../algorithm.js';

/** Details of the start of a path. */
export function startDetails({ gradient, position }: PathPoint): DetailRecord {
  return { name: '0', members: pointDetails(0, position, gradient) };
}

/** A step of a path. */
export interface TakenStep {
  readonly iteration: number;
  /** The starting point of the step. */
  readonly from: PathPoint;
  /** Number of steps in the approximation's history. */
  readonly history: number;
  /** Whether the optimizer found a point. */
  readonly isTaken: boolean;
  /** The approximation at that point, if one exists. */
  readonly approximation: PathApproximation | undefined;
  /** Output of the program. */
  readonly note: string;
}

/** Details of a step, as in Stan's `pathfinder_lbfgs_single`; gradients are of minus the log density. */
export function stepDetails({ approximation, from, history, isTaken, iteration, note }: TakenStep): DetailRecord {
  return {
    name: `${iteration}`,
    members: {
      ...pointDetails(iteration, from.position, from.gradient),
      history_size: { integer: history },
      lbfgs_success: isTaken,
      pathfinder_success: approximation !== undefined,
      ...(approximation !== undefined && approximationDetails(approximation, history)),
      lbfgs_note: note,
    },
  };
}

function pointDetails(iteration: number, position: Float64Array, gradient: Float64Array): Record<string, Detail> {
  return {
    iter: { integer: iteration },
    unconstrained_parameters: { vector: position },
    grads: { vector: gradient },
  };
}

/**
 * Details of an approximation. If the history spans the space, Stan reports the factor of the covariance, and Q is empty. Both factors are
 * upper triangular.
 */
function approximationDetails(approximation: PathApproximation, history: number): Record<string, Detail> {
  const { alpha, columns, factor, logDeterminant, mean } = approximation;
  const isFull = 2 * history >= mean.length;
  const lower = isFull ? covarianceFactor(approximation) : factor;
  return {
    x_center: { vector: mean },
    logDetCholHk: { real: logDeterminant },
    L_approx: { rows: transposed(lower, isFull ? mean.length : columns.length) },
    Qk: { rows: isFull ? [] : Array.from(mean, (_, row) => Float64Array.from(columns, (column) => column[row])) },
    alpha: { vector: alpha },
    full: isFull,
  };
}

/** The lower Cholesky factor of the covariance A A'. */
function covarianceFactor({ mean, spread }: PathApproximation): Float64Array {
  const size = mean.length;
  const columns = Array.from({ length: size }, (_, index) => {
    const column = new Float64Array(size);
    spread(
      Float64Array.from(mean, (_, row) => (row === index ? 1 : 0)),
      column,
    );
    return column;
  });
  const covariance = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      covariance[i * size + j] = columns.reduce((sum, column) => sum + column[i] * column[j], 0);
    }
  }
  return choleskyFactor(covariance, size) ?? covariance.fill(Number.NaN);
}

function transposed(matrix: Float64Array, size: number): Float64Array[] {
  return Array.from({ length: size }, (_, row) =>
    Float64Array.from({ length: size }, (_, column) => matrix[column * size + row]),
  );
}
