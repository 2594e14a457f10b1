/** The latest relative changes between consecutive values of the ELBO. */
export class ElboChanges {
  private readonly size: number;
  private readonly changes: number[] = [];
  private latest = 0;

  constructor(size: number) {
    this.size = size;
  }

  add(elbo: number): void {
    this.changes.push(Math.abs((this.latest - elbo) / elbo));
    if (this.changes.length > this.size) this.changes.shift();
    this.latest = elbo;
  }

  get mean(): number {
    return this.changes.reduce((sum, change) => sum + change, 0) / this.changes.length;
  }

  /** The median; the greater of the two middle values for an even number. */
  get median(): number {
    return [...this.changes].sort((a, b) => a - b)[this.changes.length >> 1];
  }
}
