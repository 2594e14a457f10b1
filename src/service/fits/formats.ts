import Negotiator from 'negotiator';
import { csvHeader } from '../../run/csv.js';
import { csvConfiguration } from '../../run/csv-configuration.js';
import type { OperationRecord } from '../jobs/operation-record.js';
import { fitName } from '../jobs/operation-resource.js';
import { columnNames, type FitFormat, type FitPart } from './parts.js';
import type { FitContents } from './reading.js';
import { countsOf, type FitSelection } from './selection.js';

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
    const configuration = csvConfiguration(asSent(record, selection), record.modelId, chains);
    return [{ kind: 'text', text: configuration + csvHeader(names) }];
  }
  const about = {
    fit: fitName(record),
    function: record.function,
    arguments: record.arguments,
    random_seed: record.seed,
    chains: selection.chains.map((range) => ({ chain: range.chain.id, ...countsOf(range) })),
  };
  return [{ kind: 'schema', metadata: { leapfrog: JSON.stringify(about) } }];
}

/** The request of a run that has stopped by itself, with the number of its iterations. */
function asRun(record: OperationRecord): OperationRecord {
  const { stopped } = record;
  if (stopped === undefined) return record;
  return { ...record, arguments: { ...record.arguments, num_samples: stopped.iterations } };
}

/** A sampler's request with the numbers of draws that are sent, because readers of CSV expect the header to agree with the file. */
function asSent(record: OperationRecord, { chains, isRange }: FitSelection): OperationRecord {
  const [range] = chains;
  if (!isRange || range === undefined || !record.function.includes('::sample::')) return record;
  const { draws, warmup } = countsOf(range);
  const { num_thin: thin = 1 } = record.arguments;
  const iterations = (count: number) => count * Number(thin);
  const counts = {
    save_warmup: warmup > 0,
    ...(draws !== range.chain.draws && { num_samples: iterations(draws) }),
    ...(warmup > 0 && warmup !== range.chain.warmup && { num_warmup: iterations(warmup) }),
  };
  return { ...record, arguments: { ...record.arguments, ...counts } };
}
