import type { JsonData } from '../../src/formats/stan-json.js';
import type { Model } from '../../src/model/model.js';
import { modelsOf } from '../conformance/engine.js';
import { type ReferenceNumber, toNumber } from '../conformance/outcome.js';
import { KNOWN } from './known.js';

/** A function with its true values at several points, as `record/record.py` writes it. */
export interface Recorded {
  readonly function: string;
  /** The call of a function of containers, with $1, $2 … for their numbers. */
  readonly call?: string;
  readonly arguments: readonly ('real' | 'int')[];
  readonly points: readonly RecordedPoint[];
}

interface RecordedPoint {
  readonly at: readonly number[];
  readonly value: ReferenceNumber;
  /** One derivative per argument; null for an int. */
  readonly gradient: readonly (ReferenceNumber | null)[];
  /** The change of a derivative per relative error of the arguments; omitted if it is about as large as the derivative itself. */
  readonly sensitivity?: readonly (ReferenceNumber | null)[];
}

/** Relative errors up to these limits count as zero. */
export interface Bounds {
  readonly value: number;
  readonly derivatives: number;
}

const TOLERANCE = 1e-11;
/** Maximum relative rounding error of each argument before it is passed to the function. */
const ROUNDING = 4 * Number.EPSILON;
/** Absolute error among subnormal numbers; subnormal derivatives count as 0. */
const TINY = 1e-321;
const SMALLEST_NORMAL = 2 ** -1022;
const FULL = { propto: false, jacobian: true };

/** The largest error of one result of a function: its value, or its derivative with respect to an argument. */
export interface Worst {
  readonly what: string;
  /** The largest relative error over the points; infinite if a number is missing or NaN. */
  error: number;
  at: readonly number[];
  found: number;
  expected: number;
}

export interface Accuracy {
  readonly function: string;
  readonly worst: readonly Worst[];
  /** One line per number with an error above the bound. */
  readonly failures: readonly string[];
  /** The fraction of the points with such a number. */
  readonly failing: number;
}

/** The bounds of a function: those in `KNOWN`, otherwise the common bound. */
export function boundsOf(name: string): Bounds {
  const { value = TOLERANCE, derivatives = TOLERANCE } = KNOWN.find((known) => known.function === name) ?? {};
  return { value, derivatives };
}

/** Compares a function with its true values. */
export function measure(recorded: Recorded, bounds: Bounds = boundsOf(recorded.function)): Accuracy {
  const modelAt = pointwise(recorded);
  const worst: Worst[] = ['value', ...recorded.arguments.map((_, k) => `derivative by argument ${k + 1}`)].map(
    (what) => ({ what, error: 0, at: [], found: 0, expected: 0 }),
  );
  const failures: string[] = [];
  let failing = 0;
  for (const { at, value, gradient, sensitivity = [] } of recorded.points) {
    const before = failures.length;
    const judge = (k: number, found: number, expected: number, drift: number): void => {
      const error = relativeError(found, expected, drift);
      if (error > worst[k].error) Object.assign(worst[k], { error, at, found, expected });
      if (error > (k === 0 ? bounds.value : bounds.derivatives))
        failures.push(`${worst[k].what} at ${at.join(', ')}: found ${found}, expected ${expected}`);
    };
    const slopes = gradient.map((g) => (g === null ? 0 : toNumber(g)));
    const drift = slopes.reduce((sum, slope, k) => sum + Math.abs(slope * at[k]), 0);
    try {
      const { model, position } = modelAt(at);
      const found = new Float64Array(model.dimension);
      judge(0, model.logDensity(position, FULL), toNumber(value), drift);
      judge(0, model.logDensityGradient(position, found, FULL), toNumber(value), drift);
      if (!isOrdinary(value)) continue;
      const real = gradient.flatMap((g, k) => (g === null ? [] : [k]));
      for (const [place, k] of real.entries()) {
        if (Math.max(Math.abs(found[place]), Math.abs(slopes[k])) < SMALLEST_NORMAL) continue;
        judge(k + 1, found[place], slopes[k], Math.max(Math.abs(slopes[k]), toNumber(sensitivity[k] ?? 0)));
      }
    } catch (error) {
      const text = error instanceof Error ? error.message.split('\n')[0] : String(error);
      Object.assign(worst[0], { error: Number.POSITIVE_INFINITY, at, found: Number.NaN, expected: toNumber(value) });
      failures.push(`error at ${at.join(', ')}: ${text}`);
    }
    if (failures.length > before) failing++;
  }
  return { function: recorded.function, worst, failures, failing: failing / recorded.points.length };
}

/** Derivatives are compared only if the value itself neither overflows nor is subnormal. */
function isOrdinary(value: ReferenceNumber): boolean {
  return typeof value === 'number' && (value === 0 || Math.abs(value) >= SMALLEST_NORMAL);
}

/** The error, minus the part that rounding of the arguments explains, relative to the true value. */
function relativeError(found: number, expected: number, drift: number): number {
  if (found === expected) return 0;
  if (Number.isNaN(found)) return Number.POSITIVE_INFINITY;
  if (!Number.isFinite(found) || !Number.isFinite(expected)) {
    const nearlyOverflows =
      Math.sign(found) === Math.sign(expected) && Math.min(Math.abs(found), Math.abs(expected)) > 1.797e308;
    return nearlyOverflows ? 0 : Number.POSITIVE_INFINITY;
  }
  const allowed = TINY + (Number.isFinite(drift) ? ROUNDING * drift : 0);
  const excess = Math.max(0, Math.abs(found - expected) - allowed);
  return excess / Math.abs(expected);
}

/** The call of a function that takes only numbers. */
function callOf(name: string, count: number): string {
  const [first, ...others] = Array.from({ length: count }, (_, k) => `$${k + 1}`);
  const isDistribution = /_(lpdf|lpmf|cdf|lcdf|lccdf)$/.test(name);
  if (isDistribution && count > 1) return `${name}(${first} | ${others.join(', ')})`;
  return `${name}(${[first, ...others].join(', ')})`;
}

/** The function as the log density of its real arguments; its ints are data. */
function pointwise({ function: name, arguments: types, call = callOf(name, types.length) }: Recorded): (
  at: readonly number[],
) => {
  readonly model: Model;
  readonly position: Float64Array;
} {
  const reals = types.filter((type) => type === 'real').length;
  const ints = types.flatMap((type, k) => (type === 'int' ? [`int i${k + 1};`] : []));
  let place = 0;
  const terms = types.map((type, k) => {
    if (type === 'int') return `i${k + 1}`;
    place++;
    return `x[${place}]`;
  });
  const value = call.replace(/\$(\d+)/g, (_, k) => terms[Number(k) - 1]);
  const program = `data { ${ints.join(' ')} } parameters { vector[${reals}] x; } model { target += ${value}; }`;
  const instantiated = modelsOf(program);
  const models = new Map<string, Model>();
  return (at) => {
    const data: JsonData = Object.fromEntries(
      types.flatMap((type, k) => (type === 'int' ? [[`i${k + 1}`, at[k]]] : [])),
    );
    const key = JSON.stringify(data);
    let model = models.get(key);
    if (model === undefined) {
      model = instantiated(data);
      models.clear();
      models.set(key, model);
    }
    return { model, position: Float64Array.from(at.filter((_, k) => types[k] === 'real')) };
  };
}
