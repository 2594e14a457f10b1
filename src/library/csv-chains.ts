/** Reads chains from CmdStan's CSV files. */

import { stateInTexts } from '../chain/sampler-state.js';
import { missingDraws, refuseDiagnostics } from '../formats/csv-draws.js';
import { csvRequest } from '../formats/csv-request.js';
import { countLeadingRows, leadingRowsAmong } from '../formats/leading-rows.js';
import { type CsvEntry, csvChains, endOfWarmup, readStanCsv } from '../formats/stan-csv.js';
import { adaptedIn } from './chain-details.js';
import type { FitChain } from './fit.js';

type Comment = FitChain['comments'][number];

/** A chain's draws with these columns in this order; undefined if the file has other columns. */
export function readChain(text: string, id: number, saved: number, columns: readonly string[]): FitChain | undefined {
  const { columns: found, entries } = readStanCsv(text.split(/\r?\n/));
  const places = columns.map((name) => found.indexOf(name));
  if (found.length !== columns.length || places.includes(-1)) return undefined;
  return chainOf(entries, id, saved, places);
}

/** The chains of another program's file, with its comments and column names. */
export function readChains(text: string, firstId: number) {
  const { head, columns, entries } = readStanCsv(text.split(/\r?\n/));
  refuseDiagnostics(head, columns);
  const places = [...columns.keys()];
  const { function: name } = csvRequest(head);
  const found = csvChains(entries);
  const chains = found.map((own, index) => {
    const end = endOfWarmup(own);
    const state = stateInTexts(own.flatMap((entry) => (entry.kind === 'remark' ? [entry.text] : [])));
    const chain = chainOf(own, firstId + index, Math.max(0, end), places);
    const leading = countLeadingRows(leadingRowsAmong(columns, own, name), chain.draws);
    // Elements of a dense metric, or of a diagonal one, determine its form; those of a low-rank metric do not.
    const isKnown = state !== undefined && state.metric !== 'low_rank';
    const adapted = isKnown ? adaptedIn(state, Math.sqrt(state.inverseMetric.length)) : undefined;
    return { ...chain, warmup: chain.warmup + leading, draws: chain.draws - leading, state, adapted };
  });
  return { head, columns, chains, warnings: found.flatMap((own) => missingDraws(head, own) ?? []) };
}

function chainOf(entries: readonly CsvEntry[], id: number, saved: number, places: readonly number[]): FitChain {
  const rows = entries.flatMap((entry) => (entry.kind === 'draw' ? [entry.values] : []));
  const values = new Float64Array(rows.length * places.length);
  for (const [row, numbers] of rows.entries()) {
    for (const [column, place] of places.entries()) values[row * places.length + column] = numbers[place] ?? Number.NaN;
  }
  const comments: Comment[] = [];
  let before = 0;
  for (const entry of entries) {
    if (entry.kind === 'draw') before++;
    else comments.push({ before, event: { kind: 'remark', chain: id, text: entry.text } });
  }
  const warmup = Math.min(rows.length, Math.max(0, saved));
  return {
    id,
    warmup,
    draws: rows.length - warmup,
    values,
    comments,
    diagnostics: new Float64Array(),
    initial: undefined,
    adapted: undefined,
  };
}
