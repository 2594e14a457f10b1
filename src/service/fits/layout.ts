/**
 * A fit on disk is a folder:
 *
 *     fit.json                        the request and what became of it
 *     chain-<id>.json                 how many draws and diagnostics a chain has
 *     chain-<id>.messages             its messages in order: lines as they are sent, and runs of draws and diagnostics
 *     chain-<id>.draws.arrow          the draws, an Arrow file with a column of doubles for each key
 *     chain-<id>.diagnostics.arrow    the diagnostics that come with them, alike
 *     chain-<id>.journal              all of that in the order in which it comes, while the chain runs
 *
 * A line of the messages file that begins with `=` is a run: how often, and `sd` for a draw with its diagnostic, `s` for a
 * draw or `d` for a diagnostic alone.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is known of a chain without looking at its numbers. */
export interface ChainRecord {
  readonly id: number;
  /** Whether its messages tell the id. */
  readonly tagged: boolean;
  /** Saved draws of warmup, which precede the others. */
  readonly warmup: number;
  /** Those of warmup included. */
  readonly draws: number;
  readonly diagnostics: number;
}

export type RunPattern = 'sd' | 's' | 'd';

export const FIT_RECORD = 'fit.json';

/** How the message begins that parts the draws of warmup from the others. */
export const END_OF_WARMUP = '{"version":1,"topic":"sample","values":["Adaptation terminated"]';

type ChainFile = 'json' | 'messages' | 'draws.arrow' | 'diagnostics.arrow' | 'journal';

export function chainFile(folder: string, chain: number, file: ChainFile): string {
  return join(folder, `chain-${chain}.${file}`);
}

/** The chains of a finished fit, in the order of their ids. Throws the system's error when there is no such folder. */
export function readChainRecords(folder: string): ChainRecord[] {
  const names = readdirSync(folder).filter((name) => /^chain-\d+\.json$/.test(name));
  const chains = names.map((name): ChainRecord => {
    const record: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    if (isChainRecord(record)) return record;
    throw new Error(`${name} in ${folder} is not what a fit has`);
  });
  return chains.sort((a, b) => a.id - b.id);
}

function isChainRecord(record: unknown): record is ChainRecord {
  if (typeof record !== 'object' || record === null) return false;
  const fields = new Map<string, unknown>(Object.entries(record));
  const counts = ['id', 'warmup', 'draws', 'diagnostics'].map((name) => fields.get(name));
  return typeof fields.get('tagged') === 'boolean' && counts.every(Number.isSafeInteger);
}

export function runLine(count: number, pattern: RunPattern): string {
  return `=${count} ${pattern}\n`;
}

/** Undefined for a line that is a message. */
export function parseRunLine(line: string): { readonly count: number; readonly pattern: RunPattern } | undefined {
  const run = /^=(\d+) (sd|s|d)$/.exec(line);
  if (run === null) return undefined;
  const pattern = run[2] === 'sd' || run[2] === 's' ? run[2] : 'd';
  return { count: Number(run[1]), pattern };
}
