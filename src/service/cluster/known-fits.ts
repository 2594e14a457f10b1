import { Type } from 'typebox';
import type { ListedFit } from '../store/store.js';
import { readerOf } from './messages.js';
import { inlineText } from './values.js';
import type { WatchedBucket } from './watched-bucket.js';

/** The value of a fit's key: its mark and its size in bytes. */
export const readHead = readerOf(Type.Object({ mark: Type.String(), bytes: Type.Integer() }));
export type FitHead = NonNullable<ReturnType<typeof readHead>>;

type Bucket = Pick<WatchedBucket, 'all' | 'get' | 'onChange'>;

/** Index of the fits of each model that this process knows of, the latest first. */
export class KnownFits {
  private readonly bucket: Bucket;
  private readonly listed = new Map<string, ListedFit>();
  private readonly ofModels = new Map<string, ListedFit[]>();
  private readonly models = new Map<string, string>();

  constructor(bucket: Bucket) {
    this.bucket = bucket;
    bucket.onChange((key) => this.note(key));
    for (const { key } of bucket.all()) this.note(key);
  }

  of(modelId: string): readonly ListedFit[] {
    return this.ofModels.get(modelId)?.slice() ?? [];
  }

  /** The model of a fit; undefined if the fit does not exist. */
  modelOf(fitId: string): string | undefined {
    return this.models.get(fitId);
  }

  /** All fits, with the time of their last use. */
  *all(): Generator<ListedFit & { readonly modelId: string; readonly used: number }> {
    for (const [key, fit] of this.listed)
      yield { ...fit, modelId: key.slice(0, key.indexOf('.')), used: this.bucket.get(key)?.written ?? 0 };
  }

  private note(key: string): void {
    const [modelId = '', id = ''] = key.split('.');
    const fits = this.ofModels.get(modelId) ?? [];
    const before = this.listed.get(key);
    const text = this.bucket.get(key)?.text;
    const head = text === undefined ? undefined : readHead(inlineText(text));
    if (before?.mark === head?.mark && before?.bytes === head?.bytes) return;
    if (before !== undefined) fits.splice(placeIn(fits, before), 1);
    if (head === undefined) {
      this.listed.delete(key);
      this.models.delete(id);
      if (fits.length === 0) this.ofModels.delete(modelId);
      return;
    }
    const fit = { id, ...head };
    this.listed.set(key, fit);
    this.models.set(id, modelId);
    this.ofModels.set(modelId, fits);
    fits.splice(placeIn(fits, fit), 0, fit);
  }
}

/** Binary search for the index of a fit, or the index at which to insert it, among fits with the latest first. */
function placeIn(fits: readonly ListedFit[], fit: ListedFit): number {
  let [from, to] = [0, fits.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(fits[middle], fit)) from = middle + 1;
    else to = middle;
  }
  return from;
}

function isBefore(a: ListedFit, b: ListedFit): boolean {
  return a.mark === b.mark ? a.id < b.id : a.mark > b.mark;
}
