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
 *     block-<index>-fetched/          the same files, fetched from a cluster
 *
 * A line of the messages file that begins with `=` represents a run of rows: it contains their number, and `sd` for
 * draws with diagnostics, `s` for draws or `d` for diagnostics. A run without rows, `=0 s`, ends the warmup. The records
 * and the state end with a seal (checksums.ts), whose owner is the fit of a service.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SamplerState } from '../chain/sampler-state.js';
import { type FileSums, readSums, type WrittenSums, writeSums } from './checked-file.js';
import { DamagedFile, sealed, unsealed } from './checksums.js';
import { readStoredFile } from './descriptors.js';

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
  /** Whether the chain has a state file; absent in records of earlier versions. */
  readonly hasState?: boolean;
}

/** The files that are read in parts. */
export const SUMMED_FILES = ['messages', 'draws.arrow', 'diagnostics.arrow'] as const;
export type SummedFile = (typeof SUMMED_FILES)[number];

export type RunPattern = 'sd' | 's' | 'd';

export const FIT_RECORD = 'fit.json';

type ChainFile = 'json' | 'journal' | 'state' | SummedFile;

export function chainFile(folder: string, chain: number, file: ChainFile): string {
  return join(folder, `chain-${chain}.${file}`);
}

/** The folder with the files of chains after a block of their iterations. */
export function blockFolder(folder: string, block: number): string {
  return join(folder, `block-${block}`);
}

/**
 * The folder for the files of a block that are fetched from a cluster. No chain of this process writes to it. A chain's
 * record appears when its other files are complete.
 */
export function fetchedFolder(folder: string, block: number): string {
  return join(folder, `block-${block}-fetched`);
}

/** The index of the block in a folder's name; undefined for other names. */
export function blockOfFolder(name: string): number | undefined {
  const block = /^block-(\d+)$/.exec(name)?.[1];
  return block === undefined ? undefined : Number(block);
}

/**
 * The resource name of the fit whose files are in a folder: `<model>.<fit>.<mark>`, with further parts, or the folder of
 * a block in it. Empty for other folders.
 */
export function ownerOf(folder: string): string {
  const [, model, fit] = /([a-z2-7]{24})\.([a-z2-7]{24})\.[^/\\]+(?:[/\\]block-[^/\\]+)?$/.exec(folder) ?? [];
  return fit === undefined ? '' : `models/${model}/fits/${fit}`;
}

/** The content of the record file of a chain of a folder. */
export function writeChainRecord(folder: string, { files, ...counts }: ChainRecord): Uint8Array {
  const sums = Object.fromEntries(SUMMED_FILES.map((file) => [file, writeSums(files[file])]));
  return sealed(JSON.stringify({ ...counts, files: sums }), ownerOf(folder));
}

/**
 * The chains of a finished fit, in the order of their ids. Throws the system's error if the folder does not exist, and
 * `DamagedFile` if a record is missing or changed.
 */
export function readChainRecords(folder: string): ChainRecord[] {
  const ids = readdirSync(folder).flatMap((name) => chainOfRecord(name) ?? []);
  const all = new Set([...ids, ...(listedChains(folder) ?? [])]);
  return [...all].sort((a, b) => a - b).map((id) => readRecordFile(folder, id));
}

function chainOfRecord(name: string): number | undefined {
  const id = /^chain-(\d+)\.json$/.exec(name)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** The chains in the record of a service's fit; undefined in a folder without one. */
function listedChains(folder: string): readonly number[] | undefined {
  const path = join(folder, FIT_RECORD);
  if (!existsSync(path)) return undefined;
  const record: { readonly chains?: readonly { readonly chain: number }[] } = JSON.parse(readSealedText(path, folder));
  return record.chains?.map(({ chain }) => chain);
}

/**
 * The record of one chain; undefined if it does not exist. Reads no file of another chain, because these may still be
 * written. Throws `DamagedFile` if its checksum does not match.
 */
export function readChainRecord(folder: string, chain: number): ChainRecord | undefined {
  return existsSync(chainFile(folder, chain, 'json')) ? readRecordFile(folder, chain) : undefined;
}

function readSealedText(path: string, folder: string): string {
  const text = unsealed(readStoredFile(path), ownerOf(folder))?.toString();
  if (text === undefined) throw new DamagedFile(path);
  return text;
}

function readRecordFile(folder: string, chain: number): ChainRecord {
  const path = chainFile(folder, chain, 'json');
  // The seal guarantees that `writeChainRecord` has written the text. To save memory, workers do not load the
  // validation library.
  const record: WrittenRecord = JSON.parse(readSealedText(path, folder));
  if (record.id !== chain) throw new DamagedFile(path, 'foreign');
  const { files } = record;
  return {
    ...record,
    files: {
      messages: readSums(files.messages),
      'draws.arrow': readSums(files['draws.arrow']),
      'diagnostics.arrow': readSums(files['diagnostics.arrow']),
    },
  };
}

type WrittenRecord = Omit<ChainRecord, 'files'> & { readonly files: Readonly<Record<SummedFile, WrittenSums>> };

/** The content of the state file of a chain of a folder. */
export function writeState(folder: string, chain: number, state: SamplerState): Uint8Array {
  return sealed(JSON.stringify(state), stateOwner(folder, chain));
}

function stateOwner(folder: string, chain: number): string {
  const owner = ownerOf(folder);
  return owner === '' ? '' : `${owner} ${chain}`;
}

/** The adapted state of a chain's sampler; undefined for functions that do not adapt. Throws `DamagedFile`. */
export function readState(folder: string, chain: number): SamplerState | undefined {
  const path = chainFile(folder, chain, 'state');
  if (!existsSync(path)) {
    if (readChainRecord(folder, chain)?.hasState) throw new DamagedFile(path, 'missing');
    return undefined;
  }
  const text = unsealed(readStoredFile(path), stateOwner(folder, chain))?.toString();
  if (text === undefined) throw new DamagedFile(path);
  return JSON.parse(text);
}

/** The line at the end of warmup: a run without rows. */
export const END_OF_WARMUP = '=0 s\n';

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
