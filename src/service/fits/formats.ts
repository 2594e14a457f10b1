import Negotiator from 'negotiator';
import { fitName, type OperationRecord } from '../jobs/operation-record.js';
import { csvHeader } from './csv.js';
import { csvConfiguration } from './csv-configuration.js';
import type { FitFormat, FitPart } from './parts.js';
import { columnNames, type FitContents } from './reading.js';
import type { FitSelection } from './selection.js';

/** What a fit can be sent as, by media type; the first one goes to who does not choose. */
const FORMATS: ReadonlyMap<string, FitFormat> = new Map([
  ['text/plain; charset=utf-8', 'ndjson'],
  ['application/x-ndjson', 'ndjson'],
  ['text/csv; charset=utf-8', 'csv'],
  ['application/vnd.apache.arrow.stream', 'arrow'],
]);

export const FIT_TYPES = [...FORMATS.keys()];

/** The format that a query names or, without one, that an Accept header prefers, and its media type. */
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

/** What stands before the draws. */
export function openingOf(format: FitFormat, { contents, record, selection }: Opened): FitPart[] {
  if (format === 'ndjson') return [];
  const chains = selection.chains.map(({ chain }) => chain.id);
  if (format === 'csv') {
    const names = columnNames(contents, selection.columns);
    return [{ kind: 'text', text: csvConfiguration(record, record.modelId, chains) + csvHeader(names) }];
  }
  const about = {
    fit: fitName(record),
    function: record.function,
    arguments: record.arguments,
    random_seed: record.seed,
    chains: contents.chains.map(({ id, warmup, draws }) => ({ chain: id, warmup, draws })),
  };
  return [{ kind: 'schema', metadata: { leapfrog: JSON.stringify(about) } }];
}
