import { initialize } from '../initialize.js';
import { type Descent, descend } from '../pathfinder/descent.js';
import type { Rng } from '../random/rng.js';
import { SILENT } from '../silent.js';
import type { InitialValues, Target } from '../target.js';
import { NormalMixture } from './mixture.js';

/** Number of random points from which descents start. */
const STARTS = 12;
/** Descents are used whose log mass is lower than the highest by at most this. */
const MARGIN = 20;
/** Ratio of the standard deviations of the first reference to those of the descents. */
export const BREADTH = 5;

export interface TemperedStart {
  readonly reference: NormalMixture;
  /** At least one. */
  readonly positions: readonly Float64Array[];
}

interface StartOptions {
  readonly target: Target;
  readonly initial: InitialValues;
  readonly radius: number;
  readonly rng: Rng;
  readonly clock: () => number;
}

/**
 * Starting points near typical draws, by descents from several random points, and a reference that is broad enough to contain other modes.
 * `first` is the first random point. If all parameters have initial values, these are the only starting point of descents.
 */
export function temperedStart(options: StartOptions, first: Float64Array): TemperedStart {
  const { initial, rng, target } = options;
  const descents = [descend(target, first, rng)];
  for (let index = 1; index < STARTS && initial.given !== 'all'; index++) {
    const other = initialize({ ...options, density: target, sink: SILENT, reportTiming: false });
    if (!('problem' in other)) descents.push(descend(target, other.position, rng));
  }
  const found = descents.filter((descent) => descent !== undefined);
  const highest = found.reduce((most, { logMass }) => Math.max(most, logMass), Number.NEGATIVE_INFINITY);
  const used = found.filter(({ logMass }) => logMass >= highest - MARGIN);
  const positions = used.length === 0 ? [first] : used.map(({ position }) => position);
  return { positions, reference: broadReference(positions, used, options.radius) };
}

/** A normal distribution with the mean of the positions, and a multiple of their standard deviations around it. */
function broadReference(
  positions: readonly Float64Array[],
  descents: readonly Descent[],
  radius: number,
): NormalMixture {
  const mean = new Float64Array(positions[0].length);
  for (const position of positions) for (let i = 0; i < mean.length; i++) mean[i] += position[i] / positions.length;
  const variances = mean.map((center, i) => {
    const between = positions.reduce((sum, position) => sum + (position[i] - center) ** 2, 0) / positions.length;
    const known = descents.flatMap((descent) => descent.variances?.[i] ?? []);
    const within = known.reduce((sum, variance) => sum + variance, 0) / known.length;
    const variance = between + (known.length > 0 ? within : radius ** 2);
    return variance > 0 && Number.isFinite(variance) ? BREADTH ** 2 * variance : 1;
  });
  return new NormalMixture([{ weight: 1, mean, variances }]);
}
