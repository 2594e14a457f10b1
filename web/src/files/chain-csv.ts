/** A chain of a fit from CmdStan's CSV. */
import type { FitChain } from 'leapfrog';
import { readStanCsv } from '#engine/run/stan-csv.js';

type Comment = FitChain['comments'][number];

/** A chain's draws with these columns, in whatever order the file has them; undefined where it has not just these. */
export function readChain(text: string, id: number, saved: number, columns: readonly string[]): FitChain | undefined {
  const { columns: found, entries } = readStanCsv(text.split(/\r?\n/));
  const places = columns.map((name) => found.indexOf(name));
  if (found.length !== columns.length || places.includes(-1)) return undefined;
  const rows = entries.flatMap((entry) => (entry.kind === 'draw' ? [entry.values] : []));
  const values = new Float64Array(rows.length * columns.length);
  for (const [row, numbers] of rows.entries()) {
    for (const [column, place] of places.entries())
      values[row * columns.length + column] = numbers[place] ?? Number.NaN;
  }
  const comments: Comment[] = [];
  let before = 0;
  for (const entry of entries) {
    if (entry.kind === 'draw') before++;
    else comments.push({ before, event: { kind: 'remark', chain: id, text: entry.text } });
  }
  const warmup = Math.min(rows.length, Math.max(0, saved));
  return {
    ...{ id, warmup, draws: rows.length - warmup, values, comments },
    ...{ diagnostics: new Float64Array(), initial: undefined, adapted: undefined },
  };
}
