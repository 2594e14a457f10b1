/** Comparison of fits by leave-one-out cross-validation, which requires that they have the same observations. */

import { type Statement, write } from '../base/statement.js';
import { displayName, variableOf } from '../formats/columns.js';
import { rounded } from '../inference/diagnostics/words.js';
import { type Compared, cautionStatements, cautions, compareModels } from '../inference/validation/comparison.js';
import { RequestError } from '../requests/request-error.js';
import { COMPARISON_SENTENCES, RELIABILITY_SENTENCES } from './comparison-sentences.js';
import type { LeaveOneOut } from './cross-validation.js';
import type { ObservedVariable } from './observed-variables.js';

/** A fit with its name in the comparison. */
export interface ComparedFit extends Pick<LeaveOneOut, 'greatestK' | 'observations' | 'observed' | 'unreliable'> {
  readonly name: string;
}

export interface Comparison {
  /** Models, best first. */
  readonly models: readonly Compared[];
  /** Cautions about the reliability of the numbers, one sentence each. */
  readonly cautions: readonly string[];
  /** The cautions as data, for translation. */
  readonly statements: readonly Statement[];
}

export type Incomparable = Statement<keyof typeof COMPARISON_SENTENCES>;

/** Fits that cannot be compared. The message is the reason in English. */
export class IncomparableFits extends RequestError {
  /** The reason as data, for translation. */
  readonly reason: Incomparable;

  constructor(reason: Incomparable) {
    const text = write(COMPARISON_SENTENCES, [reason]);
    super([{ field: 'models', message: `cannot be compared: ${text}` }], text);
    this.reason = reason;
  }
}

/** Compares the predictive performance of fits of the same observations. Also returns the fits, best first. Throws `IncomparableFits`. */
export function compareFits<Fit extends ComparedFit>(
  fits: readonly Fit[],
): { readonly comparison: Comparison; readonly ranked: readonly Fit[] } {
  requireComparable(fits, differenceBetween);
  const count = fits[0]?.observations.length ?? 0;
  const found = compareModels(fits.map((fit) => ({ fit, name: fit.name, leftOut: fit.observations })));
  const models = found.map(({ compared }) => compared);
  const unreliable = fits.flatMap(unreliableStatements);
  const comparison = {
    models,
    cautions: [...cautions(models, count), ...unreliable.map((each) => write(RELIABILITY_SENTENCES, [each]))],
    statements: [...cautionStatements(models, count), ...unreliable],
  };
  return { comparison, ranked: found.map(({ model }) => model.fit) };
}

function unreliableStatements({ greatestK, name, observations, unreliable }: ComparedFit) {
  if (unreliable.length === 0) return [];
  const values = { name, limit: rounded(greatestK), count: unreliable.length, all: observations.length };
  return [{ key: 'unreliableFit', values } as const];
}

/** Throws `IncomparableFits` for fewer than two fits, and if `difference` finds one between the first fit and another. */
export function requireComparable<Fit extends { readonly name: string }>(
  fits: readonly Fit[],
  difference: (first: Fit, other: Fit) => Incomparable | undefined,
): void {
  const [first, ...others] = fits;
  if (first === undefined || others.length === 0) throw new IncomparableFits({ key: 'fewFits', values: {} });
  for (const other of others) {
    const found = difference(first, other);
    if (found === undefined) continue;
    throw new IncomparableFits({ ...found, values: { first: first.name, other: other.name, ...found.values } });
  }
}

/** Unknown properties count as equal: without the data, only the numbers and names of observations are compared. */
function differenceBetween(first: ComparedFit, other: ComparedFit): Incomparable | undefined {
  const [known, observed] = [first.observations.length, other.observations.length];
  if (known !== observed) return { key: 'otherCount', values: { known, observed } };
  // A program that computes log likelihoods itself may omit some outcomes.
  const isComplete = isDerived(first) && isDerived(other);
  return otherOutcomes(first, other, isComplete) ?? otherElements(first, other) ?? otherValues(first, other);
}

/** The outcomes of a fit with their values, as far as they are known. */
type Outcomes = Pick<ComparedFit, 'observed'>;

/** A difference between known outcomes or their values. If `isComplete`, both fits must have the same outcomes, otherwise a common one. */
export function differenceOfOutcomes(first: Outcomes, other: Outcomes, isComplete: boolean): Incomparable | undefined {
  return otherOutcomes(first, other, isComplete) ?? otherValues(first, other);
}

function otherOutcomes(first: Outcomes, other: Outcomes, isComplete: boolean): Incomparable | undefined {
  const [known, observed] = [outcomesOf(first), outcomesOf(other)];
  if (known.length === 0 || observed.length === 0) return undefined;
  const areSame = isComplete ? known.join() === observed.join() : known.some((name) => observed.includes(name));
  return areSame
    ? undefined
    : { key: 'otherOutcomes', values: { known: known.join(', '), observed: observed.join(', ') } };
}

function otherElements(first: ComparedFit, other: ComparedFit): Incomparable | undefined {
  if (!isDerived(first) || !isDerived(other)) return undefined;
  const [names, others] = [first, other].map(({ observations }) => observations.map(({ name }) => displayName(name)));
  const place = names.findIndex((name, index) => name !== others[index]);
  if (place < 0) return undefined;
  return { key: 'otherElements', values: { place: place + 1, known: names[place], observed: others[place] } };
}

function otherValues({ observed = [] }: Outcomes, other: Outcomes): Incomparable | undefined {
  for (const { name, values } of observed) {
    const own = other.observed?.find((each) => each.name === name)?.values;
    if (values === undefined || own === undefined) continue;
    if (values.length !== own.length) {
      return { key: 'otherSizes', values: { variable: name, known: values.length, observed: own.length } };
    }
    const place = values.findIndex((value, index) => !isSame(value, own[index]));
    if (place < 0) continue;
    return {
      key: 'otherValues',
      values: { variable: name, place: place + 1, known: values[place], observed: own[place] },
    };
  }
  return undefined;
}

function isSame(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

/** Sorted names of the outcomes. */
function outcomesOf({ observed = [] }: Outcomes): readonly string[] {
  return observed
    .filter(({ isOutcome }) => isOutcome)
    .map(({ name }) => name)
    .toSorted();
}

/** Whether observations are named after outcomes, because their log likelihoods were derived from the program. */
function isDerived({ observations, observed = [] }: ComparedFit): boolean {
  const outcomes = new Set(observed.filter(({ isOutcome }) => isOutcome).map(({ name }) => name));
  return observations.every(({ name }) => outcomes.has(variableOf(name)));
}

/** The outcomes after which observations with derived log likelihoods are named, without their values. */
export function namedOutcomes(observations: LeaveOneOut['observations']): readonly ObservedVariable[] {
  const names = new Set(observations.map(({ name }) => variableOf(name)));
  return [...names].map((name) => ({ name, isOutcome: true }));
}
