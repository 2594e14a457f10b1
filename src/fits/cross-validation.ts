/** Leave-one-out cross-validation of a fit, from draws of the log likelihood of each observation. */

import { type Statement, write } from '../base/statement.js';
import { LOG_LIKELIHOOD_OF, TERMS_OF } from '../derive/derived-names.js';
import { displayName } from '../formats/columns.js';
import { pool } from '../inference/diagnostics/chains.js';
import { listed, namesOf, rounded } from '../inference/diagnostics/words.js';
import {
  type CrossValidation,
  crossValidate,
  type LeftOut,
  leaveOneOut,
} from '../inference/validation/leave-one-out.js';
import { RequestError } from '../requests/request-error.js';
import { LOO_SENTENCES } from './loo-sentences.js';
import type { ObservedVariable } from './observed-variables.js';
import type { NamedDraws } from './statistics.js';

/** An observation with the name of its log likelihood. */
export interface Observation extends LeftOut {
  readonly name: string;
}

/** Estimates for left-out observations, or the reason why they cannot be computed. */
export type LeftOutColumns = { readonly observations: readonly Observation[] } | { readonly refused: string };

/** Log likelihoods from which no observation can be left out. `reason` has no final stop, like all messages of fields. */
export class UnusableLogLikelihood extends RequestError {
  constructor(field: string, reason: string) {
    super([{ field, message: reason }], `${reason}.`);
  }
}

/** Indexes of the columns with log likelihoods that were derived from a program, each followed by the column that marks outcomes. */
export function derivedPlaces(columns: readonly string[]): readonly (readonly number[])[] {
  const places = new Map(columns.map((name, place) => [name, place]));
  return columns.flatMap((name, place) => {
    if (!name.startsWith(LOG_LIKELIHOOD_OF)) return [];
    const mark = places.get(TERMS_OF + name.slice(LOG_LIKELIHOOD_OF.length));
    return [mark === undefined ? [place] : [place, mark]];
  });
}

/**
 * Computes the estimates for the left-out observation of each column. Log likelihoods must be finite. Columns listed by `derivedPlaces` are
 * recognized by their names; elements that are not outcomes are skipped.
 */
export function leaveOut(columns: readonly NamedDraws[]): LeftOutColumns {
  const marks = new Map(
    columns.flatMap(({ chains, name }) => (name.startsWith(TERMS_OF) ? [[name, pool(chains)] as const] : [])),
  );
  const observations: Observation[] = [];
  for (const { chains, name } of columns) {
    if (name.startsWith(TERMS_OF)) continue;
    const isDerived = name.startsWith(LOG_LIKELIHOOD_OF);
    const own = isDerived ? name.slice(LOG_LIKELIHOOD_OF.length) : name;
    const mark = isDerived ? marks.get(TERMS_OF + own) : undefined;
    if (mark?.some((value) => value !== mark[0]) === true) return { refused: dependent(displayName(own)) };
    if (mark?.[0] === 0) continue;
    const draws = pool(chains);
    const wrong = draws.filter((value) => !Number.isFinite(value));
    const shown = isDerived ? `The log likelihood of ${displayName(own)}` : displayName(name);
    if (wrong.length > 0) return { refused: notFinite(shown, wrong, draws.length) };
    observations.push({ name: own, ...leaveOneOut(chains) });
  }
  return { observations };
}

function dependent(name: string): string {
  return `${name} is an outcome only in some draws, because of a condition on parameters, so it cannot be left out`;
}

function notFinite(name: string, [first, ...others]: Float64Array, draws: number): string {
  return (
    `${name} is ${first} in ${others.length + 1} of ${draws} draws: an observation can be left out where its log likelihood is ` +
    'finite in every draw. Check how the program computes it'
  );
}

export interface LeaveOneOut extends CrossValidation {
  readonly observations: readonly Observation[];
  /** Outcomes, and other data variables with one number per observation; absent if program and data are unknown. */
  readonly observed?: readonly ObservedVariable[];
  /** Whether all estimates are reliable. */
  readonly ok: boolean;
  /** The result as text, with advice. */
  readonly message: string;
  /** The sentences of the message. */
  readonly statements: readonly Statement[];
}

/** Combines the results of all observations; `draws` is the number of draws from which they were computed. */
export function concludeLeavingOut(observations: readonly Observation[], draws: number): LeaveOneOut {
  const validation = crossValidate(observations, draws);
  const unreliable = validation.unreliable.map((place) => {
    const { name, ...observation } = observations[place];
    return { name: displayName(name), ...observation };
  });
  const statements = reliability(unreliable, observations.length, rounded(validation.greatestK));
  return {
    ...validation,
    observations,
    ok: unreliable.length === 0,
    message: write(LOO_SENTENCES, statements),
    statements,
  };
}

/** The result with the names of observations in the form of tables, `y[3]`. */
export function withDisplayNames(loo: LeaveOneOut): LeaveOneOut {
  return { ...loo, observations: loo.observations.map((each) => ({ ...each, name: displayName(each.name) })) };
}

type LooStatement = Statement<keyof typeof LOO_SENTENCES>;

function reliability(unreliable: readonly Observation[], all: number, limit: string): readonly LooStatement[] {
  if (unreliable.length === 0) return [{ key: 'looGood', values: { limit } }];
  const unknown = unreliable.filter(({ paretoK }) => Number.isNaN(paretoK));
  const high = unreliable
    .filter(({ paretoK }) => !Number.isNaN(paretoK))
    .map(({ name, paretoK }) => ({ name, value: paretoK }))
    .sort((a, b) => b.value - a.value);
  return [
    ...(high.length > 0 ? [{ key: 'looHigh', values: { limit, all, ...listed(high) } } as const] : []),
    ...(unknown.length > 0 ? [{ key: 'looUnknown', values: { all, ...namesOf(unknown) } } as const] : []),
  ];
}
