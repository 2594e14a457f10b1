/** Pairs of generated quantities and the data that they simulate. */

import { variableOf } from '../formats/columns.js';
import { parseStanJson, type StanJson } from '../formats/stan-json.js';
import { type Chains, pool } from '../inference/diagnostics/chains.js';

/** Endings of names for simulations of a data variable. */
export const SIMULATION_ENDINGS: readonly string[] = ['_rep', '_sim', '_pred', '_tilde', '_new'];

export interface Prediction {
  /** The data variable. */
  readonly name: string;
  readonly observed: Float64Array;
  /** Columns of the draws, in the order of the observations. */
  readonly columns: readonly string[];
}

/** Variables among a fit's columns whose names mark them as simulations of data. */
export function simulatedVariables(columns: readonly string[]): readonly string[] {
  const variables = [...new Set(columns.map(variableOf))];
  return variables.filter((name) => SIMULATION_ENDINGS.some((ending) => name.endsWith(ending)));
}

/**
 * Data variables with a simulation of the same shape among the columns of a fit, such as `y` with `y_rep`. `data` is JSON text; the result
 * is empty for invalid JSON.
 */
export function predictionsIn(data: string, columns: readonly string[]): readonly Prediction[] {
  const values = readData(data);
  if (values === undefined) return [];
  const places = new Map<string, string[]>();
  for (const column of columns) places.set(variableOf(column), [...(places.get(variableOf(column)) ?? []), column]);
  return Object.keys(values).flatMap((name) => {
    const simulated = SIMULATION_ENDINGS.map((ending) => places.get(`${name}${ending}`)).find(
      (found) => found !== undefined,
    );
    if (simulated === undefined || simulated.length < 2) return [];
    const observed = simulated.map((column) => elementAt(values[name], column.split('.').slice(1).map(Number)));
    return observed.every((value) => value !== undefined)
      ? [{ name, observed: Float64Array.from(observed), columns: simulated }]
      : [];
  });
}

/** A data variable with one value for each observation of an outcome. */
interface Accompanying {
  readonly name: string;
  readonly values: Float64Array;
  /** Whether the values are integers with few distinct values, such as codes of groups. */
  readonly areGroups: boolean;
}

/** Maximum number of groups. */
const MOST_GROUPS = 100;

/**
 * Non-constant data variables with one number per observation, groups first: arrays with the length of the outcome, and columns of matrices
 * with the same number of rows. None for an outcome with several values for each row. `data` is JSON text.
 */
export function accompanying(data: string, { columns, name, observed }: Prediction): readonly Accompanying[] {
  // A matrix has several columns for each row.
  if (new Set(columns.map((column) => column.split('.')[1])).size < columns.length) return [];
  const values = readData(data) ?? {};
  const found = Object.entries(values)
    .filter(([other]) => other !== name)
    .flatMap(([other, value]) => numbersOf(other, value, observed.length))
    .map((each) => ({ ...each, areGroups: areCodes(each.values) }));
  return [...found.filter(({ areGroups }) => areGroups), ...found.filter(({ areGroups }) => !areGroups)];
}

/** The values of an array of `count` numbers, or of each column of a matrix with `count` rows, without constant ones. */
function numbersOf(name: string, value: StanJson | undefined, count: number) {
  if (!Array.isArray(value) || value.length !== count) return [];
  const [first] = value;
  const columns = Array.isArray(first)
    ? first.map((_, column) => ({
        name: `${name}[,${column + 1}]`,
        values: value.map((row) => (Array.isArray(row) ? row[column] : undefined)),
      }))
    : [{ name, values: value }];
  return columns.flatMap(({ name, values }) => {
    const numbers = values.filter((each) => typeof each === 'number' && Number.isFinite(each));
    const isVarying = numbers.some((each) => each !== numbers[0]);
    return numbers.length === count && isVarying ? [{ name, values: Float64Array.from(numbers, Number) }] : [];
  });
}

/** Whether the values are integers, each of which occurs at least twice on average. */
function areCodes(values: Float64Array): boolean {
  const kinds = new Set(values).size;
  return values.every(Number.isInteger) && kinds <= MOST_GROUPS && 2 * kinds <= values.length;
}

/** Maximum number of simulations in plots. More would add no information. */
export const MOST_SIMULATIONS = 500;

/** Complete simulated data sets for evenly spread draws. `observations` contains the simulations of each observation. */
export function simulatedSets(observations: readonly Chains[]): Float64Array[] {
  const pooled = observations.map(pool);
  const draws = pooled[0]?.length ?? 0;
  const step = Math.max(1, Math.floor(draws / MOST_SIMULATIONS));
  const places = Array.from({ length: Math.ceil(draws / step) }, (_, index) => index * step);
  return places.map((place) => Float64Array.from(pooled, (values) => values[place]));
}

function readData(text: string): Readonly<Record<string, StanJson>> | undefined {
  try {
    const value = parseStanJson(text, { plainNumbers: true });
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}

/** The element at one-based indexes. */
function elementAt(value: StanJson | undefined, indices: readonly number[]): number | undefined {
  const [first, ...rest] = indices;
  if (first === undefined) return typeof value === 'number' ? value : undefined;
  return Array.isArray(value) ? elementAt(value[first - 1], rest) : undefined;
}
