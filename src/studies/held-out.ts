/** Observations that a program can hold out, their folds, and data that hold out some of them. */

import type { EngineModel, ModelHost } from '../chain/model-host.js';
import { Misfit } from '../chain/refusal.js';
import { HELD_OUT_OF, HELD_OUT_SIZE_OF, LOG_LIKELIHOOD_OF, TERMS_OF } from '../derive/derived-names.js';
import { displayName, splitNames, variableOf } from '../formats/columns.js';
import type { DeclaredOutput } from '../formats/program-blocks.js';
import { isJsonObject, type JsonData, parseStanData, Real, type StanJson } from '../formats/stan-json.js';
import { createRng } from '../inference/random/random-stream.js';
import type { HeldOut } from '../requests/refit-request.js';

/** An observation: an element of an outcome. */
export interface Element {
  /** `y[3]` */
  readonly name: string;
  readonly outcome: string;
  /** Indexes of the element, from 1. */
  readonly indices: readonly number[];
  /** The one-based row-major position of the element in the outcome. */
  readonly number: number;
  /** The column of its log likelihood. */
  readonly column: string;
}

/** Observations that one refit leaves out. */
export interface Fold {
  /** From 1. */
  readonly number: number;
  readonly elements: readonly Element[];
}

/** The outcomes of a program that can leave out observations. */
export function outcomesOf(outputs: readonly DeclaredOutput[]): readonly string[] {
  const names = new Set(outputs.map(({ name }) => variableOf(name)));
  return [...names].flatMap((name) =>
    name.startsWith(LOG_LIKELIHOOD_OF) ? [name.slice(LOG_LIKELIHOOD_OF.length)] : [],
  );
}

/** The data, as JSON text, with fields that hold out elements. */
export function dataHolding(data: string, outcomes: readonly string[], elements: readonly Element[]): string {
  const held = outcomes.map((outcome) => {
    const numbers = elements.filter((each) => each.outcome === outcome).map(({ number }) => number);
    return `"${HELD_OUT_SIZE_OF}${outcome}": ${numbers.length}, "${HELD_OUT_OF}${outcome}": [${numbers.join(', ')}]`;
  });
  const end = data.lastIndexOf('}');
  if (end < 0) throw new Misfit('/data must be an object with one member per variable');
  const before = data.slice(0, end);
  return `${before}${/\{\s*$/.test(before) ? '' : ', '}${held.join(', ')}}`;
}

/** The data, as JSON text, with fields that hold out no observations. */
export function dataHoldingNone(data: string, outputs: readonly DeclaredOutput[]): string {
  return dataHolding(data, outcomesOf(outputs), []);
}

const GENERATED = { transformedParameters: true, generatedQuantities: true };
/** Maximum number of points at which the program is evaluated to determine which elements are outcomes. */
const MOST_TRIED = 100;

/** All observations, in the order of their log likelihoods. Throws `Misfit` if the program rejects every point that is tried. */
export function observationsOf(host: ModelHost, model: EngineModel, seed: number): readonly Element[] {
  const names = model.constrainedNames(GENERATED);
  const values = valuesAtSomePoint(host, model, names.length, seed);
  const places = new Map(names.map((name, place) => [name, place]));
  const sizes = new Map(
    model.parameters.map(({ dims, name }) => [name.slice(LOG_LIKELIHOOD_OF.length), dims] as const),
  );
  return names.flatMap((column): Element[] => {
    if (!column.startsWith(LOG_LIKELIHOOD_OF)) return [];
    const own = column.slice(LOG_LIKELIHOOD_OF.length);
    const mark = places.get(TERMS_OF + own);
    if (mark !== undefined && values[mark] !== 1) return [];
    const outcome = variableOf(own);
    const indices = own.split('.').slice(1).map(Number);
    const dims = sizes.get(outcome) ?? [];
    const number = indices.reduce((before, index, depth) => before * dims[depth] + index - 1, 0) + 1;
    return [{ name: displayName(own), outcome, indices, number, column }];
  });
}

