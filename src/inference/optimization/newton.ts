import { symmetricEigen } from '../linear/eigen.js';
import { dot, step } from '../linear/vectors.js';
import type { Evaluated, Objective } from './objective.js';
import { FOURTH_ORDER, secondDerivatives } from './second-derivatives.js';

/** Minimum step of a search. */
const MINIMUM_STEP = 1e-50;

/**
 * Makes one step of Newton's method, as in Stan: replaces the eigenvalues of the Hessian by their absolute values, and halves the step
 * until the objective does not increase. Writes the new point to `point`. Returns false and does not move if all steps increase the
 * objective.
 */
export function newtonStep(objective: Objective, point: Evaluated): boolean {
  const direction = newtonDirection(objective, point);
  if (direction === undefined) return false;
  const next = objective.newPoint();
  for (let length = 1; length >= MINIMUM_STEP; length *= 0.5) {
    step(next.position, point.position, -length, direction);
    const usable = objective.evaluate(next);
    if (objective.error !== undefined) return false;
    if (usable && !(next.value > point.value)) {
      point.position.set(next.position);
      point.gradient.set(next.gradient);
      point.value = next.value;
      return true;
    }
  }
  return false;
}

function newtonDirection(objective: Objective, point: Evaluated): Float64Array | undefined {
  const size = point.position.length;
  const there = objective.newPoint();
  const gradientAt = (position: Float64Array, gradient: Float64Array): boolean => {
    there.position.set(position);
    if (!objective.evaluate(there)) return false;
    for (let i = 0; i < size; i++) gradient[i] = -there.gradient[i];
    return true;
  };
  const hessian = secondDerivatives(objective.density, point.position, gradientAt, FOURTH_ORDER);
  if (hessian === undefined) return undefined;
  // The objective is minus the density.
  const { values, vectors } = symmetricEigen(
    hessian.map((x) => -x),
    size,
  );
  const direction = new Float64Array(size);
  vectors.forEach((vector, k) => {
    const share = dot(vector, point.gradient) / Math.abs(values[k]);
    for (let i = 0; i < size; i++) direction[i] += share * vector[i];
  });
  return direction;
}
