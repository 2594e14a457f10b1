/** Calls between two looks at the clock, at most. */
const MOST_CALLS = 64;

/**
 * Returns whether some milliseconds have passed; the first call returns true. It can be asked at every draw: where a hundredth of the time has not gone by from
 * one look at the clock to the next, the next one is twice as many calls away.
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

  /** Starts anew. */
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
