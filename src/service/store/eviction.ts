import { type Entry, type Ledger, modelName } from './ledger.js';

/** Removes models and fits from the store. */
export interface Removal {
  removeFits(entries: readonly Entry[]): Promise<void>;
  removeModel(modelId: string): Promise<boolean>;
}

/**
 * Evicts the least recently used fits, and then models, until at most `limit` bytes remain. Keeps entries in use, and
 * the latest entry, named `spared`, with its model. Skips entries that cannot be removed.
 */
export async function evict(ledger: Ledger, removal: Removal, limit: number, spared?: string): Promise<void> {
  if (ledger.bytes() <= limit) return;
  const isSpared = ({ name }: Entry) => spared !== undefined && (name === spared || spared.startsWith(`${name}/`));
  const isKept = (entry: Entry) => isSpared(entry) || ledger.isHeld(entry.name) || ledger.get(entry.name) === undefined;

  const surplus: Entry[] = [];
  let bytes = ledger.bytes();
  for (const entry of ledger.all()) {
    if (bytes <= limit) break;
    if (entry.fit === undefined || isKept(entry)) continue;
    surplus.push(entry);
    bytes -= entry.bytes;
  }
  await removal.removeFits(surplus).catch(() => undefined);
  const inUse = new Set(ledger.all().flatMap(({ fit, modelId }) => (fit === undefined ? [] : [modelName(modelId)])));
  for (const entry of ledger.all()) {
    if (ledger.bytes() <= limit) return;
    const isUsed = entry.fit !== undefined || inUse.has(entry.name);
    if (!isUsed && !isKept(entry)) await removal.removeModel(entry.modelId).catch(() => false);
  }
}
