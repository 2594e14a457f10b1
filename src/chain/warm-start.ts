/** Starts a sampler with positions, step size and metric of an earlier fit, whose model, data or seed may differ. */

import { parameterOf, variableOf } from '../formats/columns.js';
import type { Algorithm } from '../inference/algorithms/algorithm.js';
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import type { InitialValues } from '../inference/target.js';
import type { EngineModel, ModelHost } from './model-host.js';
import { DrawPositions } from './positions.js';
import type { SavedDraw, StoredDraws } from './request.js';
import { unconstrainRounded } from './rounding.js';
import type { SamplerState } from './sampler-state.js';

/** The starting values of a chain. */
export interface WarmStart {
  readonly initial: InitialValues;
  /** Step size and metric, as arguments. */
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  /** Places of partially centered coordinates, if all parameters match the earlier fit. */
  readonly places?: readonly number[];
  /** Whether the metric of every parameter comes from the earlier fit, so that its step size is valid. */
  readonly isAdapted: boolean;
  /** Lines for the log about the used and unused values. */
  readonly report: readonly string[];
}

/** A draw of an earlier fit, and the adapted state of its chain. */
export interface EarlierChain {
  readonly name: string;
  readonly draws: StoredDraws;
  readonly draw: SavedDraw;
  readonly state: SamplerState | undefined;
}

const PARAMETERS = { transformedParameters: false, generatedQuantities: false };

/** `givesMetric` states whether the request contains a metric, which takes precedence. */
export function warmStart(
  host: ModelHost,
  model: EngineModel,
  { metric }: Pick<Algorithm, 'metric'>,
  earlier: EarlierChain,
  givesMetric: boolean,
): WarmStart {
  const report: string[] = [];
  const names = model.unconstrainedNames();
  const places = earlier.state?.names?.join() === names.join() ? earlier.state.places : undefined;
  // Positions refer to these coordinates.
  if (places !== undefined) model.centering?.setPlaces(Float64Array.from(places));
  const { initial, matched } = startingPosition(host, model, earlier, report);
  const isMatched = names.map((name) => matched.has(parameterOf(name)));
  const { name, state } = earlier;
  const note = (text: string) => report.push(`Warm start from ${name}: ${text}.`);
  if (state === undefined) {
    note('it has no step size and metric');
    return { initial, arguments: {}, isAdapted: false, report };
  }
  const common = { initial, ...(places !== undefined && { places }), report };
  if (givesMetric) return { ...common, arguments: { stepsize: state.stepsize }, isAdapted: false };
  const taken = metric === state.metric ? metricFor(names, isMatched, state) : undefined;
  if (taken === undefined) {
    const reason = metric === state.metric ? 'are for other parameters' : `are for ${state.metric}, not ${metric}`;
    note(`its step size and metric ${reason}`);
    return { ...common, arguments: {}, isAdapted: false };
  }
  note(`step size ${taken.isWhole ? 'and metric' : 'and the metric of the parameters that match'} are taken over`);
  const { stepsize } = state;
  const { inv_metric } = taken;
  return {
    ...common,
    arguments: { stepsize, ...(inv_metric !== undefined && { inv_metric }) },
    isAdapted: taken.isWhole,
  };
}

/** The starting position of a chain, and the parameters whose values were taken from the draw. */
function startingPosition(
  host: ModelHost,
  model: EngineModel,
  earlier: EarlierChain,
  report: string[],
): { readonly initial: InitialValues; readonly matched: ReadonlySet<string> } {
  const { draw, draws, name } = earlier;
  const note = (text: string) => report.push(`Warm start from ${name}: ${text}.`);
  const random: InitialValues = { given: 'none', apply: () => undefined };
  const columns = model.constrainedNames(PARAMETERS);
  const parameters = [...new Set(columns.map(variableOf))];
  const matched = new Set(
    parameters.filter((parameter) => {
      const own = columns.filter((column) => variableOf(column) === parameter);
      const found = draws.columns.filter((column) => variableOf(column) === parameter);
      if (own.join() === found.join()) return true;
      note(`it has ${found.length === 0 ? 'no parameter' : 'another size of'} ${parameter}`);
      return false;
    }),
  );
  const position = new Float64Array(model.dimension);
  if (matched.size === parameters.length) {
    const copy = (start: Float64Array) => {
      start.set(position);
      return undefined;
    };
    const at = withPosition(earlier);
    const problem = new DrawPositions(host, model, at).read(at.draw, position);
    if (problem === undefined && hasDensity(host, model, position))
      return { initial: { given: 'all', apply: copy }, matched };
    if (problem === undefined) {
      note('the log density is not finite at its position, so the chain starts elsewhere');
      return { initial: random, matched };
    }
  }
  const places = new Map(model.unconstrainedNames().map((each, index) => [each, index]));
  const given = [...matched].filter((parameter) => {
    const found = positionOf(host, model, parameter, draws, draw);
    if (found === undefined) {
      note(`its value of ${parameter} is outside the constraints`);
      return false;
    }
    for (const [each, place] of places) if (parameterOf(each) === parameter) position[place] = found[place];
    return true;
  });
  if (given.length === 0) return { initial: random, matched };
  const kept = [...places].filter(([each]) => given.includes(parameterOf(each))).map(([, place]) => place);
  const apply = (start: Float64Array) => {
    for (const place of kept) start[place] = position[place];
    return undefined;
  };
  return { initial: { given: 'some', apply }, matched };
}

