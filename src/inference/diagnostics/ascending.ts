import type { Workspace } from './statistics-kernel.js';

/** Sorts arrays of the same length in reused memory of a workspace. */
export class AscendingOrder {
  /**
   * Address of the indexes of the values in ascending order, as 32-bit words; valid until the next call of `sort`. Equal values keep their
   * order.
   */
  readonly order: number;
  /** Address of the sorted values. */
  readonly sorted: number;
  private readonly workspace: Workspace;
  private readonly count: number;
  private readonly next: number;
  private readonly keys: number;

  constructor(workspace: Workspace, count: number) {
    this.workspace = workspace;
    this.count = count;
    this.sorted = workspace.allocate(8 * count);
    this.order = workspace.allocate(4 * count);
    this.next = workspace.allocate(4 * count);
    this.keys = workspace.allocate(4 * count);
  }

  /** Sorts the values at an address. They must not be NaN. */
  sort(values: number): void {
    const { count, keys, next, order, sorted, workspace } = this;
    workspace.kernel.sort(values, count, order, sorted, next, keys);
  }
}
