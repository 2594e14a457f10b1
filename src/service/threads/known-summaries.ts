import type { NamedSummary } from '../../fits/statistics.js';
import type { DrawRange } from './fit-job.js';

/** Maximum number of cached summaries, of all fits together. Each takes a few hundred bytes. */
const MOST_SUMMARIES = 100_000;

/**
 * Cache of summaries. The draws of a fit never change, so entries never expire; the least recently requested ones are
 * evicted.
 */
export class KnownSummaries {
  /** Summaries by fit and range of draws, the most recently used last, then by column index. */
  private readonly fits = new Map<string, Map<number, Promise<NamedSummary>>>();

  /** The cached summaries for a range of a fit's draws. The caller can add to them. */
  of(path: string, ranges: readonly DrawRange[]): Map<number, Promise<NamedSummary>> {
    const key = [path, ...ranges.map(({ chain, from, count }) => `${chain} ${from} ${count}`)].join('\n');
    const known = this.fits.get(key) ?? new Map<number, Promise<NamedSummary>>();
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
