import { logarithm } from '../../base/elementary.js';
import { solveTransposed } from '../linear/cholesky.js';
import type { Rng } from '../random/rng.js';

/** A normal distribution over the unconstrained space: `mean` plus A z for standard normal z. */
export interface NormalApproximation {
  readonly mean: Float64Array;
  /** Writes A z. */
  readonly spread: (z: Float64Array, out: Float64Array) => void;
  /** log |det A|: half the log determinant of the covariance. */
  readonly logDeterminant: number;
}

/** The approximation whose covariance is the inverse of factor · factor'. The factor is lower triangular and row-major. */
export function fromPrecision(mean: Float64Array, factor: Float64Array): NormalApproximation {
  const size = mean.length;
  let logDeterminant = 0;
  for (let i = 0; i < size; i++) logDeterminant -= logarithm(factor[i * (size + 1)]);
  return {
    mean,
    logDeterminant,
    spread: (z, out) => {
      out.set(z);
      solveTransposed(factor, out);
    },
  };
}

/** Writes a draw to `position` and its standard normals to `z`. Returns minus half the sum of squares of `z`. */
export function drawNormal(
  { mean, spread }: NormalApproximation,
  rng: Rng,
  z: Float64Array,
  position: Float64Array,
): number {
  let squares = 0;
  for (let i = 0; i < z.length; i++) {
    z[i] = rng.normal();
    squares += z[i] * z[i];
  }
  spread(z, position);
  for (let i = 0; i < z.length; i++) position[i] += mean[i];
  return -0.5 * squares;
}

/** The normalized log density that corresponds to the result of `drawNormal`. */
export function normalized(approximation: NormalApproximation, logKernel: number): number {
  const { logDeterminant, mean } = approximation;
  return logKernel - logDeterminant - 0.5 * mean.length * logarithm(2 * Math.PI);
}
