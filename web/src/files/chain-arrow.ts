/** Reads chains from Arrow files of the command line and the server. */
import { tableFromIPC } from 'apache-arrow';
import type { FitChain } from 'leapfrog';
import type { Origin } from '#engine/run/draw-origins.js';
import { countLeadingRows, leadingRowsIn } from '#engine/run/leading-rows.js';
import { isRecord } from '../share/reading.js';

/** The column with the chain of each row. Tables with one chain do not have it. */
const CHAIN_COLUMN = 'chain__';

/** The chains of a table, with the run in its metadata. Throws an `Error` if the file is not an Arrow table of numbers. */
export function readArrow(bytes: Uint8Array, firstId: number) {
  const table = tableFromIPC(bytes);
  const known = metadataIn(table.schema.metadata.get('leapfrog'));
  const columns = table.schema.fields.map(({ name }) => name).filter((name) => name !== CHAIN_COLUMN);
  if (!columns.includes('lp__')) throw new Error('it has no column lp__');
  const numbers = columns.map((name) => Float64Array.from(table.getChild(name)?.toArray() ?? []));
  const owners = table.getChild(CHAIN_COLUMN)?.toArray();
  const rows = new Map<number, number[]>();
  for (let row = 0; row < table.numRows; row++) {
    const owner = owners === undefined ? 1 : Number(owners[row]);
    const own = rows.get(owner);
    if (own === undefined) rows.set(owner, [row]);
    else own.push(row);
  }
  const sorted = [...rows].toSorted(([a], [b]) => a - b);
  const chains = sorted.map(([owner, own], index): FitChain => {
    const values = new Float64Array(own.length * columns.length);
    for (const [place, row] of own.entries()) {
      for (const [column, all] of numbers.entries()) values[place * columns.length + column] = all[row] ?? Number.NaN;
    }
    const saved = known.warmup.get(owners === undefined ? known.only : owner);
    const first = values.subarray(0, columns.length);
    // Tables without these metadata may start with rows that are not draws, like CmdStan's files.
    const leading = known.hasWarmup ? 0 : countLeadingRows(leadingRowsIn(columns, first, undefined), own.length);
    const warmup = Math.min(own.length, (saved ?? 0) + leading);
    return {
      ...{ id: firstId + index, warmup, draws: own.length - warmup, values, comments: [] },
      ...{ diagnostics: new Float64Array(), initial: undefined, adapted: undefined },
    };
  });
  const chain = sorted.length === 1 ? `${owners === undefined ? known.only : sorted[0]?.[0]}` : undefined;
  return { columns, chains, request: known.request, origin: { ...known.origin, chain } };
}

interface Known {
  readonly hasWarmup: boolean;
  readonly request: { readonly function: string | undefined; readonly arguments: Readonly<Record<string, unknown>> };
  readonly origin: Origin;
  /** Number of warmup draws by chain id. */
  readonly warmup: ReadonlyMap<number, number>;
  /** The id of the chain if the table contains only one. */
  readonly only: number;
}

function metadataIn(text: string | undefined): Known {
  const value: unknown = text === undefined ? {} : JSON.parse(text);
  const record = isRecord(value) ? value : {};
  const own = (name: string) => (typeof record[name] === 'string' ? record[name] : undefined);
  const chains = Array.isArray(record.chains) ? record.chains.filter(isRecord) : [];
  const warmup = new Map(chains.map((each) => [Number(each.chain), Number(each.warmup) || 0]));
  const given = isRecord(record.arguments) ? record.arguments : {};
  return {
    hasWarmup: chains.length > 0,
    request: { function: own('function'), arguments: given },
    origin: { program: own('program'), data: own('data'), run: own('run') },
    warmup,
    only: [...warmup.keys()][0] ?? 1,
  };
}
