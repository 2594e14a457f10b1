import { exponential, logarithm } from '../../base/elementary.js';

/** Number of batches of consecutive iterations from whose differences the standard error is estimated. */
const BATCHES = 20;

/**
 * The log normalizing constant of the posterior by stepping stones (Xie, Lewis, Fan, Kuo and Chen, Systematic Biology 60, 2011): the sum over
 * levels of the log mean weight with which draws of a level represent the next one.
 */
export class SteppingStones {
  private readonly steps: number;
  private readonly perBatch: number;
  /** For each batch and step: a sum of weights as the logarithm of a factor, and the sum divided by the factor. */
  private readonly factors: Float64Array;
  private readonly sums: Float64Array;
  private iterations = 0;

  /** `iterations` is the number of iterations that are expected. */
  constructor(steps: number, iterations: number) {
    this.steps = steps;
    this.perBatch = Math.max(1, Math.ceil(iterations / BATCHES));
    this.factors = new Float64Array(BATCHES * steps).fill(Number.NEGATIVE_INFINITY);
    this.sums = new Float64Array(BATCHES * steps);
  }

  /** Adds the logarithm of the weight of a draw of the current iteration. */
  add(step: number, logWeight: number): void {
    const { factors, sums } = this;
    if (!(logWeight > Number.NEGATIVE_INFINITY)) return;
    const place = this.batch * this.steps + step;
    if (logWeight <= factors[place]) sums[place] += exponential(logWeight - factors[place]);
    else {
      sums[place] = 1 + sums[place] * exponential(factors[place] - logWeight);
      factors[place] = logWeight;
    }
  }

  /** Ends the current iteration. */
  next(): void {
    this.iterations += 1;
  }

  /** The estimate and its standard error, by the jackknife over batches; undefined with fewer than two batches. */
  estimate(): { readonly logConstant: number; readonly standardError: number } | undefined {
    const used = Math.min(BATCHES, Math.ceil(this.iterations / this.perBatch));
    if (used < 2) return undefined;
    const logConstant = this.without(-1, used);
    const left = Array.from({ length: used }, (_, batch) => this.without(batch, used));
    const center = left.reduce((sum, value) => sum + value, 0) / used;
    const squares = left.reduce((sum, value) => sum + (value - center) ** 2, 0);
    return { logConstant, standardError: Math.sqrt((squares * (used - 1)) / used) };
  }

  private get batch(): number {
    return Math.min(BATCHES - 1, Math.floor(this.iterations / this.perBatch));
  }

  /** The estimate without the batch with this index, or from all batches if the index is -1. */
  private without(left: number, used: number): number {
    const { factors, steps, sums } = this;
    let total = 0;
    let count = 0;
    for (let batch = 0; batch < used; batch++) if (batch !== left) count += this.sizeOf(batch, used);
    for (let step = 0; step < steps; step++) {
      let highest = Number.NEGATIVE_INFINITY;
      for (let batch = 0; batch < used; batch++) {
        if (batch !== left) highest = Math.max(highest, factors[batch * steps + step]);
      }
      let sum = 0;
      for (let batch = 0; batch < used; batch++) {
        const place = batch * steps + step;
        if (batch !== left) sum += sums[place] * exponential(factors[place] - highest);
      }
      total += highest + logarithm(sum / count);
    }
    return total;
  }

  /** Number of iterations of a batch. */
  private sizeOf(batch: number, used: number): number {
    return batch === used - 1 ? this.iterations - (used - 1) * this.perBatch : this.perBatch;
  }
}
