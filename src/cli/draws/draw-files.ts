/** Converts files with draws, from this program, CmdStan or a server, to a fit like those in a server's store. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { File as Hdf5File } from 'jsfive';
import { append } from '../../base/multimap.js';
import { type SamplerState, stateInTexts } from '../../chain/sampler-state.js';
import { writeChainFiles } from '../../fit-files/chain-writer.js';
import { sealed } from '../../fit-files/checksums.js';
import type { FitContents } from '../../fit-files/contents.js';
import { type JournalHeader, JournalWriter } from '../../fit-files/journal.js';
import { chainFile, FIT_RECORD } from '../../fit-files/layout.js';
import { readContents } from '../../fit-files/reading.js';
import { arrowDraws } from '../../fits/arrow-draws.js';
import { arvizDraws, HDF5_SIGNATURE } from '../../fits/arviz-draws.js';
import { csvOrigin, differencesOf, fingerprintOf, type Origin } from '../../fits/draw-origins.js';
import { type DrawsFile, rowsOf } from '../../fits/draws-file.js';
import { missingDraws, refuseDiagnostics } from '../../formats/csv-draws.js';
import { csvRequest } from '../../formats/csv-request.js';
import { leadingRowsAmong } from '../../formats/leading-rows.js';
import { blocksInSettings } from '../../formats/program-blocks.js';
import { csvChains, csvSetting, csvSettings, endOfWarmup, readStanCsv } from '../../formats/stan-csv.js';
import { nonFiniteNumber } from '../../formats/stan-json.js';
import { END_OF_WARMUP } from '../../inference/events.js';
import { readInput, textOf, UnreadableFile } from '../../node/input-files.js';
import { CommandError, reasonOf } from '../errors.js';
import { stateBeside } from '../running/state-files.js';

/** Draws as a fit in a folder. */
export interface ImportedDraws {
  readonly contents: FitContents;
  /** The full name of the function, if a file contains it. */
  readonly function: string | undefined;
  /** The sampler's `max_depth`, if a file contains it. */
  readonly maximumDepth: number | undefined;
  /** Files whose chains cannot be continued, because they lack a file with the sampler's state. */
  readonly withoutState: readonly string[];
  /** Reasons why the chains may not belong to one fit, and parts of files that were not read. */
  readonly warnings: readonly string[];
}

/** A chain in a file. */
interface FoundChain {
  readonly origin: Origin;
  readonly maximumDepth?: number;
  readonly drawNames: readonly string[];
  readonly diagnosticNames: readonly string[];
  readonly outputs?: JournalHeader['outputs'];
  /** The full name of the function, if the file contains it. */
  readonly function?: string | undefined;
  readonly leadingRows: JournalHeader['leadingRows'];
  /** Entries in order. */
  readonly entries: readonly Entry[];
  readonly warnings?: readonly string[];
  /** The final state of the sampler, which saved fits contain. */
  readonly state?: SamplerState | undefined;
}

type Entry =
  | { readonly kind: 'draw' | 'diagnostic'; readonly values: Float64Array }
  /** A message among the draws. */
  | { readonly kind: 'remark'; readonly text: string };

/** Reads CSV, Arrow, netCDF or NDJSON files, and writes their chains as one fit to `folder`. */
export function makeFit(paths: readonly string[], folder: string): ImportedDraws {
  const chains = paths.flatMap((path) => {
    const found = chainsOf(path);
    const state = found.length === 1 ? stateBeside(path, found[0].origin.run) : undefined;
    return found.map((chain) => ({ path, ...chain, state: chain.state ?? state }));
  });
  if (!chains.some(({ entries }) => entries.some(({ kind }) => kind === 'draw'))) throw noDraws(paths);
  for (const [index, { path, drawNames, diagnosticNames, entries, leadingRows, outputs, state }] of chains.entries()) {
    const [first] = chains;
    if (drawNames.join() !== first.drawNames.join()) {
      throw new CommandError(`error: the columns of ${path} and ${first.path} differ`);
    }
    const header: JournalHeader = {
      drawNames,
      diagnosticNames,
      ...(outputs && { outputs }),
      ...(leadingRows && { leadingRows }),
      ...(chains.length > 1 && { chain: index + 1 }),
    };
    const journal = new JournalWriter(chainFile(folder, index + 1, 'journal'), header);
    const end = endOfWarmup(entries);
    for (const [place, entry] of entries.entries()) {
      if (place === end) journal.addAdaptation();
      if (entry.kind === 'remark') journal.addLine(remarkLine(entry.text));
      else journal.addNumbers(entry.kind, entry.values);
    }
    journal.close();
    writeChainFiles(folder, index + 1, false, state ?? stateInTexts(textsOf(entries)));
  }
  writeFileSync(join(folder, FIT_RECORD), sealed('{}'));
  const contents = readContents(folder);
  if (contents === undefined) throw noDraws(paths);
  return {
    contents,
    function: chains[0].function,
    maximumDepth: chains.find(({ maximumDepth }) => maximumDepth !== undefined)?.maximumDepth,
    withoutState: [...new Set(chains.filter(({ state }) => state === undefined).map(({ path }) => path))],
    warnings: [
      ...differencesOf(
        chains.map((chain, index) => ({
          ...chain,
          fingerprint: fingerprintOf(chain.drawNames, drawsOf(chain)),
          draws: contents.chains[index].draws,
        })),
      ),
      ...new Set(chains.flatMap(({ path, warnings = [] }) => warnings.map((text) => `${path}: ${text}.`))),
    ],
  };
}

