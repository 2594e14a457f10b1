import type { Autocovariances } from './geyer.js';

/**
 * Chains of zeros and few ones: the indicator of a tail. The cost of a lag grows with the number of ones. An indicator and its complement
 * have the same autocovariances.
 */
export class MarkedDraws implements Autocovariances {
  readonly length: number;
  readonly means: Float64Array;
  private readonly isMarked: Uint8Array;
  private readonly marks: Uint32Array;
  private count = 0;

  constructor(chains: number, length: number) {
    this.length = length;
    this.means = new Float64Array(chains);
    this.isMarked = new Uint8Array(chains * length);
    this.marks = new Uint32Array(chains * length);
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) this.isMarked[this.marks[i]] = 0;
    this.count = 0;
    this.means.fill(0);
  }

  /** Marks a draw by its index in the concatenated chains. */
  mark(place: number): void {
    this.isMarked[place] = 1;
    this.marks[this.count++] = place;
    this.means[Math.floor(place / this.length)] += 1 / this.length;
  }

  /** Whether some draws are marked and others are not. */
  get varies(): boolean {
    return this.count > 0 && this.count < this.isMarked.length;
  }

  covariance(lag: number): number {
    const { count, isMarked, length, marks, means } = this;
    // Over the chains: the sum of (x_i - m)(x_(i-lag) - m), multiplied out.
    let sum = 0;
    for (let chain = 0; chain < means.length; chain++) sum += (length - lag) * means[chain] * means[chain];
    for (let i = 0; i < count; i++) {
      const place = marks[i];
      const chain = Math.floor(place / length);
      const within = place - chain * length;
      if (within >= lag) sum += isMarked[place - lag] - means[chain];
      if (within < length - lag) sum -= means[chain];
    }
    return sum / length / means.length;
  }
}
