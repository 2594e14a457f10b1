/** What a chain of a fit has besides its rows, as JSON: fits in files and in other processes are opened with it. */
import type { AdaptedSettings } from '../chain/request.js';
import { readSamplerState, type SamplerState } from '../chain/sampler-state.js';
import type { FitChain } from './fit.js';
import type { Comment } from './fit-csv.js';

type Details = Pick<FitChain, 'adapted' | 'comments' | 'initial' | 'state'>;

/** A line of a comment, or a logged text. */
type Line = { readonly before: number; readonly text: string } | { readonly before: number; readonly log: string };

/** A value for `JSON.stringify`. A sampler's state contains its step size and metric, which are not repeated. */
export function chainDetails({ adapted, comments, initial, state }: FitChain): object {
  return {
    ...(state !== undefined && { state }),
    ...(state === undefined && adapted !== undefined && { adapted }),
    ...(initial !== undefined && { initial: [...initial] }),
    comments: comments.flatMap(linesOf),
  };
}

function linesOf({ before, event }: Comment): readonly Line[] {
  if (event.kind === 'log') return [{ before, log: event.text }];
  return (event.kind === 'adaptation' ? event.text : [event.text]).map((text) => ({ before, text }));
}

/** Reads a value of `chainDetails`. Invalid members are ignored. */
export function readChainDetails(value: unknown, chain: number): Details {
  const { adapted, comments, initial, state: given } = membersOf(value);
  const state = readSamplerState(given);
  const point = isNumbers(initial) ? Float64Array.from(initial) : undefined;
  return {
    initial: point,
    state,
    adapted: state === undefined ? readAdapted(adapted) : adaptedIn(state, state.names?.length ?? point?.length ?? 0),
    comments: Array.isArray(comments) ? comments.flatMap((each) => readLine(each, chain)) : [],
  };
}

function readLine(value: unknown, chain: number): readonly Comment[] {
  const { before, log, text } = membersOf(value);
  if (typeof before !== 'number') return [];
  if (typeof log === 'string') return [{ before, event: { kind: 'log', chain, level: 'info', text: log } }];
  return typeof text === 'string' ? [{ before, event: { kind: 'remark', chain, text } }] : [];
}

function readAdapted(value: unknown): AdaptedSettings | undefined {
  const { inv_metric: metric, stepsize } = membersOf(value);
  if (typeof stepsize !== 'number') return undefined;
  if (isNumbers(metric)) return { stepsize, inv_metric: metric };
  return Array.isArray(metric) && metric.every(isNumbers) ? { stepsize, inv_metric: metric } : { stepsize };
}

/**
 * Step size and metric of a sampler, in the form of its arguments. `dimension` is the number of unconstrained
 * parameters.
 */
export function adaptedIn({ inverseMetric, metric, stepsize }: SamplerState, dimension: number): AdaptedSettings {
  if (metric === 'unit_e') return { stepsize };
  if (metric === 'diag_e') return { stepsize, inv_metric: [...inverseMetric] };
  const rows = dimension === 0 ? 0 : inverseMetric.length / dimension;
  const row = (index: number) => inverseMetric.slice(index * dimension, (index + 1) * dimension);
  return { stepsize, inv_metric: Array.from({ length: rows }, (_, index) => row(index)) };
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'number');
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
