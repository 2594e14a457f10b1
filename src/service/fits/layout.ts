/**
 * A fit on disk is a folder:
 *
 *     fit.json                        the request and what became of it
 *     chain-<id>.json                 how many draws and diagnostics a chain has, and the checksums of its other files
 *     chain-<id>.messages             its messages in order: lines as they are sent, and runs of draws and diagnostics
 *     chain-<id>.draws.arrow          the draws, an Arrow file with a column of doubles for each key
 *     chain-<id>.diagnostics.arrow    the diagnostics that come with them, alike
 *     chain-<id>.state                what its sampler has adapted, for functions that adapt
 *     chain-<id>.journal              all of that in the order in which it comes, while the chain runs
 *
 * A line of the messages file that begins with `=` is a run: how often, and `sd` for a draw with its diagnostic, `s` for a
 * draw or `d` for a diagnostic alone. The records and the state end with a seal (store/checksums.ts).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SamplerState } from '../../run/sampler-state.js';
import { DamagedFile, sealed, unsealed } from '../store/checksums.js';
import { type FileSums, readSums, type WrittenSums, writeSums } from './checked-file.js';

/** What is known of a chain without looking at its numbers. */
export interface ChainRecord {
  readonly id: number;
  /** Whether its messages contain the id. */
  readonly tagged: boolean;
  /** Saved draws of warmup, which precede the others. */
  readonly warmup: number;
  /** Those of warmup included. */
  readonly draws: number;
  readonly diagnostics: number;
  readonly files: Readonly<Record<SummedFile, FileSums>>;
}

/** The files of which parts are read. */
const SUMMED_FILES = ['messages', 'draws.arrow', 'diagnostics.arrow'] as const;
type SummedFile = (typeof SUMMED_FILES)[number];

export type RunPattern = 'sd' | 's' | 'd';

export const FIT_RECORD = 'fit.json';

/** How the message begins that parts the draws of warmup from the others. */
export const END_OF_WARMUP = '{"version":1,"topic":"sample","values":["Adaptation terminated"]';

type ChainFile = 'json' | 'journal' | 'state' | SummedFile;

export function chainFile(folder: string, chain: number, file: ChainFile): string {
  return join(folder, `chain-${chain}.${file}`);
}

/** A chain's record as its file has it. */
export function writeChainRecord({ files, ...counts }: ChainRecord): Uint8Array {
  const sums = Object.fromEntries(SUMMED_FILES.map((file) => [file, writeSums(files[file])]));
  return sealed(JSON.stringify({ ...counts, files: sums }));
}

/**
 * The chains of a finished fit, in the order of their ids. Throws the system's error when there is no such folder, and
 * `DamagedFile` for a record that is not as it was written.
 */
export function readChainRecords(folder: string): ChainRecord[] {
  const names = readdirSync(folder).filter((name) => /^chain-\d+\.json$/.test(name));
  const chains = names.map((name): ChainRecord => {
    const path = join(folder, name);
    const text = unsealed(readFileSync(path))?.toString();
    if (text === undefined) throw new DamagedFile(path);
    // What is sealed is what `writeChainRecord` wrote. Workers do without the library that checks what clients send, which would take memory in each.
    const record: WrittenRecord = JSON.parse(text);
    const { files } = record;
    return {
      ...record,
      files: {
        messages: readSums(files.messages),
        'draws.arrow': readSums(files['draws.arrow']),
        'diagnostics.arrow': readSums(files['diagnostics.arrow']),
      },
    };
  });
  return chains.sort((a, b) => a.id - b.id);
}

type WrittenRecord = Omit<ChainRecord, 'files'> & { readonly files: Readonly<Record<SummedFile, WrittenSums>> };

/** A chain's state as its file has it. */
export function writeState(state: SamplerState): Uint8Array {
  return sealed(JSON.stringify(state));
}

/** What the sampler of a chain has adapted; undefined for chains without it. Throws `DamagedFile`. */
export function readState(folder: string, chain: number): SamplerState | undefined {
  const path = chainFile(folder, chain, 'state');
  if (!existsSync(path)) return undefined;
  const text = unsealed(readFileSync(path))?.toString();
  if (text === undefined) throw new DamagedFile(path);
  return JSON.parse(text);
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
