import { type Entry, type Ledger, modelName } from './ledger.js';

/** What removes things from the store. */
export interface Removal {
  removeFit(modelId: string, fitId: string): Promise<boolean>;
  removeModel(modelId: string): Promise<boolean>;
}

/**
 * Removes what has not been used for longest until the rest is no larger than `limit` bytes: fits, and when these are gone
 * models. What is in use stays, and so does `spared`, the name of what has just come, with its model.
 */
export async function evict(ledger: Ledger, removal: Removal, limit: number, spared?: string): Promise<void> {
  const isSpared = ({ name }: Entry) => spared !== undefined && (name === spared || spared.startsWith(`${name}/`));
  const candidates = (isFit: boolean) =>
    ledger.all().filter((entry) => (entry.fitId !== undefined) === isFit && !isSpared(entry));
  for (const entry of [...candidates(true), ...candidates(false)]) {
    if (ledger.bytes() <= limit) return;
    if (ledger.isHeld(entry.name) || ledger.get(entry.name) === undefined) continue;
    if (entry.fitId !== undefined) await removal.removeFit(entry.modelId, entry.fitId);
    else if (!hasFits(ledger, entry)) await removal.removeModel(entry.modelId);
  }
}

function hasFits(ledger: Ledger, { modelId }: Entry): boolean {
  return ledger.all().some(({ name }) => name.startsWith(`${modelName(modelId)}/`));
}
