/** Results of simulation-based calibration: ranks of parameters among the draws of fits of simulated data, and a test of their uniformity. */
import { append } from '../base/multimap.js';
import { named, type Statement, write } from '../base/statement.js';
import { Misfit } from '../chain/refusal.js';
import type { NamedDraws } from '../fits/statistics.js';
import { displayName } from '../formats/columns.js';
import { parseStanJson, type StanJson } from '../formats/stan-json.js';
import { UniformRanks } from '../inference/validation/rank-uniformity.js';
import { CALIBRATION_SENTENCES } from './calibration-sentences.js';

/**
 * Columns before those of the ranks: the number of the simulation, the greatest possible rank, and the number of divergences of the fit.
 */
export const CALIBRATION_COLUMNS = ['simulation__', 'rank_max__', 'divergences__'] as const;

/** Holm's level at which ranks of all quantities count as uniform. */
const LEVEL = 0.05;

/** Ranks of a quantity. */
export interface CalibratedQuantity {
  readonly name: string;
  /** For each fit, the number of its draws below the value from which the data were simulated. */
  readonly ranks: readonly number[];
  /** Differences between the empirical distribution of the ranks and the uniform one, at `Calibration.places`. */
  readonly differences: readonly number[];
  /** Probability of a difference of at least the largest observed size if ranks are uniform. */
  readonly probability: number;
}

export interface Calibration {
  readonly quantities: readonly CalibratedQuantity[];
  /** Number of fits. */
  readonly simulations: number;
  /** The greatest possible rank: the number of draws of a fit that are counted. */
  readonly greatestRank: number;
  /** Number of fits with divergent transitions. */
  readonly divergentFits: number;
  /** Fractions of the possible ranks. */
  readonly places: readonly number[];
  /** Half the width of the band that contains all differences of uniform ranks with probability 0.95, at `places`. */
  readonly band: readonly number[];
  /** Whether the ranks of all quantities are compatible with a uniform distribution. */
  readonly ok: boolean;
  readonly message: string;
  /** The sentences of the message. */
  readonly statements: readonly Statement[];
}

/** Data sets in which the outcomes are replaced by the columns of a fit with replicated data. */
export class SimulatedData {
  private readonly given: Readonly<Record<string, StanJson>>;
  /** The column of each replicated element, by data variable. A scalar has no indices. */
  private readonly replicated = new Map<string, { indices: readonly number[]; column: number }[]>();

  /** `data` is JSON text; `columns` are named `y_rep.1` for an element of `y`. */
  constructor(data: string, columns: readonly string[]) {
    this.given = objectOf(data);
    for (const [column, name] of columns.entries()) {
      const [quantity, ...indices] = name.split('.');
      const variable = quantity.slice(0, quantity.lastIndexOf('_'));
      if (!(variable in this.given)) continue;
      const element = { indices: indices.map(Number), column };
      append(this.replicated, variable, element);
    }
  }

  /** One data set as JSON text, with the value that `read` returns for each replicated column. */
  text(read: (column: number) => number): string {
    const values: Record<string, StanJson> = { ...this.given };
    for (const [variable, elements] of this.replicated) {
      const copy = structuredClone(this.given[variable]);
      for (const { column, indices } of elements) {
        if (indices.length === 0) values[variable] = read(column);
        else setElement(copy, indices, read(column));
      }
      if (elements[0].indices.length > 0) values[variable] = copy;
    }
    return JSON.stringify(values);
  }
}

function setElement(container: StanJson, [first, ...rest]: readonly number[], value: number): void {
  if (!Array.isArray(container)) throw new Misfit('/data have other sizes than the program');
  if (rest.length === 0) container[first - 1] = value;
  else setElement(container[first - 1], rest, value);
}

function objectOf(data: string): Readonly<Record<string, StanJson>> {
  const value = parseStanJson(data, { plainNumbers: true });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Misfit('/data must be an object with one member per variable');
  }
  return Object.fromEntries(Object.entries(value));
}

/** The rank of a value: the number of draws below it, plus the fraction `share` (0 to 1) of the equal ones. */
export function rankOf(value: number, draws: Float64Array, share: number): number {
  const below = draws.filter((draw) => draw < value).length;
  const equal = draws.filter((draw) => draw === value).length;
  return below + Math.min(equal, Math.floor(share * (equal + 1)));
}

/** The result of a calibration, from all columns of its draws. Chains may have different numbers of draws. */
export function calibrationOf(columns: readonly NamedDraws[]): Calibration {
  const read = (name: string) => columns.find((column) => column.name === name)?.chains.flatMap((chain) => [...chain]);
  const [simulations, greatest, divergences] = CALIBRATION_COLUMNS.map((name) => read(name) ?? []);
  const order = [...simulations.keys()].sort((a, b) => simulations[a] - simulations[b]);
  const own: readonly string[] = CALIBRATION_COLUMNS;
  const ranks = columns.flatMap(({ chains, name }): [string, number[]][] => {
    const values = chains.flatMap((chain) => [...chain]);
    return own.includes(name) ? [] : [[name, order.map((place) => values[place])]];
  });
  const divergentFits = divergences.filter((count) => count > 0).length;
  return concludeCalibration(new Map(ranks), greatest[0] ?? 0, divergentFits);
}

/** Tests the ranks of each quantity for uniformity. */
function concludeCalibration(
  ranks: ReadonlyMap<string, readonly number[]>,
  greatestRank: number,
  divergentFits: number,
): Calibration {
  const simulations = [...ranks.values()][0]?.length ?? 0;
  const uniform = new UniformRanks(simulations, greatestRank);
  const quantities = [...ranks].map(([name, each]) => ({ name: displayName(name), ranks: each, ...uniform.of(each) }));
  const ordered = quantities.toSorted((a, b) => a.probability - b.probability);
  // Holm's procedure rejects in order until the first probability above its threshold.
  const first = ordered.findIndex(({ probability }, k) => !(probability <= LEVEL / (ordered.length - k)));
  const wrong = first < 0 ? ordered : ordered.slice(0, first);
  const [places, band] = [uniform.places, uniform.band(1 - LEVEL)];
  const common = { quantities, simulations, greatestRank, divergentFits, places, band };
  const count = quantities.length;
  const statements: CalibrationStatement[] = [
    wrong.length === 0
      ? { key: 'calibrationGood', values: { all: count, simulations } }
      : {
          key: 'calibrationBad',
          values: {
            all: count,
            ...named(wrong.map(({ name, probability }) => `${name} (p = ${probability.toPrecision(2)})`)),
          },
        },
    ...(divergentFits === 0
      ? []
      : [{ key: 'calibrationDivergent', values: { count: divergentFits, simulations } } as const]),
  ];
  return { ...common, ok: wrong.length === 0, message: write(CALIBRATION_SENTENCES, statements), statements };
}

type CalibrationStatement = Statement<keyof typeof CALIBRATION_SENTENCES>;
