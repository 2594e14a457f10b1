import type { LogDensity } from '../target.js';

/** Finite differences of gradients around a position: offsets in units of a step, and their weights. */
export interface Stencil {
  readonly offsets: readonly number[];
  readonly weights: readonly number[];
  /** The step for a coordinate with this value. */
  readonly step: (value: number) => number;
}

/** Central differences with Stan's step: the cube root of the machine precision, times the size of the coordinate. */
export const CENTRAL: Stencil = {
  offsets: [1, -1],
  weights: [0.5, -0.5],
  step: (value) => 6.055454452393343e-6 * Math.max(1, Math.abs(value)),
};

/** Differences of fourth order with step 0.001, as in Stan's Newton method. */
export const FOURTH_ORDER: Stencil = {
  offsets: [-2, -1, 1, 2],
  weights: [1 / 12, -2 / 3, 2 / 3, -1 / 12],
  step: () => 1e-3,
};

/**
 * The Hessian of a log density at a position with a finite gradient, as a symmetric row-major matrix. It is exact if the density has second
 * derivatives and they are finite, and otherwise computed from differences of the gradients from `gradientAt`. Undefined if `gradientAt`
 * returns false.
 */
export function secondDerivatives(
  density: Pick<LogDensity, 'hessian'>,
  position: Float64Array,
  gradientAt: GradientAt,
  stencil: Stencil,
): Float64Array | undefined {
  const exact = new Float64Array(position.length ** 2);
  if (density.hessian?.(position, exact) === true && exact.every(Number.isFinite)) return exact;
  return differences(position, gradientAt, stencil);
}

/** Writes the gradient at a position. Returns false if it does not exist. */
export type GradientAt = (position: Float64Array, gradient: Float64Array) => boolean;

function differences(position: Float64Array, gradientAt: GradientAt, stencil: Stencil): Float64Array | undefined {
  const size = position.length;
  const result = new Float64Array(size * size);
  const moved = position.slice();
  const gradient = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const step = stencil.step(position[i]);
    for (const [k, offset] of stencil.offsets.entries()) {
      moved[i] = position[i] + offset * step;
      if (!gradientAt(moved, gradient)) return undefined;
      const weight = (0.5 * stencil.weights[k]) / step;
      for (let j = 0; j < size; j++) {
        result[i * size + j] += weight * gradient[j];
        result[j * size + i] += weight * gradient[j];
      }
    }
    moved[i] = position[i];
  }
  return result;
}
