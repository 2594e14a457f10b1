/** The line below the progress bars of a run: its worst estimates so far and the time left. */

import type { RunProgress } from '../../chain/request.js';
import { currentOutlook, outlookText } from '../../fits/outlook.js';
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

  reports(ids: readonly number[]) {
    return ids.map((id) => ({ progress: this.progress.get(id), isOver: this.ended.has(id) }));
  }

  /** The line about these chains. */
  text(ids: readonly number[]): string {
    const { shortfall, target } = this;
    return outlookText(currentOutlook(this.reports(ids), target && { ...target, shortfall }));
  }
}