/** The draw, with the final unconstrained position of the chain if the draw does not contain its own position. */
function withPosition({ draw, draws, state }: EarlierChain) {
  const { columns, diagnosticColumns } = draws;
  const { end, names } = state ?? {};
  if (draw.diagnostic !== undefined || end === undefined || names === undefined)
    return { columns, diagnosticColumns, draw };
  const diagnostic = Float64Array.from(end.position);
  return { columns, diagnosticColumns: names, draw: { values: draw.values, diagnostic } };
}

/** The position with the values of one parameter from a draw and 0 elsewhere; undefined if the values violate the constraint. */
function positionOf(
  host: ModelHost,
  model: EngineModel,
  parameter: string,
  { columns }: StoredDraws,
  { values }: SavedDraw,
): Float64Array | undefined {
  const names = model.constrainedNames(PARAMETERS);
  const constrained = new Float64Array(names.length);
  try {
    model.writeArray(new Float64Array(model.dimension), constrained, PARAMETERS);
    for (const [place, name] of names.entries())
      if (variableOf(name) === parameter) constrained[place] = values[columns.indexOf(name)];
    const position = unconstrainRounded(
      host,
      () => values,
      (rounding) => model.unconstrainDraw(constrained, rounding),
    );
    return position.every(Number.isFinite) ? position : undefined;
  } catch (error) {
    if (host.blame(error) === undefined) throw error;
    return undefined;
  }
}

function hasDensity(host: ModelHost, model: EngineModel, position: Float64Array): boolean {
  const gradient = new Float64Array(model.dimension);
  try {
    const density = model.logDensityGradient(position, gradient, { propto: true, jacobian: true });
    return Number.isFinite(density) && gradient.every(Number.isFinite);
  } catch (error) {
    if (host.blame(error) === undefined) throw error;
    return false;
  }
}

interface TakenMetric {
  /** Absent for a unit metric. */
  readonly inv_metric?: number[] | number[][];
  /** Whether every element comes from the earlier fit. */
  readonly isWhole: boolean;
}

/**
 * The metric for these parameters: the elements of the state by name, and the identity for other parameters. Undefined if the state
 * contains none of the parameters, or if the directions of a low-rank metric do not belong to all of them.
 */
function metricFor(
  names: readonly string[],
  isMatched: readonly boolean[],
  { inverseMetric, metric, names: known }: SamplerState,
): TakenMetric | undefined {
  // Without names, elements can only be assigned to parameters by order.
  if (known === undefined && !isMatched.every((each) => each)) return undefined;
  const earlier = known ?? names;
  const isFull = isMatched.every((each) => each) && names.length === earlier.length;
  const places = names.map((name, index) => (isMatched[index] ? earlier.indexOf(name) : -1));
  const isWhole = isFull && !places.includes(-1);
  if (metric === 'unit_e') return { isWhole: true };
  const width = earlier.length;
  const rows = width === 0 ? 0 : inverseMetric.length / width;
  const row = (index: number) => inverseMetric.slice(index * width, (index + 1) * width);
  if (names.length > 0 && places.every((place) => place < 0)) return undefined;
  switch (metric) {
    case 'diag_e':
      if (rows !== 1 && width > 0) return undefined;
      return { inv_metric: places.map((place) => (place < 0 ? 1 : inverseMetric[place])), isWhole };
    case 'dense_e': {
      if (rows !== width) return undefined;
      const element = (i: number, j: number, isDiagonal: boolean) => {
        if (i >= 0 && j >= 0) return inverseMetric[i * width + j];
        return isDiagonal ? 1 : 0;
      };
      return { inv_metric: places.map((i, k) => places.map((j, l) => element(i, j, k === l))), isWhole };
    }
    case 'low_rank':
      if (!isWhole || !Number.isInteger(rows)) return undefined;
      return {
        inv_metric: Array.from({ length: rows }, (_, index) => {
          const elements = row(index);
          return places.map((place) => elements[place]);
        }),
        isWhole,
      };
  }
}
