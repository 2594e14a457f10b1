import { exponential, logarithm } from '../../base/elementary.js';
import type { Centering, Failure } from '../target.js';
import type { PhasePoint } from '../transition/phase-point.js';

/** The places that are compared: 0, 0.1, …, 1. */
const GRID = 10;
const PLACES = GRID + 1;
/** The initial place of every element. */
const START = 1;
/**
 * Fractions of warmup after which places are set. Draws before the first of them are ignored, because the chain still approaches the
 * typical set.
 */
const IGNORED = 0.03;
const ENDS: readonly number[] = [0.1, 0.15, 0.25, 0.45];
/** Up to this position of the grid, the best place is replaced by the previous one. */
const CAUTIOUS = 6;
/** Minimum number of draws for an estimate, and for one that replaces places that an earlier fit has learned. */
const FEWEST = 10;
const FEWEST_TO_REPLACE = 100;
/** The mean divergences of elements with the same scale count as this number of draws of each element. */
const COMMON_DRAWS = 150;
/** Maximum excess of an element's log divergence over its least one in the mean, so that no element dominates it. */
const MOST_EXCESS = 1;

/** Changed coordinates, with the variances of their values and of their gradients in the draws so far. */
export interface ChangedCoordinates {
  readonly elements: Int32Array;
  readonly positions: Float64Array;
  readonly gradients: Float64Array;
}

/**
 * Learns the place of each element of a parameter with a location and a scale, between non-centered (0) and centered (1) coordinates. It
 * minimizes the Fisher divergence from the element's coordinate, optimally scaled, to a standard normal. Up to constants, this divergence
 * is the product of the variances of the coordinate and of its gradient (as for the diagonal metric of Seyboldt, Carlson and Carpenter,
 * arXiv 2603.18845, 2026, section 3); a product of 1 means that the coordinate is normal and independent of all others. Both variances at
 * every place follow from the draws at the current place, so no further gradients are needed. The reference scale is the geometric mean of
 * the scale.
 *
 * A window has few draws, so elements with equally informative data would get different places, and those that are too centered would
 * cause divergences. Therefore the logarithm of the product is averaged with its mean over the elements that have the same scale, which
 * counts as `COMMON_DRAWS` draws.
 *
 * A place up to 0.6 is then moved by 0.1 towards 0, because the variances describe the bulk of the posterior, but divergences occur at
 * small scales, where centered coordinates are narrow.
 *
 * Places are set four times in the first half of warmup, each time from the draws since the previous update.
 */
export class CenteringAdaptation {
  /** For each element: its place and the logarithm of its reference scale. */
  readonly places: Float64Array;
  private readonly centering: Centering;
  private readonly ends: readonly number[];
  private readonly start: number;
  private fewest: number;
  private readonly origins: Float64Array;
  private readonly changes: ChangedCoordinates;
  private readonly moments: Moments;
  /** The logarithms of the reference scales that the compared places use, and the sums of the logarithms of the scales. */
  private readonly references: Float64Array;
  private readonly logScales: Float64Array;
  private iteration = 0;

  /** `places` are the places that an earlier fit has learned. They are kept until there are enough draws to replace them. */
  constructor(centering: Centering, numWarmup: number, places?: readonly number[]) {
    const { elements } = centering;
    this.centering = centering;
    this.ends = ENDS.map((part) => Math.ceil(part * numWarmup) - 1);
    this.start = Math.floor(IGNORED * numWarmup);
    this.fewest = places === undefined ? FEWEST : FEWEST_TO_REPLACE;
    this.places = places === undefined ? startingPlaces(elements.length) : Float64Array.from(places);
    this.origins = new Float64Array(3 * elements.length);
    this.changes = {
      elements,
      positions: new Float64Array(elements.length),
      gradients: new Float64Array(elements.length),
    };
    this.moments = new Moments(elements.length);
    this.references = new Float64Array(elements.length).fill(Number.NaN);
    this.logScales = new Float64Array(elements.length);
    centering.setPlaces(this.places);
  }

  /**
   * Adds the point of the next warmup iteration. If coordinates change, the point's position is transformed, but its gradient is still that
   * in the earlier coordinates.
   */
  update(point: Pick<PhasePoint, 'position' | 'gradient'>): 'unchanged' | ChangedCoordinates | Failure {
    const iteration = this.iteration++;
    const last = this.ends[this.ends.length - 1];
    if (this.centering.elements.length === 0 || iteration < this.start || iteration > last) return 'unchanged';
    const failure = this.centering.readOrigins(point.position, this.origins);
    if (failure !== undefined) return failure.kind === 'error' ? failure : 'unchanged';
    this.add(point);
    if (!this.ends.includes(iteration) || this.moments.count < this.fewest) return 'unchanged';
    this.learn(point.position);
    this.fewest = FEWEST;
    return this.changes;
  }

  /** The log density in the coordinates of the declarations minus the log density in the current coordinates, at a position. */
  logDerivative(position: Float64Array): number {
    const { centering, origins, places } = this;
    if (centering.readOrigins(position, origins) !== undefined) return Number.NaN;
    let sum = 0;
    for (let k = 0; k < centering.elements.length; k++) {
      const [, scale, declared] = origins.subarray(3 * k);
      sum += declared - (1 - places[2 * k]) * (logarithm(scale) - places[2 * k + 1]);
    }
    return sum;
  }

