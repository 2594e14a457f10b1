/**
 * Eviction: models and fits are removed when they exceed the limit of the store. Each of the two may use half of the
 * limit whatever the other one needs, so that neither can displace the other one completely:
 *
 * 1. Fits are removed until all entries are within the limit, or fits within half of it.
 * 2. Then models are removed until all entries are within the limit, or models within half of it: first those without
 *    fits, then others together with their fits.
 *
 * The least recently used entry goes first. Entries in use remain, and nothing is removed in their place: the store
 * exceeds the limit by their size until they are released.
 */
import { type Entry, isFit, type Ledger, modelName } from './ledger.js';

/** Removes entries of models or of fits from the store. */
export type Removal = (entries: readonly Entry[]) => Promise<void>;

/** What eviction removes: entries above a number of bytes, or also the latest entries. */
export interface EvictionLimit {
  readonly bytes: number;
  /** Whether the most recently used fit and the most recently used model remain, whatever their sizes. */
  readonly sparesLatest: boolean;
  /** Whether an entry may be removed; all by default. */
  readonly isChosen?: (entry: Entry) => boolean;
}

/**
 * Evicts entries until none is to be removed. Repeats the choice after each removal, because other entries may have
 * been stored or released in between. Skips entries that cannot be removed.
 */
export async function evict(ledger: Ledger, remove: Removal, limit: EvictionLimit): Promise<void> {
  const tried = new Set<Entry>();
  for (;;) {
    const chosen = surplusOf(ledger, limit, tried);
    if (chosen.length === 0) return;
    for (const entry of chosen) tried.add(entry);
    await remove(chosen).catch(() => undefined);
  }
}

/** The entries to remove next: fits, models without fits, or models with their fits. Ignores entries in `skipped`. */
export function surplusOf(
  ledger: Ledger,
  { bytes: limit, isChosen = () => true, sparesLatest }: EvictionLimit,
  skipped: ReadonlySet<Entry> = new Set(),
): Entry[] {
  let total = ledger.bytes();
  if (total <= limit) return [];
  const all = ledger.all();
  const fits = all.filter(isFit);
  const models = all.filter((entry) => !isFit(entry));
  const latest = sparesLatest ? [fits.at(-1), models.at(-1)] : [];
  const isKept = (entry: Entry) =>
    latest.includes(entry) || skipped.has(entry) || !isChosen(entry) || ledger.isHeld(entry.name);

  const chosen: Entry[] = [];
  const take = (entries: readonly Entry[], ofAll: readonly Entry[], group = (entry: Entry): Entry[] => [entry]) => {
    let own = bytesOf(ofAll);
    for (const entry of entries) {
      if (total <= limit || own <= limit / 2) break;
      if (isKept(entry)) continue;
      const removed = group(entry);
      chosen.push(...removed);
      total -= bytesOf(removed);
      own -= entry.bytes;
    }
  };
  take(fits, fits);
  const used = new Set(fits.map(({ modelId }) => modelName(modelId)));
  if (chosen.length === 0)
    take(
      models.filter(({ name }) => !used.has(name)),
      models,
    );
  // A model in use by one of its fits counts as held.
  const withFits = models.filter(({ modelId }) => !ledger.fitsOf(modelId).some(isKept));
  if (chosen.length === 0) take(withFits, models, (model) => [...ledger.fitsOf(model.modelId), model]);
  return chosen;
}

function bytesOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0);
}
