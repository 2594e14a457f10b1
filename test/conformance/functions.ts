import { join } from 'node:path';
import type { CompileSuccess } from '../../src/compile.js';
import type { Model } from '../../src/model/model.js';
import { ROOT } from '../project/tree.js';
import { readCases } from '../reference/stan.js';
import { buildModel, compileProgram, Unsupported } from './engine.js';
import { bare, messageOf } from './models.js';
import { Comparison, type Outcome, type ReferenceNumber, toNumber, unsupported } from './outcome.js';

interface Case {
  readonly id: string;
  readonly kind: 'value' | 'density' | 'transform' | 'error' | 'rng';
  readonly program: string;
  readonly data: unknown;
  readonly points: readonly (readonly ReferenceNumber[])[];
  readonly tolerance?: number;
  /** One entry per point; random draws have a single entry. */
  readonly expected: readonly Expected[] | Expected;
}

interface Expected {
  readonly error?: string;
  readonly where?: 'data' | 'log_prob' | 'write_array';
  readonly log_prob?: ReferenceNumber;
  readonly log_prob_propto?: ReferenceNumber;
  readonly gradient?: readonly ReferenceNumber[];
  readonly gradient_propto?: readonly ReferenceNumber[];
  readonly write_array?: readonly (ReferenceNumber | null)[];
  readonly stan_error?: number;
  readonly mean?: readonly (ReferenceNumber | null)[];
  readonly sd?: readonly (ReferenceNumber | null)[];
  readonly draws?: number;
}

/**
 * Numbers that are more accurate than the recorded ones: of higher precision (`exact.py`), or of a newer Stan. A result that differs from
 * the recorded number must agree with this one to `EXACT_TOLERANCE`.
 */
interface Exact {
  readonly id: string;
  readonly source: 'mpmath' | 'Stan 2.39';
  readonly points: readonly {
    readonly log_prob?: number | null;
    readonly gradient?: readonly (number | null)[];
    readonly write_array?: readonly number[];
    readonly error?: string;
  }[];
  readonly draws?: Expected;
}

const TOLERANCE = 1e-8;
const EXACT_TOLERANCE = 1e-10;
const DRAWS = 20_000;
const ALL = { transformedParameters: true, generatedQuantities: true };

/** Runs the cases of a file of function cases whose ids `only` accepts. */
export function* runFunctions(file: string, only: Pick<RegExp, 'test'>): Generator<Outcome> {
  const exact = new Map(readCases<Exact>(join(ROOT, 'test/conformance/exact.jsonl')).map((entry) => [entry.id, entry]));
  // Consecutive cases often share a program.
  let latest: { readonly program: string; readonly compiled: CompileSuccess } | undefined;
  const compile = (program: string): CompileSuccess => {
    if (latest?.program !== program) latest = { program, compiled: compileProgram(program) };
    return latest.compiled;
  };
  for (const data of readCases<Case>(file)) {
    if (only.test(data.id)) yield runCase(data, compile, exact.get(data.id));
  }
}

function runCase(test: Case, compile: (program: string) => CompileSuccess, exact: Exact | undefined): Outcome {
  const comparison = new Comparison();
  try {
    const compiled = compile(test.program);
    const data = JSON.stringify(test.data ?? {});
    const expectations = [test.expected].flat();
    if (expectations[0]?.where === 'data') {
      comparison.equal(
        'error',
        messageOf(() => buildModel(compiled, data)),
        bare(exact?.points[0].error ?? expectations[0].error ?? ''),
      );
      return comparison.outcome(test.id);
    }
    const model = buildModel(compiled, data);
    if (test.kind === 'rng') compareDraws(comparison, model, test, exact?.draws ?? expectations[0]);
    else {
      for (const [k, expected] of expectations.entries()) {
        comparePoint(comparison, model, Float64Array.from(test.points[k] ?? [], toNumber), expected, test, k, exact);
      }
    }
  } catch (error) {
    if (error instanceof Unsupported) return unsupported(test.id, error.message);
    comparison.fail(error instanceof Error ? error.message.split('\n').slice(0, 3).join(' | ') : String(error));
  }
  return comparison.outcome(test.id);
}

