/** Reads chains from Arrow tables of the command line, the server and other programs. */
import { append } from '../collections/multimap.js';
import type { DrawsFile, FileChain } from './draws-file.js';
import { leadingRowsIn } from './leading-rows.js';

/** The part of an Arrow table that is read, in the form of the package apache-arrow. */
export interface DrawTable {
  readonly schema: {
    readonly fields: readonly { readonly name: string }[];
    readonly metadata: ReadonlyMap<string, string>;
  };
  readonly numRows: number;
  getChild(name: string): { toArray(): ArrayLike<unknown> } | null;
}

/** The column with the chain of each row; absent in tables with one chain. */
const CHAIN_COLUMN = 'chain__';

/** Reads the chains of a table, and the run in its metadata. */
export function arrowDraws(table: DrawTable): DrawsFile {
  const { hasWarmup, only, warmup, request, origin } = metadataIn(table.schema.metadata.get('leapfrog'));
  const columns = table.schema.fields.map(({ name }) => name).filter((name) => name !== CHAIN_COLUMN);
  const numbers = columns.map((name) => numbersIn(table, name) ?? new Float64Array(table.numRows).fill(Number.NaN));
  const ids = numbersIn(table, CHAIN_COLUMN);
  const rows = new Map<number, number[]>();
  for (let row = 0; row < table.numRows; row++) {
    const id = ids?.[row] ?? only;
    append(rows, id, row);
  }
  const chains = [...rows].map(([id, own]): FileChain => {
    const values = new Float64Array(own.length * columns.length);
    for (const [place, row] of own.entries()) {
      for (const [column, all] of numbers.entries()) values[place * columns.length + column] = all[row];
    }
    const first = values.subarray(0, columns.length);
    // Tables of other programs may start with rows that are not draws, like CmdStan's files.
    const leadingRows = hasWarmup ? undefined : leadingRowsIn(columns, first);
    return { id, values, warmup: Math.min(own.length, warmup.get(id) ?? 0), leadingRows };
  });
  return { columns, chains: chains.sort((a, b) => a.id - b.id), request, origin, warnings: [] };
}

function numbersIn(table: DrawTable, name: string): Float64Array | undefined {
  const column = table.getChild(name);
  return column === null ? undefined : Float64Array.from(column.toArray(), Number);
}

interface Known extends Pick<DrawsFile, 'request' | 'origin'> {
  /** Whether the metadata contain the numbers of warmup draws. */
  readonly hasWarmup: boolean;
  /** Number of warmup draws by chain. */
  readonly warmup: ReadonlyMap<number, number>;
  /** The chain of a table with one chain. */
  readonly only: number;
}

function metadataIn(text: string | undefined): Known {
  const value: unknown = text === undefined ? {} : JSON.parse(text);
  const record = isRecord(value) ? value : {};
  const own = (name: string) => (typeof record[name] === 'string' ? record[name] : undefined);
  const chains = Array.isArray(record.chains) ? record.chains.filter(isRecord) : [];
  const warmup = new Map(chains.map((each) => [Number(each.chain), Number(each.warmup) || 0]));
  const [only = 1] = warmup.keys();
  return {
    hasWarmup: chains.length > 0,
    warmup,
    only,
    request: { function: own('function'), arguments: isRecord(record.arguments) ? record.arguments : {} },
    origin: { program: own('program'), data: own('data'), run: own('run') },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
