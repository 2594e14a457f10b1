/** Fractions of warmup before and after which divergences do not count: metric and step size change much, or too few iterations would remain. */
const EARLY = 0.3;
const LATE = 0.85;
/** Number of divergent transitions that triggers the watch. Up to two are common in warmup, because step sizes vary. */
const TOO_MANY = 3;

/** Detects in warmup that steps are too long for narrow regions of the posterior. */
export class DivergenceWatch {
  private readonly numWarmup: number;
  private iteration = 0;
  private divergences = 0;

  constructor(numWarmup: number) {
    this.numWarmup = numWarmup;
  }

  /** Receives whether the next warmup transition has diverged. Returns true once, when too many transitions have diverged. */
  update(isDivergent: boolean): boolean {
    const iteration = this.iteration++;
    if (!isDivergent || iteration < EARLY * this.numWarmup || iteration >= LATE * this.numWarmup) return false;
    this.divergences += 1;
    return this.divergences === TOO_MANY;
  }
}