function comparePoint(
  comparison: Comparison,
  model: Model,
  position: Float64Array,
  expected: Expected,
  test: Case,
  k: number,
  exact: Exact | undefined,
): void {
  const gradient = new Float64Array(model.dimension);
  const full = { propto: false, jacobian: true };
  const out = new Float64Array(model.constrainedNames(ALL).length);
  const write = (): void => {
    model.seedRandom(1, 1);
    model.writeArray(position, out, ALL);
  };
  const precise = exact?.points[k];
  if (expected.error !== undefined) {
    const text = bare(precise?.error ?? expected.error);
    const evaluate = expected.where === 'write_array' ? write : () => model.logDensity(position, full);
    comparison.equal(`point ${k}: error`, messageOf(evaluate), text);
    if (expected.where === 'log_prob') {
      const withGradient = messageOf(() => model.logDensityGradient(position, gradient, full));
      comparison.equal(`point ${k}: error with gradient`, withGradient, text);
    }
    return;
  }
  const relative = Math.max(TOLERANCE, test.tolerance ?? 0, 10 * (expected.stan_error ?? 0));
  const near: Near = (what, found, reference, scale = 1, better = null) => {
    if (better !== null && Math.abs(found - better) <= EXACT_TOLERANCE * Math.max(1, Math.abs(better), scale)) return;
    comparison.near(`point ${k}: ${what}`, found, reference, relative * Math.max(1, Math.abs(reference), scale));
  };
  const nearGradient = (what: string, references: readonly ReferenceNumber[]): void => {
    const slopes = references.map(toNumber);
    const scale = slopes.reduce((most, g) => (Number.isFinite(g) ? Math.max(most, Math.abs(g)) : most), 1);
    for (const [i, g] of slopes.entries()) near(`${what}[${i}]`, gradient[i], g, scale, precise?.gradient?.[i]);
  };
  if (expected.log_prob !== undefined) {
    const reference = toNumber(expected.log_prob);
    const withGradient = model.logDensityGradient(position, gradient, full);
    near('log_prob', model.logDensity(position, full), reference, 1, precise?.log_prob);
    near('log_prob with gradient', withGradient, reference, 1, precise?.log_prob);
    if (expected.gradient !== undefined) nearGradient('gradient', expected.gradient);
  }
  if (expected.log_prob_propto !== undefined) {
    const propto = { propto: true, jacobian: true };
    const value = model.logDensityGradient(position, gradient, propto);
    const better = expected.log_prob_propto === expected.log_prob ? precise?.log_prob : null;
    near('log_prob_propto', value, toNumber(expected.log_prob_propto), 1, better);
    const slopes = expected.gradient_propto ?? expected.gradient;
    if (slopes !== undefined) nearGradient('gradient of propto', slopes);
  }
  if (expected.write_array !== undefined) {
    write();
    comparison.equal(`point ${k}: length of write_array`, out.length, expected.write_array.length);
    for (const [i, reference] of expected.write_array.entries()) {
      if (reference !== null) near(`write_array[${i}]`, out[i], toNumber(reference), 1, precise?.write_array?.[i]);
    }
  }
}

/** Compares a number with Stan's and, if they differ, with a more accurate one. */
type Near = (what: string, found: number, expected: number, scale?: number, better?: number | null) => void;

/** Requires that mean and standard deviation of each output over 20,000 draws agree within five standard errors of both runs. */
function compareDraws(comparison: Comparison, model: Model, test: Case, expected: Expected): void {
  const width = model.constrainedNames(ALL).length;
  const position = Float64Array.from(test.points[0] ?? [], toNumber);
  const out = new Float64Array(width);
  const sums = new Float64Array(width);
  const columns = Array.from({ length: width }, () => new Float64Array(DRAWS));
  model.seedRandom(20_261_121, 1);
  for (let draw = 0; draw < DRAWS; draw++) {
    model.writeArray(position, out, ALL);
    for (let i = 0; i < width; i++) {
      sums[i] += out[i];
      columns[i][draw] = out[i];
    }
  }
  for (let i = 0; i < width; i++) {
    const reference = expected.mean?.[i];
    const deviation = expected.sd?.[i];
    if (reference == null || deviation == null) continue;
    const mean = sums[i] / DRAWS;
    let square = 0;
    let fourth = 0;
    for (const x of columns[i]) {
      square += (x - mean) ** 2;
      fourth += (x - mean) ** 4;
    }
    const variance = square / (DRAWS - 1);
    const both = Math.sqrt(1 / DRAWS + 1 / (expected.draws ?? DRAWS));
    const sd = Math.sqrt(variance);
    comparison.near(`mean[${i}]`, mean, toNumber(reference), 5 * Math.max(sd, toNumber(deviation)) * both + 1e-12);
    const kurtosis = variance > 0 ? fourth / DRAWS / variance ** 2 : 3;
    const errorOfSd = sd * Math.sqrt(Math.max(kurtosis - 1, 0.5) / 4) * both;
    comparison.near(`sd[${i}]`, sd, toNumber(deviation), 5 * errorOfSd + 1e-12);
  }
}
