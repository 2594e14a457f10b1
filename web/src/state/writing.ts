import { type Database, database } from './database.js';
import { update } from './store.js';

/** Changes what the browser keeps; where it keeps nothing more, the page says so. */
export async function write(change: (kept: Database) => Promise<unknown>): Promise<void> {
  try {
    await change(await database());
  } catch {
    update({ saved: 'full' });
  }
}
