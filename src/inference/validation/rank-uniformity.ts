/**
 * Tests whether ranks are uniform, by the largest difference between their empirical distribution and the uniform distribution (T.
 * Säilynoja, P.-C. Bürkner and A. Vehtari, "Graphical test for discrete uniformity and its applications in goodness-of-fit evaluation and
 * multiple sample comparison", 2022). Differences are measured in their standard deviations (V. N. Nair, 1984) and compared with those of
 * simulated ranks.
 */
import { createRng } from '../random/random-stream.js';

/** Maximum number of ranks at which differences are computed. */
const MOST_PLACES = 50;
const SIMULATED = 2000;

export interface RankUniformity {
  /** For each of `places`: the fraction of ranks up to this fraction of the possible ranks, minus the latter. */
  readonly differences: readonly number[];
  /** Probability of a difference of at least this size if the ranks are uniform. */
  readonly probability: number;
}

/** A test of the uniformity of `count` ranks from 0 to `greatest`. */
export class UniformRanks {
  /** The fractions of the possible ranks at which differences are computed. */
  readonly places: readonly number[];
  readonly #greatest: number;
  readonly #count: number;
  /** The ranks at which the empirical distribution is evaluated. */
  readonly #limits: readonly number[];
  /** Largest differences of simulated ranks, in ascending order. */
  readonly #simulated: Float64Array;

  constructor(count: number, greatest: number) {
    this.#count = count;
    this.#greatest = greatest;
    const steps = Math.min(MOST_PLACES, greatest + 1);
    this.#limits = Array.from({ length: steps - 1 }, (_, k) => Math.round(((k + 1) * (greatest + 1)) / steps) - 1);
    this.places = this.#limits.map((limit) => (limit + 1) / (greatest + 1));
    const rng = createRng(1, 1);
    const draw = () => Math.floor(rng.uniform() * (greatest + 1));
    this.#simulated = Float64Array.from({ length: SIMULATED }, () =>
      this.#largest(this.#differencesOf(Array.from({ length: count }, draw))),
    ).sort();
  }

  /** For each of `places`: half the width of the band that contains all differences of uniform ranks with this probability. */
  band(probability: number): readonly number[] {
    const factor = this.#simulated[Math.ceil(probability * SIMULATED) - 1];
    return this.places.map((place) => factor * this.#deviationAt(place));
  }

  of(ranks: readonly number[]): RankUniformity {
    const differences = this.#differencesOf(ranks);
    const largest = this.#largest(differences);
    const atLeast = this.#simulated.filter((value) => value >= largest).length;
    return { differences, probability: (atLeast + 1) / (SIMULATED + 1) };
  }

  #differencesOf(ranks: readonly number[]): readonly number[] {
    const counts = new Int32Array(this.#greatest + 1);
    for (const rank of ranks) counts[rank] += 1;
    let next = 0;
    let sum = 0;
    return this.#limits.map((limit, k) => {
      for (; next <= limit; next++) sum += counts[next];
      return sum / ranks.length - this.places[k];
    });
  }

  #largest(differences: readonly number[]): number {
    return Math.max(...differences.map((difference, k) => Math.abs(difference) / this.#deviationAt(this.places[k])));
  }

  #deviationAt(place: number): number {
    return Math.sqrt((place * (1 - place)) / this.#count);
  }
}
