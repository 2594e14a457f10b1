/** Which generated quantities simulate which data, and both as numbers side by side. */
import { type Chains, pool } from '../inference/diagnostics/chains.js';
import { parseStanJson, type StanJson } from '../model/json.js';
import { variableOf } from './columns.js';

/** Endings by which programs name simulations of a data variable. */
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
 * Data variables that have a simulation of the same shape among a fit's columns, `y` with `y_rep`. `data` is JSON text;
 * what is no JSON has none.
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

/** Maximum number of simulations in plots; more would add nothing. */
const MOST_SIMULATIONS = 500;

/** Whole simulated data sets, some of all draws spread evenly. `observations` has each observation's simulations. */
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

/** Indices count from 1. */
function elementAt(value: StanJson | undefined, indices: readonly number[]): number | undefined {
  const [first, ...rest] = indices;
  if (first === undefined) return typeof value === 'number' ? value : undefined;
  return Array.isArray(value) ? elementAt(value[first - 1], rest) : undefined;
}
