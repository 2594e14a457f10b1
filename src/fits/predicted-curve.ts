/** An outcome along a variable of the data, such as time, with its simulations. */
import { accompanying, type Prediction, predictionsIn } from './predictions.js';

export interface PredictedCurve {
  /** The data variable of the outcome. */
  readonly name: string;
  /** The data variable on the horizontal axis. */
  readonly axis: string;
  /** Its values, in increasing order. */
  readonly grid: Float64Array;
  /** The observations and the columns of their simulations at each value: one series, or one for each column of a matrix. */
  readonly series: readonly Prediction[];
}

/** Maximum number of columns: more would be slow to read, and crowd the picture. */
const MOST_COLUMNS = 400;
/** Maximum number of series. */
const MOST_SERIES = 6;
/** Minimum number of values on the horizontal axis. */
const FEWEST = 4;

/**
 * The curve of the first outcome with simulations among the columns of a fit, if the data suggest one: with distinct numbers for its observations that
 * increase, or that are the only ones that accompany it. `data` is JSON text.
 */
export function predictedCurve(data: string, columns: readonly string[]): PredictedCurve | undefined {
  for (const prediction of predictionsIn(data, columns)) {
    const series = seriesOf(prediction);
    const [first] = series;
    if (first === undefined || prediction.columns.length > MOST_COLUMNS) continue;
    const axis = axisOf(accompanying(data, first));
    if (axis === undefined) continue;
    const order = [...axis.values.keys()].sort((a, b) => axis.values[a] - axis.values[b]);
    return {
      name: prediction.name,
      axis: axis.name,
      grid: Float64Array.from(order, (row) => axis.values[row]),
      series: series.map(({ name, observed, columns }) => ({
        name,
        observed: Float64Array.from(order, (row) => observed[row]),
        columns: order.map((row) => columns[row]),
      })),
    };
  }
  return undefined;
}

/** A vector as one series, a matrix as one for each column. */
function seriesOf({ columns, name, observed }: Prediction): readonly Prediction[] {
  const indices = columns.map((column) => column.split('.').slice(1));
  if (indices.every(({ length }) => length === 1)) return [{ name, observed, columns }];
  if (!indices.every(({ length }) => length === 2)) return [];
  const others = [...new Set(indices.map(([, other]) => other))];
  if (others.length > MOST_SERIES) return [];
  return others.map((other) => {
    const isOwn = (_: unknown, place: number) => indices[place]?.[1] === other;
    return { name: `${name}[,${other}]`, observed: observed.filter(isOwn), columns: columns.filter(isOwn) };
  });
}

function axisOf(companions: ReturnType<typeof accompanying>) {
  const distinct = companions.filter(({ values }) => values.length >= FEWEST && new Set(values).size === values.length);
  const increasing = distinct.find(({ values }) => values.every((value, row) => row === 0 || value > values[row - 1]));
  return increasing ?? (companions.length === 1 ? distinct[0] : undefined);
}
