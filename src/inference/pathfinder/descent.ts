import { norm } from '../linear/vectors.js';
import { Objective } from '../optimization/objective.js';
import type { Rng } from '../random/rng.js';
import type { LogDensity } from '../target.js';
import { type ApproximateDraws, Path } from './path.js';

/** Maximum number of steps, and the number of steps from which the curvature is estimated. */
const STEPS = 1000;
const HISTORY = 5;
/** Length of the first trial step. */
const FIRST_LENGTH = 0.1;
/** Draws per estimate of the ELBO. Few suffice to distinguish tails, modes and typical draws. */
const DRAWS = 4;
/** The ELBO is estimated after each of the first steps, and then after every sixth, because a path may pass typical draws at once. */
const INTERVAL = 6;
/** A descent ends if this number of steps does not raise the ELBO by more than `GAIN`. */
const FRUITLESS = 12;
const GAIN = 1;
/** Changes of the log density that do not matter to draws. */
const NEGLIGIBLE = 0.01;
/** A start is typical if the ELBO there is lower than the highest by at most this, and by this per parameter. */
const SLACK = 0.5;
/** Maximum amount, per parameter, by which the log density at the start is lower than that of the path there. */
const DISTANCE = 2;

const SETTINGS = {
  historySize: HISTORY,
  elboDraws: DRAWS,
  tolerances: {
    objective: NEGLIGIBLE,
    relativeObjective: 0,
    gradient: 0,
    relativeGradient: 0,
    parameters: 0,
    iterations: STEPS,
  },
};

/** The result of a descent. */
export interface Descent {
  /** A point with about the log density of typical draws. */
  readonly position: Float64Array;
  /** The log of the mass near the path: the highest estimate of the ELBO. -∞ if no normal approximation exists at any step. */
  readonly logMass: number;
  /** Estimated variances of the coordinates: the diagonal of the L-BFGS estimate. Undefined if no normal approximation exists. */
  readonly variances: Float64Array | undefined;
}

/** An estimate of the ELBO at a point of the path, and the log density there. */
interface Estimate {
  readonly elbo: number;
  readonly draws: ApproximateDraws;
  readonly variances: Float64Array;
  readonly logDensity: number;
}

interface Point {
  readonly position: Float64Array;
  readonly logDensity: number;
}

/**
 * Moves by steps of L-BFGS (Nocedal and Wright, 2006, section 7.2) from a point far in the tails to a point whose log density is about that
 * of typical draws, without leaving the mode to which the steps lead. Hamiltonian Monte Carlo would need many long trajectories for this.
 *
 * As in Pathfinder (Zhang, Carpenter, Gelman and Vehtari, JMLR 23, 2022), the ELBO of normal approximations along the path determines where
 * draws are typical: neither in the tails nor where the log density grows without bound, as that of hierarchical priors does. Discards
 * output of the program. Undefined if the density cannot be evaluated at `from`.
 */
export function descend(density: LogDensity, from: Float64Array, rng: Rng): Descent | undefined {
  const objective = new Objective(density, () => {});
  const start = objective.newPoint();
  start.position.set(from);
  if (!objective.evaluate(start)) return undefined;
  const points: Point[] = [{ position: from, logDensity: -start.value }];
  const settings = { ...SETTINGS, initialStep: FIRST_LENGTH / norm(start.gradient) };
  const path = new Path(objective, start, density, rng, settings, () => {});
  const records: Estimate[] = [];
  let best = { iteration: Number.POSITIVE_INFINITY, elbo: Number.NEGATIVE_INFINITY };
  for (;;) {
    const result = path.advance();
    const isAtEnd = result !== 'continues';
    const { iteration, point } = path.minimizer;
    const logDensity = -point.value;
    if (result !== 'no step') points.push({ position: path.point.position, logDensity });
    if (isAtEnd || iteration < INTERVAL || iteration % INTERVAL === 0) {
      path.estimate();
      if (path.best !== undefined && path.elbo > best.elbo + GAIN) {
        best = { iteration, elbo: path.elbo };
        const { approximation, draws } = path.best;
        records.push({ elbo: path.elbo, draws, variances: approximation.alpha, logDensity });
      }
    }
    if (isAtEnd || iteration >= best.iteration + FRUITLESS) break;
  }
  const slack = SLACK * (1 + density.dimension);
  const typical = records.find(({ elbo }) => elbo >= best.elbo - slack);
  const least = (typical?.logDensity ?? points[points.length - 1].logDensity) - DISTANCE * density.dimension;
  const draw = typical?.draws.positions.find((_, index) => typical.draws.logTarget[index] >= least);
  const { position } = points.find(({ logDensity }) => logDensity >= least) ?? points[0];
  return { position: draw ?? position, logMass: best.elbo, variances: records.at(-1)?.variances };
}