  /** Adds the values and gradients at every place, which follow from those at the current place. */
  private add({ position, gradient }: Pick<PhasePoint, 'position' | 'gradient'>): void {
    const { centering, logScales, moments, origins, places, references } = this;
    moments.begin();
    for (const [k, element] of centering.elements.entries()) {
      const location = origins[3 * k];
      const logScale = logarithm(origins[3 * k + 1]);
      if (Number.isNaN(references[k])) references[k] = logScale;
      logScales[k] += logScale;
      const factor = exponential((1 - places[2 * k]) * (logScale - places[2 * k + 1]));
      // From each place to the next, the coordinate's distance from its location grows by this ratio.
      const ratio = exponential((logScale - references[k]) / GRID);
      const first = exponential(references[k] - logScale);
      let distance = (position[element] - places[2 * k] * location) * factor * first;
      let slope = gradient[element] / (factor * first);
      for (let step = 0; step <= GRID; step++) {
        moments.add(k * PLACES + step, distance + (step / GRID) * location, slope);
        distance *= ratio;
        slope /= ratio;
      }
    }
  }

  private learn(position: Float64Array): void {
    const { centering, changes, logScales, moments, origins, places, references } = this;
    const divergences = this.pooledDivergences();
    for (const [k, element] of centering.elements.entries()) {
      const location = origins[3 * k];
      const logScale = logarithm(origins[3 * k + 1]);
      const first = k * PLACES;
      const least = leastOf(divergences.subarray(first, first + PLACES));
      const best = least === 0 || least > CAUTIOUS ? least : least - 1;
      const place = best / GRID;
      const before = (1 - places[2 * k]) * (logScale - places[2 * k + 1]);
      const after = (1 - place) * (logScale - references[k]);
      position[element] =
        (position[element] - places[2 * k] * location) * exponential(before - after) + place * location;
      places[2 * k] = place;
      places[2 * k + 1] = references[k];
      const { gradients, positions } = moments.variances(first + best);
      changes.positions[k] = positions;
      changes.gradients[k] = gradients;
      references[k] = logScales[k] / moments.count;
    }
    centering.setPlaces(places);
    logScales.fill(0);
    moments.restart();
  }

  /** For each element and place, the excess of the log divergence, averaged with its mean over the elements with the same scale. */
  private pooledDivergences(): Float64Array {
    const { centering, moments, origins } = this;
    const excesses = new Float64Array(PLACES * centering.elements.length);
    const groups = new Map<number, number[]>();
    for (const k of centering.elements.keys()) {
      moments.writeExcesses(k * PLACES, excesses.subarray(k * PLACES, (k + 1) * PLACES));
      const scale = origins[3 * k + 1];
      const group = groups.get(scale);
      if (group === undefined) groups.set(scale, [k]);
      else group.push(k);
    }
    const share = COMMON_DRAWS / (COMMON_DRAWS + moments.count);
    for (const elements of groups.values()) {
      for (let step = 0; step < PLACES; step++) {
        let sum = 0;
        for (const k of elements) sum += Math.min(excesses[k * PLACES + step], MOST_EXCESS);
        for (const k of elements) {
          const index = k * PLACES + step;
          excesses[index] = (1 - share) * excesses[index] + (share * sum) / elements.length;
        }
      }
    }
    return excesses;
  }
}

/** The index of the least number, the last one of equal numbers. */
function leastOf(numbers: Float64Array): number {
  let best = 0;
  for (let index = 1; index < numbers.length; index++) if (numbers[index] <= numbers[best]) best = index;
  return best;
}

/** The initial places of elements, each with the logarithm of its reference scale. */
export function startingPlaces(elements: number): Float64Array {
  return Float64Array.from({ length: 2 * elements }, (_, k) => (k % 2 === 0 ? START : 0));
}

/** Means and variances of coordinates and gradients at every place of the grid, in one pass (Welford, Technometrics 4, 1962). */
class Moments {
  count = 0;
  /** The weight of the latest draw in a mean. */
  private share = 1;
  private readonly means: Float64Array;
  private readonly squares: Float64Array;

  constructor(elements: number) {
    this.means = new Float64Array(2 * PLACES * elements);
    this.squares = new Float64Array(this.means.length);
  }

  restart(): void {
    this.count = 0;
    this.means.fill(0);
    this.squares.fill(0);
  }

  /** Starts a draw. */
  begin(): void {
    this.count += 1;
    this.share = 1 / this.count;
  }

  add(index: number, position: number, gradient: number): void {
    this.addTo(2 * index, position);
    this.addTo(2 * index + 1, gradient);
  }

  variances(index: number): { readonly positions: number; readonly gradients: number } {
    const { count, squares } = this;
    return { positions: squares[2 * index] / (count - 1), gradients: squares[2 * index + 1] / (count - 1) };
  }

  /**
   * Writes the log divergences of the coordinates from an index on, minus the least of them. They are infinite where they are not defined,
   * except for the last coordinate.
   */
  writeExcesses(from: number, excesses: Float64Array): void {
    const { squares } = this;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < excesses.length; i++) {
      const log = logarithm(squares[2 * (from + i)]) + logarithm(squares[2 * (from + i) + 1]);
      excesses[i] = Number.isFinite(log) ? log : Number.POSITIVE_INFINITY;
      least = Math.min(least, excesses[i]);
    }
    if (least === Number.POSITIVE_INFINITY) least = excesses[excesses.length - 1] = 0;
    for (let i = 0; i < excesses.length; i++) excesses[i] -= least;
  }

  private addTo(place: number, value: number): void {
    const delta = value - this.means[place];
    this.means[place] += delta * this.share;
    this.squares[place] += delta * (value - this.means[place]);
  }
}
