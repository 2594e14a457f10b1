/** The state of a sampler of Hamiltonian Monte Carlo, for later runs. */
import type { Algorithm, MetricName } from '../inference/algorithms/algorithm.js';
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import type { Adaptation } from '../inference/events.js';

/** Step size and metric of a chain after warmup. It survives structured cloning and JSON. */
export interface SamplerState {
  readonly metric: MetricName;
  readonly stepsize: number;
  /** Elements of the inverse metric, row-major, in the form of the argument `inv_metric`; ignored for a unit metric. */
  readonly inverseMetric: readonly number[];
  /** Names of the unconstrained parameters, in the order of the metric; absent if the file does not contain them. */
  readonly names?: readonly string[];
  /** Places of partially centered coordinates; absent if no coordinates are learned. */
  readonly places?: readonly number[];
  /** The final state of the chain; absent if it cannot be continued. */
  readonly end?: ChainEnd;
}

/** The final state of a chain, which determines its further iterations. */
export interface ChainEnd {
  readonly seed: number;
  readonly position: readonly number[];
  readonly logDensity: number;
  readonly iterations: number;
  /** States of the random number generators of the sampler and of generated quantities. */
  readonly random: readonly number[];
  readonly generated: readonly number[];
  /** Further state of samplers whose state is more than a position, a step size and a metric. */
  readonly further?: readonly number[];
  /** Arguments that must not change. */
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
}

const KEPT: readonly string[] = ['max_depth', 'num_thin', 'stepsize_jitter'];

/** The arguments that must not change when a chain is continued. */
export function keptArguments(given: Readonly<Record<string, ArgumentValue>>): Record<string, ArgumentValue> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => KEPT.includes(name)));
}

/** The state after an adaptation; undefined for other algorithms, and if a number is not finite. */
export function samplerState(
  { metric }: Algorithm,
  { inverseMetric, places, stepSize }: Adaptation,
  names: readonly string[],
): SamplerState | undefined {
  if (metric === undefined || !Number.isFinite(stepSize) || !inverseMetric.every(Number.isFinite)) return undefined;
  const state = { metric, stepsize: stepSize, inverseMetric: [...inverseMetric], names };
  return { ...state, ...(places && { places: [...places] }) };
}

/** Reads a state from a JSON value; undefined if the value is not a state. */
export function readSamplerState(value: unknown): SamplerState | undefined {
  const { end, inverseMetric, metric, names, places, stepsize } = membersOf(value);
  const found = [...HEADINGS.values()].find((each) => each === metric);
  if (found === undefined || !isNumber(stepsize) || stepsize <= 0) return undefined;
  if (!isArrayOf(inverseMetric, isNumber)) return undefined;
  if (names !== undefined && !isArrayOf(names, isText)) return undefined;
  if (places !== undefined && !isArrayOf(places, isNumber)) return undefined;
  const ended = end === undefined ? undefined : readChainEnd(end);
  if (ended === undefined && end !== undefined) return undefined;
  if (ended !== undefined && ended.position.length !== names?.length) return undefined;
  const state = { metric: found, stepsize, inverseMetric };
  return {
    ...state,
    ...(names !== undefined && { names }),
    ...(places !== undefined && { places }),
    ...(ended !== undefined && { end: ended }),
  };
}

/** Number of words in the states of the random number generators of the sampler and of generated quantities. */
const RANDOM_WORDS = 4;
const GENERATED_WORDS = 8;

function readChainEnd(value: unknown): ChainEnd | undefined {
  const { arguments: given, further, generated, iterations, logDensity, position, random, seed } = membersOf(value);
  if (!isNumber(seed) || !isNumber(logDensity) || !isNumber(iterations) || !isArrayOf(position, isNumber))
    return undefined;
  if (!isArrayOf(random, isNumber) || !isArrayOf(generated, isNumber)) return undefined;
  if (random.length !== RANDOM_WORDS || generated.length !== GENERATED_WORDS) return undefined;
  if (further !== undefined && !isArrayOf(further, isNumber)) return undefined;
  const kept: Record<string, ArgumentValue> = {};
  for (const [name, argument] of Object.entries(membersOf(given))) if (isNumber(argument)) kept[name] = argument;
  const end = { seed, position, logDensity, iterations, random, generated, arguments: kept };
  return { ...end, ...(further !== undefined && { further }) };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function isArrayOf<Element>(value: unknown, is: (each: unknown) => each is Element): value is Element[] {
  return Array.isArray(value) && value.every(is);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

const HEADINGS: ReadonlyMap<string, MetricName> = new Map([
  ['No free parameters for unit metric', 'unit_e'],
  ['Diagonal elements of inverse mass matrix:', 'diag_e'],
  ['Elements of inverse mass matrix:', 'dense_e'],
  ['Diagonal elements and directions of the low-rank inverse mass matrix:', 'low_rank'],
]);

/** Reads the state from Stan's lines about an adaptation, among other lines; undefined if there are no such lines. */
export function stateInTexts(texts: readonly string[]): SamplerState | undefined {
  const [stepsize] = texts.flatMap((text) => /^Step size = (\S+)$/.exec(text)?.slice(1).map(Number) ?? []);
  const heading = texts.findIndex((text) => HEADINGS.has(text));
  const metric = HEADINGS.get(texts[heading]);
  if (metric === undefined || !(stepsize > 0)) return undefined;
  return { metric, stepsize, inverseMetric: metricIn(texts.slice(heading + 1), metric) };
}

/** The rows of numbers at the start of the texts: one for a diagonal metric, none for a unit metric. */
function metricIn(texts: readonly string[], metric: MetricName): number[] {
  if (metric === 'unit_e') return [];
  const rows = (metric === 'diag_e' ? texts.slice(0, 1) : texts).map((text) =>
    text.split(',').map((each) => (each.trim() === '' ? Number.NaN : Number(each))),
  );
  const end = rows.findIndex((row) => row.length !== rows[0].length || !row.every(Number.isFinite));
  return rows.slice(0, end < 0 ? rows.length : end).flat();
}
