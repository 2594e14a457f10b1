import { normalQuantile } from './normal-quantile.js';

/** Normal scores of ranks among a number of draws, ties sharing their mean rank (Blom's offset 3/8). */
export class NormalScores {
  private readonly count: number;
  /** Scores by twice the rank; NaN where not computed yet. */
  private readonly known: Float64Array;

  constructor(count: number) {
    this.count = count;
    this.known = new Float64Array(2 * count + 1).fill(Number.NaN);
  }

  /** Fills `scores` at the indexes of draws: those of the ascending numbers `sorted`. An index of -1 is left out of the ranks. */
  fill(scores: Float64Array, sorted: Float64Array, places: Int32Array): void {
    const { known } = this;
    const { length } = sorted;
    let rank = 0;
    for (let first = 0; first < length; ) {
      const value = sorted[first];
      let next = first + 1;
      let count = places[first] < 0 ? 0 : 1;
      for (; next < length && sorted[next] === value; next++) if (places[next] >= 0) count++;
      if (count > 0) {
        const twice = 2 * rank + 1 + count;
        const ready = known[twice];
        const score = Number.isNaN(ready) ? this.compute(twice) : ready;
        for (let i = first; i < next; i++) if (places[i] >= 0) scores[places[i]] = score;
        rank += count;
      }
      first = next;
    }
  }

  private compute(twiceRank: number): number {
    const score = normalQuantile((twiceRank / 2 - 0.375) / (this.count + 0.25));
    this.known[twiceRank] = score;
    return score;
  }
}
