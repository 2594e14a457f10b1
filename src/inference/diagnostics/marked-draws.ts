import type { Autocovariances } from './geyer.js';
import type { Workspace } from './statistics-kernel.js';

/**
 * Chains of zeros and few ones: the indicator of a tail. The cost per lag is proportional to the number of ones. An indicator and its
 * complement have the same autocovariances.
 */
export class MarkedDraws implements Autocovariances {
  readonly length: number;
  private readonly workspace: Workspace;
  private readonly chains: number;
  private readonly meansAt: number;
  /** One byte per draw. */
  private readonly isMarked: number;
  /** The indexes of marked draws, as 32-bit words. */
  private readonly marks: number;
  private count = 0;

  constructor(workspace: Workspace, chains: number, length: number) {
    this.workspace = workspace;
    this.chains = chains;
    this.length = length;
    this.meansAt = workspace.allocate(8 * chains);
    this.isMarked = workspace.allocate(chains * length);
    this.marks = workspace.allocate(4 * chains * length);
  }

  get means(): Float64Array {
    return this.workspace.doubles(this.meansAt, this.chains);
  }

  /** Marks exactly the draws with these indexes in the concatenated chains. Ignores negative indexes. */
  mark(places: Int32Array): void {
    const { chains, length, means, workspace } = this;
    const isMarked = workspace.bytes(this.isMarked, chains * length);
    const marks = workspace.words(this.marks, chains * length);
    isMarked.fill(0);
    means.fill(0);
    this.count = 0;
    for (const place of places) {
      if (place < 0) continue;
      isMarked[place] = 1;
      marks[this.count++] = place;
      means[Math.floor(place / length)] += 1 / length;
    }
  }

  /** Whether some draws are marked and some are not. */
  get varies(): boolean {
    return this.count > 0 && this.count < this.chains * this.length;
  }

  covariance(lag: number): number {
    const { chains, count, isMarked, length, marks, meansAt, workspace } = this;
    return workspace.kernel.markedAutocovariance(marks, count, isMarked, meansAt, chains, length, lag);
  }
}
