/**
 * Divergences count between these fractions of warmup: before, metric and step size change much; after, too few iterations would remain. Up
 * to two divergences are common in a long warmup, because step sizes vary.
 */
const LONG = { from: 0.3, to: 0.85, tooMany: 3 };
/** A short warmup visits a narrow region so rarely that its first divergence counts. */
const SHORT = { from: 0.15, to: 0.95, tooMany: 1 };
/** Number of iterations from which warmup is long. */
const FEWEST_OF_LONG = 500;

/** Detects in warmup that steps are too long for narrow regions of the posterior. */
export class DivergenceWatch {
  private readonly first: number;
  private readonly end: number;
  private readonly tooMany: number;
  private iteration = 0;
  private divergences = 0;

  constructor(numWarmup: number) {
    const { from, to, tooMany } = numWarmup < FEWEST_OF_LONG ? SHORT : LONG;
    this.first = from * numWarmup;
    this.end = to * numWarmup;
    this.tooMany = tooMany;
  }

  /** Receives whether the next warmup transition has diverged. Returns true once, when too many transitions have diverged. */
  update(isDivergent: boolean): boolean {
    const iteration = this.iteration++;
    if (!isDivergent || iteration < this.first || iteration >= this.end) return false;
    this.divergences += 1;
    return this.divergences === this.tooMany;
  }
}
