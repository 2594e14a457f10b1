/**
 * Layout of a fit's folder:
 *
 *     fit.json                        the request and its result
 *     chain-<id>.json                 numbers of draws and diagnostics of a chain, and the checksums of its other files
 *     chain-<id>.messages             its messages in order: lines as they are sent, and lengths of runs of draws and diagnostics
 *     chain-<id>.draws.arrow          the draws: an Arrow file with a column of doubles for each key
 *     chain-<id>.diagnostics.arrow    the diagnostics of the draws, in the same form
 *     chain-<id>.state                the adapted state of the sampler, for functions that adapt
 *     chain-<id>.journal              all events in order, while the chain runs
 *     block-<index>/                  files of the chains after a block of their iterations, while the fit is made
 *
 * A line of the messages file that begins with `=` represents a run of rows: it contains their number, and `sd` for
 * draws with diagnostics, `s` for draws or `d` for diagnostics. The records and the state end with a seal
 * (checksums.ts).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SamplerState } from '../run/sampler-state.js';
import { type FileSums, readSums, type WrittenSums, writeSums } from './checked-file.js';
import { DamagedFile, sealed, unsealed } from './checksums.js';

/** Properties of a chain that are known without reading its numbers. */
export interface ChainRecord {
  readonly id: number;
  /** Whether the chain's messages contain its id. */
  readonly tagged: boolean;
  /**
   * Number of rows before the draws: saved draws of warmup, the mean of an approximation, or iterations before an
   * optimum.
   */
  readonly warmup: number;
  /** Number of all rows. */
  readonly draws: number;
  readonly diagnostics: number;
  readonly files: Readonly<Record<SummedFile, FileSums>>;
}

/** Checksums of the files that are read in parts. */
const SUMMED_FILES = ['messages', 'draws.arrow', 'diagnostics.arrow'] as const;
type SummedFile = (typeof SUMMED_FILES)[number];

export type RunPattern = 'sd' | 's' | 'd';

export const FIT_RECORD = 'fit.json';

/** Start of the message that separates draws of warmup from later draws. */
export const END_OF_WARMUP = '{"version":1,"topic":"sample","values":["Adaptation terminated"]';

type ChainFile = 'json' | 'journal' | 'state' | SummedFile;

export function chainFile(folder: string, chain: number, file: ChainFile): string {
  return join(folder, `chain-${chain}.${file}`);
}

/** The folder with the files of chains after a block of their iterations. */
export function blockFolder(folder: string, block: number): string {
  return join(folder, `block-${block}`);
}

/** The index of the block in a folder's name; undefined for other names. */
export function blockOfFolder(name: string): number | undefined {
  const block = /^block-(\d+)$/.exec(name)?.[1];
  return block === undefined ? undefined : Number(block);
}

/** The content of a chain's record file. */
export function writeChainRecord({ files, ...counts }: ChainRecord): Uint8Array {
  const sums = Object.fromEntries(SUMMED_FILES.map((file) => [file, writeSums(files[file])]));
  return sealed(JSON.stringify({ ...counts, files: sums }));
}

/**
 * The chains of a finished fit, in the order of their ids. Throws the system's error if the folder does not exist, and `DamagedFile`
 * if the checksum of a record does not match.
 */
export function readChainRecords(folder: string): ChainRecord[] {
  const names = readdirSync(folder).filter((name) => /^chain-\d+\.json$/.test(name));
  const chains = names.map((name): ChainRecord => {
    const path = join(folder, name);
    const text = unsealed(readFileSync(path))?.toString();
    if (text === undefined) throw new DamagedFile(path);
    // The seal guarantees that `writeChainRecord` has written the text. To save memory, workers do not load the
    // validation library.
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

/** The content of a chain's state file. */
export function writeState(state: SamplerState): Uint8Array {
  return sealed(JSON.stringify(state));
}

/** The adapted state of a chain's sampler; undefined for functions that do not adapt. Throws `DamagedFile`. */
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

/** Parses a line that represents a run of rows; undefined for a message. */
export function parseRunLine(line: string): { readonly count: number; readonly pattern: RunPattern } | undefined {
  const run = /^=(\d+) (sd|s|d)$/.exec(line);
  if (run === null) return undefined;
  const pattern = run[2] === 'sd' || run[2] === 's' ? run[2] : 'd';
  return { count: Number(run[1]), pattern };
}
