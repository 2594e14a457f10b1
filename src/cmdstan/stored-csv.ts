/** Draws in CSV files as inputs of a run. */

import type { SavedDraw, StoredDraws } from '../chain/request.js';
import { readStanCsv, type StanCsv } from '../formats/stan-csv.js';
import { Failure } from './failure.js';
import { readTextFile } from './input-files.js';

/** A CSV file with draws. Throws `Failure` if it cannot be parsed. */
export function readCsvFile(path: string): StanCsv {
  const lines = readTextFile(path).split(/\r?\n/);
  try {
    return readStanCsv(lines);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(`Error reading fitted param names from sample csv file "${path}"\n${reason}`);
  }
}

/** The draws of a file as one chain, including warmup, as in CmdStan. */
export function storedDraws({ columns, entries }: StanCsv): StoredDraws {
  const draws = entries.flatMap((entry): SavedDraw[] =>
    entry.kind === 'draw' ? [{ values: entry.values, diagnostic: undefined }] : [],
  );
  return {
    columns,
    diagnosticColumns: [],
    chains: [{ id: 1, chain: undefined, draws: draws.length }],
    state: () => undefined,
    *read(_id, from = 0) {
      yield* draws.slice(from);
    },
  };
}
