/** Maximum number of calls between two readings of the clock. */
const MOST_CALLS = 64;

/**
 * Determines whether an interval has passed; the first call returns true. It can be called for every draw: if less than a hundredth of the
 * interval passes between two readings of the clock, the number of calls until the next reading doubles.
 */
export class Patience {
  private readonly milliseconds: number;
  private start = Number.NEGATIVE_INFINITY;
  private lastLook = Number.NEGATIVE_INFINITY;
  private stride = 1;
  private calls = 0;

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }

  /** Restarts the measurement. */
  begin(): void {
    this.start = performance.now();
  }

  isOver(): boolean {
    this.calls += 1;
    if (this.calls < this.stride) return false;
    this.calls = 0;
    const now = performance.now();
    const isOften = now - this.lastLook < this.milliseconds / 100;
    this.stride = isOften ? Math.min(2 * this.stride, MOST_CALLS) : 1;
    this.lastLook = now;
    return now - this.start >= this.milliseconds;
  }
}
