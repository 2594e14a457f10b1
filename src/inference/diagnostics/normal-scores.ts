import type { Workspace } from './statistics-kernel.js';

/** Normal scores of ranks among a number of draws, ties sharing their mean rank (Blom's offset 3/8). */
export class NormalScores {
  private readonly workspace: Workspace;
  private readonly count: number;
  /** Scores by twice the rank; NaN where not computed yet. */
  private readonly known: number;

  constructor(workspace: Workspace, count: number) {
    this.workspace = workspace;
    this.count = count;
    this.known = workspace.allocate(8 * (2 * count + 1));
    workspace.doubles(this.known, 2 * count + 1).fill(Number.NaN);
  }

  /** Fills `scores` at the places of `length` ascending numbers. A place of -1 is left out of the ranks. */
  fill(scores: number, sorted: number, places: number, length: number): void {
    this.workspace.kernel.score(sorted, places, length, this.count, this.known, scores);
  }
}
