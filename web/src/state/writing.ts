import { type Database, database } from './database.js';
import { update } from './store.js';

/** Writes to the browser's storage; the page reports if that fails. */
export async function write(change: (kept: Database) => Promise<unknown>): Promise<void> {
  try {
    await change(await database());
  } catch (error) {
    await reportUnstored(error);
  }
}

/** Reports that something could not be stored, and how full the storage is. */
export async function reportUnstored(error: unknown): Promise<void> {
  const isFull = error instanceof DOMException && error.name === 'QuotaExceededError';
  update({ saved: 'full', storageFault: { isFull } });
  if (!isFull) return;
  try {
    const { quota, usage } = await navigator.storage.estimate();
    if (quota !== undefined && usage !== undefined) update({ storageFault: { isFull, quota, usage } });
  } catch {
    // Without an estimate, the page shows no sizes.
  }
}
