/** A chain of a fit from CmdStan's CSV. */
import type { FitChain } from 'leapfrog';
import { readStanCsv } from '#engine/run/stan-csv.js';

type Comment = FitChain['comments'][number];

/** A chain's draws; undefined where the file is not one of so many columns. */
export function readChain(text: string, id: number, saved: number, columns: number): FitChain | undefined {
  const { columns: found, entries } = readStanCsv(text.split(/\r?\n/));
  if (found.length !== columns) return undefined;
  const rows = entries.flatMap((entry) => (entry.kind === 'draw' ? [entry.values] : []));
  const values = new Float64Array(rows.length * columns);
  for (const [row, numbers] of rows.entries()) values.set(numbers, row * columns);
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
