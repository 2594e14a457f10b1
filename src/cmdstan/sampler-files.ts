/** CSV files of a sampler, for `stansummary` and `diagnose`. */

import { displayName } from '../formats/columns.js';
import { csvRequest } from '../formats/csv-request.js';
import { countLeadingRows, leadingRowsAmong } from '../formats/leading-rows.js';
import { blocksInSettings, type DeclaredOutput } from '../formats/program-blocks.js';
import { csvSetting, csvSettings, endOfWarmup, type StanCsv } from '../formats/stan-csv.js';
import type { Chains } from '../inference/diagnostics/chains.js';
import { readCsvFile } from './stored-csv.js';

/** The run that the files describe. If they differ, that of the first file. */
export interface SamplerRun {
  readonly model: string;
  readonly iterations: number;
  readonly warmup: number;
  readonly thin: number;
  readonly algorithm: string;
  readonly engine: string;
  readonly maximumDepth: number;
  /** Seconds of each chain. */
  readonly warmupSeconds: readonly number[];
  readonly samplingSeconds: readonly number[];
  /** Names of the columns, with indices in brackets. */
  readonly names: readonly string[];
  /** The full name of the function; undefined if the files do not identify it. */
  readonly function: string | undefined;
  /** The program's variables with their blocks; empty for files of CmdStan. */
  readonly outputs: readonly DeclaredOutput[];
  /** The draws of a column after warmup, one array per chain. */
  draws(column: number): Chains;
}

/**
 * Reads files, one per chain. Throws `Failure` for a file that cannot be read, and `Error` for a file without draws.
 */
export function readSamplerFiles(paths: readonly string[]): SamplerRun {
  const files = paths.map(readCsvFile);
  const chains = files.map(drawsAfterWarmup);
  const empty = chains.findIndex((draws) => draws.length === 0);
  if (empty >= 0) throw new Error(`No sampling draws found in Stan CSV file: ${paths[empty]}.`);
  const [first] = files;
  const length = Math.min(...chains.map((draws) => draws.length));
  const settings = csvSettings(first.head);
  const setting = (name: string) => csvSetting(settings, name);
  const engine = setting('engine') ?? 'nuts';
  return {
    model: setting('model') ?? '',
    iterations: Number(setting('num_samples') ?? 0),
    warmup: Number(setting('num_warmup') ?? 0),
    thin: Number(setting('thin') ?? 1),
    algorithm: setting('algorithm') ?? '',
    engine,
    maximumDepth: Number(setting('max_depth') ?? 0),
    warmupSeconds: files.map((file) => seconds(file, 'Warm-up')),
    samplingSeconds: files.map((file) => seconds(file, 'Sampling')),
    names: first.columns.map(displayName),
    function: csvRequest(first.head).function,
    outputs: blocksInSettings(settings),
    draws: (column) => chains.map((draws) => Float64Array.from({ length }, (_, row) => draws[row][column])),
  };
}

function drawsAfterWarmup({ columns, entries, head }: StanCsv): Float64Array[] {
  const end = endOfWarmup(entries);
  const after = entries.slice(end + 1);
  const rows = after.flatMap((entry) => (entry.kind === 'draw' ? [entry.values] : []));
  return rows.slice(countLeadingRows(leadingRowsAmong(columns, after, csvRequest(head).function), rows.length));
}

function seconds({ entries }: StanCsv, phase: string): number {
  for (const entry of entries) {
    if (entry.kind !== 'remark' || !entry.text.endsWith(`seconds (${phase})`)) continue;
    const [, number] = /([\d.e+-]+) seconds/.exec(entry.text) ?? [];
    return Number(number);
  }
  return 0;
}
