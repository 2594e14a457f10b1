/** Draws in the browser's storage. They are copied chain by chain, so that memory never holds a second copy of all of them. */
import type { FitContents } from 'leapfrog';
import { database } from './database.js';

/** Stores the draws of a run. */
export async function keepFit(runId: string, { chains, ...described }: FitContents): Promise<void> {
  const kept = await database();
  for (const chain of chains) await kept.put('chains', chain, [runId, chain.id]);
  await kept.put('fits', { ...described, chains: [] }, runId);
}

/** The draws of a run that have been stored. */
export async function keptFit(runId: string): Promise<FitContents | undefined> {
  const kept = await database();
  const described = await kept.get('fits', runId);
  // Earlier versions stored the chains in it.
  if (described === undefined || described.chains.length > 0) return described;
  const chains = [];
  for (const key of await kept.getAllKeys('chains', chainsOf(runId))) {
    const chain = await kept.get('chains', key);
    if (chain !== undefined) chains.push(chain);
  }
  return { ...described, chains };
}

/** Deletes the draws of a run. */
export async function deleteFit(runId: string): Promise<void> {
  const kept = await database();
  await Promise.all([kept.delete('fits', runId), kept.delete('chains', chainsOf(runId))]);
}

function chainsOf(runId: string): IDBKeyRange {
  return IDBKeyRange.bound([runId], [runId, []]);
}
