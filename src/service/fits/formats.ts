import { fitName, type OperationRecord } from '../jobs/operation-record.js';
import { csvHeader } from './csv.js';
import { csvConfiguration } from './csv-configuration.js';
import type { FitFormat, FitPart } from './parts.js';
import { columnNames, type FitContents } from './reading.js';
import type { FitSelection } from './selection.js';

export const MEDIA_TYPES = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  arrow: 'application/vnd.apache.arrow.stream',
} as const;

/** The format that a query names or, without one, that an Accept header prefers. */
export function formatOf(named: FitFormat | undefined, accept: string | undefined): FitFormat {
  if (named !== undefined) return named;
  const ranges = (accept ?? '').split(',').map((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { format: formatOfType(type), quality: quality === undefined ? 1 : Number(quality) };
  });
  const known = ranges.filter(({ format, quality }) => format !== undefined && quality > 0);
  return known.sort((a, b) => b.quality - a.quality)[0]?.format ?? 'ndjson';
}

function formatOfType(type: string): FitFormat | undefined {
  if (type === 'text/csv') return 'csv';
  if (type === MEDIA_TYPES.arrow) return 'arrow';
  return [MEDIA_TYPES.ndjson, 'text/plain', 'application/json', '*/*', 'text/*'].includes(type) ? 'ndjson' : undefined;
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
