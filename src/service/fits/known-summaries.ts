import type { NamedSummary } from '../../run/statistics.js';
import type { DrawRange } from './fit-job.js';

/** Summaries that are remembered, of all fits together; a few hundred bytes each. */
const MOST_SUMMARIES = 100_000;

/** Summaries of fits, whose draws never change: those asked for latest are remembered. */
export class KnownSummaries {
  /** By fit and draws, the latest last; in each by its column's place. */
  private readonly fits = new Map<string, Map<number, NamedSummary>>();

  /** Those of some draws of a fit, to be read and added to. */
  of(path: string, ranges: readonly DrawRange[]): Map<number, NamedSummary> {
    const key = [path, ...ranges.map(({ chain, from, count }) => `${chain} ${from} ${count}`)].join('\n');
    const known = this.fits.get(key) ?? new Map<number, NamedSummary>();
    this.fits.delete(key);
    this.fits.set(key, known);
    let kept = [...this.fits.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [oldest, { size }] of this.fits) {
      if (kept <= MOST_SUMMARIES || oldest === key) break;
      this.fits.delete(oldest);
      kept -= size;
    }
    return known;
  }
}
