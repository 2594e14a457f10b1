import Negotiator from 'negotiator';
import type { FitContents } from '../../fit-files/contents.js';
import { columnNames, type FitFormat, type FitPart } from '../../fit-files/parts.js';
import { csvHeader } from '../../formats/csv.js';
import { csvConfiguration } from '../../formats/csv-configuration.js';
import { leadingRowsOf } from '../../formats/leading-rows.js';
import { blocksComment } from '../../formats/program-blocks.js';
import type { OperationRecord } from '../store/operation-record.js';
import { fitName } from '../store/operation-resource.js';
import { type ChainRange, countsOf, type FitSelection } from '../threads/selection.js';

/** Formats in which a fit can be sent, by media type. The first is the default. */
const FORMATS: ReadonlyMap<string, FitFormat> = new Map([
  ['text/plain; charset=utf-8', 'ndjson'],
  ['application/x-ndjson', 'ndjson'],
  ['text/csv; charset=utf-8', 'csv'],
  ['application/vnd.apache.arrow.stream', 'arrow'],
]);

export const FIT_TYPES = [...FORMATS.keys()];

/** The format and media type that a query names, or that an Accept header prefers. */
export function formatOf(
  named: FitFormat | undefined,
  accept: string | undefined,
): { readonly format: FitFormat; readonly type: string } {
  const types = FIT_TYPES.filter((type) => named === undefined || FORMATS.get(type) === named);
  const type = new Negotiator({ headers: { accept } }).mediaType(types) ?? types[0];
  return { format: FORMATS.get(type) ?? 'ndjson', type };
}

interface Opened {
  readonly contents: FitContents;
  readonly record: OperationRecord;
  readonly selection: FitSelection;
}

/** The text before the draws. */
export function openingOf(format: FitFormat, { contents, record: stored, selection }: Opened): FitPart[] {
  if (format === 'ndjson') return [];
  const record = asRun(stored);
  const chains = selection.chains.map(({ chain }) => chain.id);
  if (format === 'csv') {
    const names = columnNames(contents, selection.columns);
    const withoutMethod = selection.chains.some((range) => lacksKeyRow(record.function, range));
    const configuration = csvConfiguration(asSent(record, selection), record.modelId, chains, { withoutMethod });
    return [{ kind: 'text', text: configuration + blocksComment(contents.outputs) + csvHeader(names) }];
  }
  const about = {
    fit: fitName(record),
    function: record.function,
    arguments: record.arguments,
    random_seed: record.seed,
    chains: selection.chains.map((range) => ({ chain: range.chain.id, ...countsOf(range) })),
    outputs: contents.outputs,
  };
  return [{ kind: 'schema', metadata: { leapfrog: JSON.stringify(about) } }];
}

/** The request of a run. If the run was stopped by a rule, the number of iterations is the actual one. */
function asRun(record: OperationRecord): OperationRecord {
  const { stopped } = record;
  if (stopped === undefined) return record;
  return { ...record, arguments: { ...record.arguments, num_samples: stopped.iterations } };
}

/**
 * Whether a range excludes a row whose position in the chain has a meaning for readers of CSV: the mean of an
 * approximation (the first row) or the optimum (the last row).
 */
function lacksKeyRow(functionName: string, { chain, from, to }: ChainRange): boolean {
  switch (leadingRowsOf(functionName)) {
    case 'first':
      return from > 0;
    case 'all but the last':
      return to < chain.warmup + chain.draws;
    default:
      return false;
  }
}

/**
 * The request with the numbers of draws in the selection, because readers of CSV expect the header to agree with the
 * file.
 */
function asSent(record: OperationRecord, { chains, isRange }: FitSelection): OperationRecord {
  const [range] = chains;
  if (!isRange || range === undefined) return record;
  return { ...record, arguments: { ...record.arguments, ...countArguments(record, range) } };
}

/** The arguments of a request that determine the number of rows of a range. */
function countArguments(
  { arguments: given, function: name }: OperationRecord,
  range: ChainRange,
): OperationRecord['arguments'] {
  const { draws, warmup } = countsOf(range);
  if (given.save_iterations === true) return { save_iterations: warmup > 0 };
  if (leadingRowsOf(name) === 'first') return { output_samples: draws };
  if (!name.includes('::sample::')) return {};
  const { num_thin: thin = 1 } = given;
  const iterations = (count: number) => count * Number(thin);
  return {
    save_warmup: warmup > 0,
    ...(draws !== range.chain.draws && { num_samples: iterations(draws) }),
    ...(warmup > 0 && warmup !== range.chain.warmup && { num_warmup: iterations(warmup) }),
  };
}
