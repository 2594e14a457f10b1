/** Reads chains from Arrow tables of the command line, the server and other programs. */
import { append } from '../base/multimap.js';
import { readSamplerState, type SamplerState } from '../chain/sampler-state.js';
import { leadingRowsIn } from '../formats/leading-rows.js';
import { readOutputs } from '../formats/program-blocks.js';
import type { DrawsFile, FileChain } from './draws-file.js';

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
export const CHAIN_COLUMN = 'chain__';
/** Start of the names of columns with diagnostics, which only saved fits have. */
export const DIAGNOSTIC_PREFIX = 'diagnostic__.';

/** Reads the chains of a table, and the run in its metadata. */
export function arrowDraws(table: DrawTable): DrawsFile {
  const { hasWarmup, only, outputs, record, states, warmup, request, origin } = metadataIn(
    table.schema.metadata.get('leapfrog'),
  );
  const names = table.schema.fields.map(({ name }) => name).filter((name) => name !== CHAIN_COLUMN);
  const columns = names.filter((name) => !name.startsWith(DIAGNOSTIC_PREFIX));
  const diagnosticColumns = names.filter((name) => name.startsWith(DIAGNOSTIC_PREFIX));
  const numbers = (found: readonly string[]) =>
    found.map((name) => numbersIn(table, name) ?? new Float64Array(table.numRows).fill(Number.NaN));
  const values = numbers(columns);
  const diagnostics = numbers(diagnosticColumns);
  const ids = numbersIn(table, CHAIN_COLUMN);
  const rows = new Map<number, number[]>();
  for (let row = 0; row < table.numRows; row++) {
    const id = ids?.[row] ?? only;
    append(rows, id, row);
  }
  const isSaved = record.saved_fit !== undefined;
  for (const id of isSaved ? warmup.keys() : []) if (!rows.has(id)) rows.set(id, []);
  const chains = [...rows].map(([id, own]): FileChain => {
    const chain = rowsOf(own, values);
    const first = chain.subarray(0, columns.length);
    // Tables of other programs may start with rows that are not draws, like CmdStan's files.
    const leadingRows = hasWarmup ? undefined : leadingRowsIn(columns, first);
    return {
      id,
      values: chain,
      warmup: Math.min(own.length, warmup.get(id) ?? 0),
      leadingRows,
      state: states.get(id),
      ...(diagnostics.length > 0 && { diagnostics: rowsOf(own, diagnostics) }),
    };
  });
  return { columns, outputs, chains: chains.sort((a, b) => a.id - b.id), request, origin, warnings: [], record };
}

/** Rows of columns, row by row. */
function rowsOf(rows: readonly number[], columns: readonly Float64Array[]): Float64Array {
  const values = new Float64Array(rows.length * columns.length);
  for (const [place, row] of rows.entries()) {
    for (const [column, all] of columns.entries()) values[place * columns.length + column] = all[row];
  }
  return values;
}

function numbersIn(table: DrawTable, name: string): Float64Array | undefined {
  const column = table.getChild(name);
  return column === null ? undefined : Float64Array.from(column.toArray(), Number);
}

interface Known extends Pick<DrawsFile, 'outputs' | 'request' | 'origin'> {
  readonly record: Readonly<Record<string, unknown>>;
  /** Whether the metadata contain the numbers of warmup draws. */
  readonly hasWarmup: boolean;
  /** Number of warmup draws by chain. */
  readonly warmup: ReadonlyMap<number, number>;
  /** Final states of samplers by chain. */
  readonly states: ReadonlyMap<number, SamplerState | undefined>;
  /** The chain of a table with one chain. */
  readonly only: number;
}

function metadataIn(text: string | undefined): Known {
  const value: unknown = text === undefined ? {} : JSON.parse(text);
  const record = isRecord(value) ? value : {};
  const own = (name: string) => (typeof record[name] === 'string' ? record[name] : undefined);
  const chains = Array.isArray(record.chains) ? record.chains.filter(isRecord) : [];
  const warmup = new Map(chains.map((each) => [Number(each.chain), Number(each.warmup) || 0]));
  const states = new Map(chains.map((each) => [Number(each.chain), readSamplerState(each.state)]));
  const [only = 1] = warmup.keys();
  return {
    record,
    hasWarmup: chains.length > 0,
    warmup,
    states,
    only,
    outputs: readOutputs(record.outputs),
    request: {
      function: own('function'),
      arguments: {
        ...(isRecord(record.arguments) && record.arguments),
        ...(typeof record.random_seed === 'number' && { random_seed: record.random_seed }),
      },
    },
    origin: { program: own('program'), data: own('data'), run: own('run') },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