function valuesAtSomePoint(host: ModelHost, model: EngineModel, count: number, seed: number): Float64Array {
  const rng = createRng(seed, 0);
  const values = new Float64Array(count);
  const position = new Float64Array(model.dimension);
  let reason = '';
  for (let tried = 0; tried < MOST_TRIED; tried++) {
    model.seedRandom(seed, 1);
    try {
      model.writeArray(position, values, GENERATED);
      return values;
    } catch (error) {
      const blame = host.blame(error);
      if (blame?.kind !== 'rejection') throw error;
      reason = blame.message;
    }
    for (const place of position.keys()) position[place] = 4 * rng.uniform() - 2;
  }
  throw new Misfit(`the program rejects all of ${MOST_TRIED} points at which its observations were counted: ${reason}`);
}

/** The folds of a request, in order. `data` is JSON text. Throws `Misfit` if they do not fit the observations. */
export function foldsOf(held: HeldOut, observations: readonly Element[], data: string, seed: number): readonly Fold[] {
  if ('observations' in held) return singleFolds(held.observations, observations);
  if ('groups' in held) return groupedFolds(held.groups, observations, parseStanData(data));
  return randomFolds(held.folds, observations, seed);
}

/** One fold per observation. The number of a fold is that of its observation, so that a refit does not depend on the other folds. */
function singleFolds(names: readonly string[], observations: readonly Element[]): readonly Fold[] {
  const wanted = new Set(names.flatMap(splitNames).map(displayName));
  const folds = observations.flatMap((element, place) =>
    wanted.delete(element.name) ? [{ number: place + 1, elements: [element] }] : [],
  );
  const [unknown] = wanted;
  if (unknown !== undefined) throw new Misfit(`/observations names ${unknown}, which is not an observation`);
  return folds;
}

function groupedFolds(name: string, observations: readonly Element[], data: JsonData): readonly Fold[] {
  const value = Object.hasOwn(data, name) ? data[name] : undefined;
  const groups = value === undefined ? [] : numbersIn(value);
  if (groups.length === 0) throw new Misfit(`/groups names ${name}, which is not a variable of the data with numbers`);
  const missing = observations.find(({ number }) => number > groups.length);
  if (missing !== undefined) {
    throw new Misfit(
      `/groups names ${name}, which has ${groups.length} elements: there is no group for ${missing.name}`,
    );
  }
  const groupOf = ({ number }: Element) => groups[number - 1];
  const distinct = [...new Set(observations.map(groupOf))].sort((a, b) => a - b);
  if (distinct.length < 2) throw new Misfit(`/groups names ${name}, which puts all observations into one group`);
  return distinct.map((group, index) => ({
    number: index + 1,
    elements: observations.filter((element) => groupOf(element) === group),
  }));
}

/** All numbers in row-major order. */
function numbersIn(value: StanJson): number[] {
  if (typeof value === 'number') return [value];
  if (value instanceof Real) return [value.value];
  if (value instanceof Float64Array) return [...value];
  if (typeof value !== 'object' || value === null || isJsonObject(value) || !Array.isArray(value)) return [];
  return value.flatMap(numbersIn);
}

/** Folds by a random permutation. Their sizes differ by at most one observation. */
function randomFolds(count: number, observations: readonly Element[], seed: number): readonly Fold[] {
  if (count > observations.length) {
    throw new Misfit(`/folds must be at most the number of observations, ${observations.length}`);
  }
  const rng = createRng(seed, 0);
  const order = [...observations.keys()];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(rng.uniform() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  const foldOf = new Map(order.map((place, turn) => [place, turn % count]));
  return Array.from({ length: count }, (_, fold) => ({
    number: fold + 1,
    elements: observations.filter((_, place) => foldOf.get(place) === fold),
  }));
}
