/** Fits from files with draws: CSV files of CmdStan, Arrow files of this program, netCDF files of ArviZ. */

import { csvOrigin, differencesOf, fingerprintOf, type Origin } from '../fits/draw-origins.js';
import type { DrawsFile } from '../fits/draws-file.js';
import { csvRequest } from '../formats/csv-request.js';
import { countLeadingRows } from '../formats/leading-rows.js';
import { blocksInSettings, type DeclaredOutput } from '../formats/program-blocks.js';
import { csvSettings } from '../formats/stan-csv.js';
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import { knownArguments } from '../requests/functions.js';
import { readChains } from './csv-chains.js';
import type { Asked, FitChain, FitContents } from './fit.js';
import { type SavedFit, savedFitIn } from './saved-fit.js';

/** The chains in a file. */
export interface FoundChains {
  readonly path: string;
  readonly columns: readonly string[];
  /** The program's variables with their blocks, as far as the file contains them. */
  readonly outputs: readonly DeclaredOutput[];
  readonly chains: readonly FitChain[];
  readonly request: DrawsFile['request'];
  readonly origin: Origin;
  readonly warnings: readonly string[];
  /** Present if the file is a saved fit. */
  readonly saved?: SavedFit | undefined;
}

/** The chains of a CSV file, with ids from `firstId`. Throws an `Error` if the file has no draws. */
export function csvFile(path: string, text: string, firstId: number): FoundChains {
  const { chains, columns, head, warnings } = readChains(text, firstId);
  const outputs = blocksInSettings(csvSettings(head));
  const request = csvRequest(head);
  return { path, columns, outputs, chains, request, origin: csvOrigin(head, chains.length), warnings };
}

/** The chains of a file that stores numbers by column, with ids from `firstId`; by default those of the file. */
export function columnFile(path: string, file: DrawsFile, firstId?: number): FoundChains {
  const { columns, origin, outputs, request, warnings } = file;
  const saved = savedFitIn(file);
  const chains = file.chains.map(({ diagnostics, id, leadingRows, values, warmup: saves }, index): FitChain => {
    const rows = columns.length === 0 ? 0 : values.length / columns.length;
    const warmup = Math.min(rows, saves + countLeadingRows(leadingRows, rows));
    const known = saved?.details.get(id);
    const details = { adapted: undefined, comments: [], initial: undefined, ...known };
    return {
      id: firstId === undefined ? id : firstId + index,
      warmup,
      draws: rows - warmup,
      values,
      diagnostics: diagnostics ?? new Float64Array(),
      ...details,
    };
  });
  const [only, ...others] = file.chains;
  const chain = others.length === 0 && only !== undefined ? `${only.id}` : undefined;
  return { path, columns, outputs, chains, request, origin: { ...origin, chain }, warnings, saved };
}

/** A fit of chains in files that have the same columns. `declared` has variables of the program that the files do not name. */
export function importedContents(
  found: readonly FoundChains[],
  created: string,
  declared: readonly DeclaredOutput[] = [],
): FitContents {
  const [{ columns, origin, outputs, request, saved }] = found;
  const { random_seed: seed } = request.arguments;
  const isSaved = saved !== undefined && found.length === 1;
  return {
    program: origin.program ?? 'model',
    asked: {
      ...askedIn(found[0], isSaved),
      random_seed: typeof seed === 'number' ? seed : 0,
      created,
      ...(isSaved && saved.asked),
    },
    // The blocks in the file take precedence.
    outputs: [...declared, ...outputs],
    columns,
    diagnosticColumns: saved?.diagnosticColumns ?? [],
    chains: found.flatMap(({ chains }) => chains),
    ...(isSaved && saved.stopped && { stopped: saved.stopped }),
  };
}

/**
 * The function of a file's draws and its arguments. Without a function, that of NUTS if the draws have its columns,
 * otherwise that of independent draws.
 */
function askedIn({ columns, request }: FoundChains, isSaved: boolean): Pick<Asked, 'function' | 'arguments'> {
  const fallback = columns.includes('treedepth__') ? 'hmc_nuts_diag_e_adapt' : 'fixed_param';
  const name = request.function ?? `stan::services::sample::${fallback}`;
  if (!isSaved) return { function: name, arguments: knownArguments(name, request.arguments) };
  const { random_seed: _seed, ...others } = request.arguments;
  const given = Object.entries(others).filter((entry): entry is [string, ArgumentValue] => isArgumentValue(entry[1]));
  return { function: name, arguments: Object.fromEntries(given) };
}

function isArgumentValue(value: unknown): value is ArgumentValue {
  if (Array.isArray(value)) return value.every((each) => typeof each === 'number' || isArgumentValue(each));
  return ['number', 'boolean', 'string'].includes(typeof value);
}

/** Reasons why the chains of files may not belong to one fit, and parts of the files that were not read. */
export function importRemarks(found: readonly FoundChains[]): readonly string[] {
  return [
    ...differencesOf(found.flatMap(separately)),
    ...found.flatMap(({ path, warnings }) => warnings.map((text) => `${path}: ${text}.`)),
  ];
}

/** The chains of a file, each with its file's origin. */
function separately({ chains, columns, origin, path }: FoundChains) {
  return chains.map(({ draws, values }) => {
    const { length } = columns;
    const rows = [values.subarray(0, length), values.subarray(Math.max(length, values.length - length))];
    return { path, origin, draws, fingerprint: fingerprintOf(columns, rows) };
  });
}
