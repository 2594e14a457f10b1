/** The line below the progress bars of a run: its worst estimates so far and the time left. */

import type { RunBlock, RunProgress } from '../../chain/request.js';
import { outlookOf, outlookText } from '../../fits/outlook.js';
import type { ChainProgress } from '../../fits/thread-need.js';
import { combinedEstimates } from '../../inference/diagnostics/running-estimates.js';
import type { CurrentShortfall, Until } from '../../requests/until.js';

export class RunOutlook {
  private readonly target: { readonly until: Until; readonly block: number } | undefined;
  private readonly progress = new Map<number, RunProgress>();
  private readonly ended = new Set<number>();
  private shortfall: CurrentShortfall | undefined;

  /** `block`: number of iterations between two checks of a rule. */
  constructor(until: Until | undefined, block: number) {
    this.target = until && { until, block };
  }

  note(id: number, progress: RunProgress): void {
    this.progress.set(id, progress);
  }

  noteEnd(id: number): void {
    this.ended.add(id);
  }

  /** Records the shortfall after a block. The next block starts. */
  noteShortfall(shortfall: CurrentShortfall): void {
    this.shortfall = shortfall;
    this.ended.clear();
  }

  /** The progress of a chain before its next block. */
  before(id: number): RunBlock['before'] {
    return this.progress.get(id);
  }

  chains(ids: readonly number[]): ChainProgress[] {
    return ids.map((id) => ({ ...this.progress.get(id), isOver: this.ended.has(id) }));
  }

  /** The line about these chains. */
  text(ids: readonly number[]): string {
    const { ended, progress, shortfall, target } = this;
    const estimates = combinedEstimates(
      ids.map((id) => progress.get(id)?.estimates ?? []),
      Number.POSITIVE_INFINITY,
    );
    const chains = ids.map((id) => ({ progress: progress.get(id), isOver: ended.has(id) }));
    return outlookText(outlookOf(chains, estimates, target && { ...target, shortfall }));
  }
}
