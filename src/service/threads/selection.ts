/** The chains, draws and columns that a query selects from a fit. */

import type { ChainContents, FitContents } from '../../fit-files/contents.js';
import { placesOf, splitNames, variableOf } from '../../formats/columns.js';
import { type ErrorDetail, problems } from '../errors.js';

export interface FitQuery {
  readonly variables?: string;
  readonly warmup?: string;
  readonly chain?: string;
  readonly first?: string;
  readonly last?: string;
}

export interface FitSelection {
  /** Indexes of the columns; absent for all. */
  readonly columns?: readonly number[];
  readonly chains: readonly ChainRange[];
  /** Whether the selection excludes draws. */
  readonly isRange: boolean;
}

/** A range of a chain's draws, from `from` up to but excluding `to`, counted from 0 including warmup. */
export interface ChainRange {
  readonly chain: ChainContents;
  readonly from: number;
  readonly to: number;
}

/** Numbers of draws in a range during and after warmup. */
export function countsOf({ chain, from, to }: ChainRange): { readonly warmup: number; readonly draws: number } {
  const warmup = Math.max(0, Math.min(to, chain.warmup) - from);
  return { warmup, draws: to - from - warmup };
}

/**
 * Applies a query to a fit. `first` and `last` count from 1 in each chain, including warmup unless `warmup` is false.
 * Throws an error that lists all parts of the query that the fit does not have.
 */
export function selectFrom(contents: FitContents, query: FitQuery, withWarmup = true): FitSelection {
  const details: ErrorDetail[] = [];
  const chains = contents.chains.filter(({ id }) => query.chain === undefined || id === Number(query.chain));
  if (chains.length === 0) details.push(chainProblem(contents.chains.map(({ id }) => id)));
  const wanted = query.variables === undefined ? undefined : wantedColumns(query.variables, contents.columns);
  if (wanted !== undefined && 'problem' in wanted) details.push(wanted.problem);
  const first = Number(query.first ?? 1);
  const last = query.last === undefined ? Number.POSITIVE_INFINITY : Number(query.last);
  if (last < first) details.push({ field: '/last', message: 'must not be less than first' });
  if (details.length > 0) throw problems.invalidRequest(details);

  const includesWarmup = query.warmup === undefined ? withWarmup : query.warmup === 'true';
  const ranges = chains.map((chain): ChainRange => {
    const start = includesWarmup ? 0 : chain.warmup;
    const end = chain.warmup + chain.draws;
    return { chain, from: Math.min(end, start + first - 1), to: Math.min(end, start + last) };
  });
  const isRange = !includesWarmup || query.first !== undefined || query.last !== undefined;
  return { ...(wanted && 'places' in wanted && { columns: wanted.places }), chains: ranges, isRange };
}

export function chainProblem(ids: readonly number[]): ErrorDetail {
  return { field: '/chain', message: `must be one of ${ids.join(', ')}` };
}

/** Indexes of the columns with these names, in ascending order, or the names that do not exist. */
export function wantedColumns(
  variables: string,
  columns: readonly string[],
): { readonly places: readonly number[] } | { readonly problem: ErrorDetail } {
  const wanted = splitNames(variables).map((name) => ({ name, places: placesOf(name, columns) }));
  const unknown = wanted.filter(({ places }) => places.length === 0).map(({ name }) => name);
  if (unknown.length === 0) {
    return { places: [...new Set(wanted.flatMap(({ places }) => places))].sort((a, b) => a - b) };
  }
  const known = [...new Set(columns.map(variableOf))].join(', ');
  const message = `names ${unknown.join(', ')}, which the fit lacks; it has ${known}`;
  return { problem: { field: '/variables', message } };
}
