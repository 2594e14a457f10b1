import type { Workspace } from './statistics-kernel.js';

/** Normal scores of the ranks of draws, with Blom's offset of 3/8. Ties get their mean rank. */
export class NormalScores {
  private readonly workspace: Workspace;
  private readonly count: number;
  /** Scores by twice the rank; NaN if not yet computed. */
  private readonly known: number;

  constructor(workspace: Workspace, count: number) {
    this.workspace = workspace;
    this.count = count;
    this.known = workspace.allocate(8 * (2 * count + 1));
    workspace.doubles(this.known, 2 * count + 1).fill(Number.NaN);
  }

  /** Writes the scores of `length` ascending numbers to `scores` at their indexes `places`. Numbers with index -1 are not ranked. */
  fill(scores: number, sorted: number, places: number, length: number): void {
    this.workspace.kernel.score(sorted, places, length, this.count, this.known, scores);
  }
}
