/**
 * A fit in one file: an Arrow table of its draws, like those of the command line and the server, whose metadata have
 * everything else that later calls require. This file reads and writes the metadata.
 */

import type { ProgramSource } from '../chain/compiler.js';
import type { DrawsFile } from '../fits/draws-file.js';
import { readStop, type Stopped } from '../requests/until.js';
import { chainDetails, readChainDetails } from './chain-details.js';
import type { Asked, FitContents } from './fit.js';

/** What a saved fit has besides its draws and `FitContents`. */
export interface SavedOrigin {
  /** The program; undefined if it is not known. */
  readonly source: ProgramSource | undefined;
  /** The data as JSON text; undefined if they are not known. */
  readonly data: string | undefined;
  /** Whether the run was completed. */
  readonly isWhole: boolean;
}

export interface SavedFit extends SavedOrigin {
  readonly asked: Partial<Pick<Asked, 'created' | 'until'>>;
  readonly stopped: Stopped | undefined;
  readonly diagnosticColumns: readonly string[];
  /** By the chains' ids in the file. */
  readonly details: ReadonlyMap<number, ReturnType<typeof readChainDetails>>;
}

/** The format of the members of the metadata that only saved fits have. */
const FORMAT = 1;

/** The metadata of the table. */
export function savedFitText(contents: FitContents, { data, isWhole, source }: SavedOrigin): string {
  const { asked, chains, diagnosticColumns, outputs, program, stopped } = contents;
  const { until, ...request } = asked;
  return JSON.stringify({
    ...request,
    outputs: outputs.map(({ block, name }) => ({ name, block })),
    program,
    chains: chains.map((chain) => {
      const { draws, id, warmup } = chain;
      return { chain: id, warmup, draws, ...chainDetails(chain) };
    }),
    saved_fit: FORMAT,
    diagnostic_columns: diagnosticColumns,
    complete: isWhole,
    ...(until !== undefined && { until }),
    ...(stopped !== undefined && { stopped }),
    ...(source !== undefined && { source }),
    ...(data !== undefined && { data_json: data }),
  });
}

/** The saved fit in a file; undefined for other files with draws. Throws an `Error` for a later format. */
export function savedFitIn({ record = {} }: DrawsFile): SavedFit | undefined {
  const { chains, complete, created, data_json: data, diagnostic_columns: columns, saved_fit: format } = record;
  if (format === undefined) return undefined;
  if (format !== FORMAT) throw new Error('it was saved by a later version of Leapfrog');
  const { source, stopped, until } = record;
  const described = Array.isArray(chains) ? chains.map((each: unknown) => ({ ...Object(each) })) : [];
  return {
    source: readSource(source),
    data: typeof data === 'string' ? data : undefined,
    isWhole: complete !== false,
    asked: { ...(typeof created === 'string' && { created }), ...(isUntil(until) && { until }) },
    stopped: readStop(stopped),
    diagnosticColumns: Array.isArray(columns) ? columns.filter((each) => typeof each === 'string') : [],
    details: new Map(described.map((each) => [Number(each.chain), readChainDetails(each, Number(each.chain))])),
  };
}

function readSource(value: unknown): ProgramSource | undefined {
  const { includes, name, program }: Readonly<Record<string, unknown>> = { ...Object(value) };
  if (typeof program !== 'string') return undefined;
  const texts = Object.entries(Object(includes)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { program, includes: Object.fromEntries(texts), ...(typeof name === 'string' && { name }) };
}

function isUntil(value: unknown): value is NonNullable<Asked['until']> {
  return typeof value === 'object' && value !== null && 'block' in value && typeof value.block === 'number';
}