function drawsOf({ entries }: FoundChain): readonly Float64Array[] {
  return entries.flatMap((entry) => (entry.kind === 'draw' ? [entry.values] : []));
}

function textsOf(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => (entry.kind === 'remark' ? [entry.text] : []));
}

function noDraws(paths: readonly string[]): CommandError {
  return new CommandError(`error: there are no draws in ${paths.join(', ')}`);
}

function remarkLine(text: string): string {
  return `{"version":1,"topic":"sample","values":[${JSON.stringify(text)}]}\n`;
}

function chainsOf(path: string): FoundChain[] {
  try {
    const bytes = readInput(path);
    if (bytes.subarray(0, 6).toString() === 'ARROW1' || bytes.subarray(0, 4).equals(STREAM_OPENING)) {
      return columnChains(arrowDraws(tableFromIPC(bytes)));
    }
    if (bytes.subarray(0, HDF5_SIGNATURE.length).equals(Buffer.from(HDF5_SIGNATURE))) {
      return columnChains(arvizDraws(new Hdf5File(new Uint8Array(bytes).buffer, path)));
    }
    const lines = textOf(bytes, path).split(/\r?\n/);
    return lines[0]?.startsWith('{') ? messageChains(lines) : stanCsvChains(lines);
  } catch (error) {
    if (error instanceof UnreadableFile) throw new CommandError(`error: ${error.message}`);
    throw new CommandError(`error: ${path} cannot be read as draws: ${reasonOf(error)}`);
  }
}

/** Start of an Arrow stream: the continuation marker of a message. */
const STREAM_OPENING = Buffer.of(0xff, 0xff, 0xff, 0xff);

function columnChains(file: DrawsFile): FoundChain[] {
  const { columns, chains, origin, outputs, request, warnings } = file;
  const { max_depth: depth } = request.arguments;
  return chains.map((chain) => {
    const entries: Entry[] = rowsOf(chain, columns.length).map((values) => ({ kind: 'draw', values }));
    if (chain.warmup > 0) entries.splice(chain.warmup, 0, { kind: 'remark', text: END_OF_WARMUP });
    return {
      drawNames: columns,
      diagnosticNames: [],
      outputs,
      function: request.function,
      entries,
      warnings,
      origin: { ...origin, chain: `${chain.id}` },
      leadingRows: chain.leadingRows,
      state: chain.state,
      ...(typeof depth === 'number' && { maximumDepth: depth }),
    };
  });
}

function stanCsvChains(lines: readonly string[]): FoundChain[] {
  const { columns: drawNames, entries, head } = readStanCsv(lines);
  refuseDiagnostics(head, drawNames);
  const chains = csvChains(entries);
  const settings = csvSettings(head);
  const depth = Number(csvSetting(settings, 'max_depth'));
  const outputs = blocksInSettings(settings);
  const origin = csvOrigin(head, chains.length);
  const { function: name } = csvRequest(head);
  const depths = Number.isInteger(depth) && { maximumDepth: depth };
  const rest = { origin, drawNames, diagnosticNames: [], outputs, function: name, ...depths };
  return chains.map((entries) => ({
    ...rest,
    entries,
    warnings: [missingDraws(head, entries)].filter((text) => text !== undefined),
    leadingRows: leadingRowsAmong(drawNames, entries, name),
  }));
}

/**
 * For each method, recognized by the start of a logged text because messages do not contain it, the column that
 * distinguishes draws from preceding rows. A download of selected variables lacks this column.
 */
const KEY_COLUMNS: ReadonlyMap<string, string> = new Map([
  ['info:EXPERIMENTAL ALGORITHM:', 'log_g__'],
  ['info:Initial log joint probability', 'converged__'],
]);

interface Message {
  readonly topic: string;
  readonly values: Readonly<Record<string, number | string | null>> | readonly string[];
  readonly chain?: number;
}

function messageChains(lines: readonly string[]): FoundChain[] {
  const names: Record<'draw' | 'diagnostic', readonly string[]> = { draw: [], diagnostic: [] };
  const chains = new Map<number, Entry[]>();
  let needed: string | undefined;
  for (const line of lines) {
    if (line === '') continue;
    const { chain = 1, topic, values }: Message = JSON.parse(line);
    if (topic === 'logger') needed ??= KEY_COLUMNS.get(String(values).split(' = ')[0]);
    if (topic !== 'sample' && topic !== 'diagnostic') continue;
    if (Array.isArray(values)) {
      if (topic === 'sample') append(chains, chain, { kind: 'remark', text: String(values[0]) });
      continue;
    }
    const kind = topic === 'sample' ? 'draw' : 'diagnostic';
    if (names[kind].length === 0) names[kind] = Object.keys(values);
    append(chains, chain, { kind, values: Float64Array.from(Object.values(values), messageNumber) });
  }
  if (needed !== undefined && !names.draw.includes(needed)) {
    throw new Error(`it needs the column ${needed} to distinguish draws from preceding rows`);
  }
  return inOrder(chains).map((entries) => ({
    origin: {},
    drawNames: names.draw,
    diagnosticNames: names.diagnostic,
    leadingRows: leadingRowsAmong(names.draw, entries),
    entries,
  }));
}

function messageNumber(value: number | string | null): number {
  if (typeof value === 'number') return value;
  return value === null ? Number.NaN : (nonFiniteNumber(value) ?? Number.NaN);
}

function inOrder(chains: ReadonlyMap<number, Entry[]>): Entry[][] {
  return [...chains].sort(([a], [b]) => a - b).map(([, entries]) => entries);
}
