/** Simulation-based calibration: fits of data that are simulated from the prior distribution of a program. */
import { UniformRanks } from '../inference/validation/rank-uniformity.js';
import { parseStanJson, type StanJson } from '../model/json.js';
import { displayName, variableOf } from '../run/columns.js';
import { RequestError } from './errors.js';
import type { Fit } from './fit.js';

/** Replicated data by the data variable, for draws of the prior. */
export type Simulations = ReadonlyMap<
  string,
  readonly { readonly indices: readonly number[]; readonly place: number }[]
>;

/** Iterations of the prior's chains for each draw that is used, because consecutive ones are not independent. */
export const PRIOR_THINNING = 10;

/** Holm's level at which ranks of all quantities count as uniform. */
const LEVEL = 0.05;

/** Ranks of a quantity. */
export interface CalibratedQuantity {
  readonly name: string;
  /** For each fit, the number of its draws below the value that the data were simulated with. */
  readonly ranks: readonly number[];
  /** Differences between the empirical distribution of the ranks and the uniform one, at `Calibration.places`. */
  readonly differences: readonly number[];
  /** Probability of so large a difference if the ranks are uniform. */
  readonly probability: number;
}

export interface Calibration {
  readonly quantities: readonly CalibratedQuantity[];
  /** Number of fits. */
  readonly simulations: number;
  /** The greatest possible rank: the number of draws of a fit that are counted. */
  readonly greatestRank: number;
  /** Fractions of the possible ranks. */
  readonly places: readonly number[];
  /** Half the width of the band that contains the differences of a quantity with uniform ranks with probability 0.95, at `places`. */
  readonly band: readonly number[];
  /** Whether the ranks of all quantities are compatible with uniform ones. */
  readonly ok: boolean;
  readonly message: string;
}

/** Where replicated data are among the columns of derived draws. `data` is JSON text. */
export function simulationsIn(columns: readonly string[], data: string): Simulations {
  const given = objectOf(data);
  const found = new Map<string, { indices: readonly number[]; place: number }[]>();
  for (const [place, column] of columns.entries()) {
    const [name, ...indices] = column.split('.');
    const variable = name.slice(0, name.lastIndexOf('_'));
    if (!(variable in given)) continue;
    found.set(variable, [...(found.get(variable) ?? []), { indices: indices.map(Number), place }]);
  }
  return found;
}

/** The data with replicated values, `read` by the place of a column. */
export function simulatedData(data: string, simulations: Simulations, read: (place: number) => number): string {
  const values: Record<string, StanJson> = { ...objectOf(data) };
  for (const [variable, elements] of simulations) {
    const replaced = structuredClone(values[variable]);
    for (const { indices, place } of elements) {
      if (indices.length === 0) values[variable] = read(place);
      else setElement(replaced, indices, read(place));
    }
    if (elements[0].indices.length > 0) values[variable] = replaced;
  }
  return JSON.stringify(values);
}

function setElement(container: StanJson, [first, ...rest]: readonly number[], value: number): void {
  if (!Array.isArray(container))
    throw new RequestError([{ field: 'data', message: 'have other sizes than the program' }]);
  if (rest.length === 0) container[first - 1] = value;
  else setElement(container[first - 1], rest, value);
}

function objectOf(data: string): Readonly<Record<string, StanJson>> {
  const value = parseStanJson(data, { plainNumbers: true });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RequestError([{ field: 'data', message: 'must be an object with one member a variable' }]);
  }
  return Object.fromEntries(Object.entries(value));
}

/** The columns of a fit's parameters. */
export function parametersIn(fit: Fit, names: ReadonlySet<string>): readonly string[] {
  return fit.columns.filter((column) => names.has(variableOf(column)));
}

/** The number of values below another; equal ones are split by the number `share` from 0 to 1. */
export function rankOf(value: number, draws: Float64Array, share: number): number {
  const below = draws.filter((draw) => draw < value).length;
  const equal = draws.filter((draw) => draw === value).length;
  return below + Math.min(equal, Math.floor(share * (equal + 1)));
}

/** Concludes from the ranks of each quantity. */
export function concludeCalibration(ranks: ReadonlyMap<string, readonly number[]>, greatestRank: number): Calibration {
  const simulations = [...ranks.values()][0]?.length ?? 0;
  const uniform = new UniformRanks(simulations, greatestRank);
  const quantities = [...ranks].map(([name, each]) => ({ name: displayName(name), ranks: each, ...uniform.of(each) }));
  const ordered = quantities.toSorted((a, b) => a.probability - b.probability);
  const wrong = ordered.filter(
    ({ probability }, k) =>
      ordered.slice(0, k + 1).every((each, j) => each.probability <= LEVEL / (ordered.length - j)) &&
      probability <= LEVEL / (ordered.length - k),
  );
  const common = { quantities, simulations, greatestRank, places: uniform.places, band: uniform.band(1 - LEVEL) };
  if (wrong.length === 0) {
    const message = `The ranks of all ${quantities.length} quantities are compatible with uniform ones: no miscalibration was found in ${simulations} fits.`;
    return { ...common, ok: true, message };
  }
  const named = wrong.slice(0, 5).map(({ name, probability }) => `${name} (p = ${probability.toPrecision(2)})`);
  const message = `The ranks of ${wrong.length} of ${quantities.length} quantities are not uniform: ${named.join(', ')}${wrong.length > 5 ? ', …' : ''}. The sampler, its settings or the program do not draw from the posterior distribution of the data.`;
  return { ...common, ok: false, message };
}
