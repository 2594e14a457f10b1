import { norm } from '../linear/vectors.js';
import type { LogDensity } from '../target.js';
import { LimitedCurvature } from './curvature.js';
import { Objective } from './objective.js';
import { QuasiNewton } from './quasi-newton.js';

/** Maximum number of steps, and the number of steps from which the curvature is estimated. */
const STEPS = 1000;
const HISTORY = 5;
/** Length of the first trial step. */
const FIRST_LENGTH = 0.1;
/**
 * A descent ends if this number of latest steps gains less than 1 per parameter, because the log density of draws varies by this amount.
 */
const LATEST = 6;
/** The start is lower than the end of the path by at most this per parameter. */
const DISTANCE = 100;
const NO_TOLERANCES = {
  objective: 0,
  relativeObjective: 0,
  gradient: 0,
  relativeGradient: 0,
  parameters: 0,
  iterations: STEPS,
};

/** The result of a descent. */
export interface Descent {
  /** The first point of the path whose log density is near that of the end. */
  readonly position: Float64Array;
  /** The log density at the end of the path. */
  readonly logDensity: number;
}

/**
 * Moves by steps of L-BFGS (Nocedal and Wright, 2006, section 7.2) from a point far in the tails to a point whose log density is about that
 * of typical draws. Hamiltonian Monte Carlo would need many long trajectories for this. The point is not close to the end of the path,
 * because modes are not typical, in particular those of hierarchical priors. Discards output of the program. Undefined if the density
 * cannot be evaluated.
 */
export function descend(density: LogDensity, from: Float64Array): Descent | undefined {
  const objective = new Objective(density, () => {});
  const start = objective.newPoint();
  start.position.set(from);
  if (!objective.evaluate(start)) return undefined;
  const minimizer = new QuasiNewton({
    objective,
    start,
    curvature: new LimitedCurvature(HISTORY),
    tolerances: NO_TOLERANCES,
    initialStep: FIRST_LENGTH / norm(start.gradient),
  });
  const values = [start.value];
  const path = [{ position: from, value: start.value }];
  while (minimizer.advance() === 'continues') {
    const { position, value } = minimizer.point;
    values.push(value);
    path.push({ position: position.slice(), value });
    while (path[0].value - value > DISTANCE * from.length) path.shift();
    const before = values.at(-1 - LATEST);
    if (before !== undefined && !(before - value > from.length)) break;
  }
  return { position: path[0].position, logDensity: -minimizer.point.value };
}
