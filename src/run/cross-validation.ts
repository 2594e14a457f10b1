/** Leave-one-out cross-validation of a fit, from the draws of what it computes as the log likelihood of each observation. */
import { pool } from '../inference/diagnostics/chains.js';
import { listed, named, rounded } from '../inference/diagnostics/words.js';
import {
  type CrossValidation,
  crossValidate,
  type LeftOut,
  leaveOneOut,
} from '../inference/validation/leave-one-out.js';
import { displayName } from './columns.js';
import type { NamedDraws } from './statistics.js';

/** What programs usually call the log likelihood of each observation. */
export const LOG_LIKELIHOOD = 'log_lik';

/** An observation by the name of its log likelihood. */
export interface Observation extends LeftOut {
  readonly name: string;
}

/** Observations left out, or why they cannot be. */
export type LeftOutColumns = { readonly observations: readonly Observation[] } | { readonly refused: string };

/** Leaves out the observation of each column. Log likelihoods must be finite. */
export function leaveOut(columns: readonly NamedDraws[]): LeftOutColumns {
  for (const { chains, name } of columns) {
    const draws = pool(chains);
    const wrong = draws.filter((value) => !Number.isFinite(value));
    if (wrong.length > 0) return { refused: notFinite(displayName(name), wrong, draws.length) };
  }
  return { observations: columns.map(({ chains, name }) => ({ name, ...leaveOneOut(chains) })) };
}

function notFinite(name: string, [first, ...others]: Float64Array, draws: number): string {
  return (
    `${name} is ${first} in ${others.length + 1} of ${draws} draws: an observation can be left out where its log likelihood is ` +
    'finite in every draw. Look at how the program computes it.'
  );
}

export interface LeaveOneOut extends CrossValidation {
  readonly observations: readonly Observation[];
  /** Whether all estimates can be relied on. */
  readonly ok: boolean;
  /** The result as text, with advice. */
  readonly message: string;
}

/** Concludes from all observations and the number of draws that they were made from. */
export function concludeLeavingOut(observations: readonly Observation[], draws: number): LeaveOneOut {
  const validation = crossValidate(observations, draws);
  const unreliable = validation.unreliable.map((place) => observations[place]);
  return {
    ...validation,
    observations,
    ok: unreliable.length === 0,
    message: reliability(unreliable, observations.length, rounded(validation.greatestK)),
  };
}

function reliability(unreliable: readonly Observation[], count: number, greatest: string): string {
  if (unreliable.length === 0) return `All Pareto k are at most ${greatest}: the estimates can be relied on.`;
  const unknown = unreliable.filter(({ paretoK }) => Number.isNaN(paretoK));
  const high = unreliable
    .filter(({ paretoK }) => !Number.isNaN(paretoK))
    .map(({ name, paretoK }) => ({ name, value: paretoK }))
    .sort((a, b) => b.value - a.value);
  const sentences = [
    ...(high.length > 0
      ? [
          `Pareto k is above ${greatest} for ${high.length} of ${count} observations, ${listed(high)}: without them the posterior is ` +
            'another one, and the estimates are too good. Look at these observations, let the model expect such ones, or fit it again ' +
            'without each of them.',
        ]
      : []),
    ...(unknown.length > 0
      ? [
          `Pareto k cannot be estimated for ${unknown.length} of ${count} observations, ${named(unknown)}: there are too few ` +
            'draws, or too many are the same.',
        ]
      : []),
  ];
  return sentences.join(' ');
}
