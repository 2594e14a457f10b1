import { type Database, database } from './database.js';
import { update } from './store.js';

/** Writes to the browser's storage; the page reports if it is full. */
export async function write(change: (kept: Database) => Promise<unknown>): Promise<void> {
  try {
    await change(await database());
  } catch {
    update({ saved: 'full' });
  }
}
