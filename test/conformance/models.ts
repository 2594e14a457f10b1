import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../../src/model/model.js';
import { ROOT } from '../project/tree.js';
import { readCases } from '../reference/stan.js';
import { buildModel, compileProgram, readJson, Unsupported } from './engine.js';
import { Comparison, type Outcome, type ReferenceNumber, toNumber, unsupported } from './outcome.js';

interface Expected {
  readonly parameters?: readonly { readonly name: string; readonly dims: readonly number[]; readonly block: string }[];
  readonly constrained_names?: readonly string[];
  readonly unconstrained_names?: readonly string[];
  readonly num_unconstrained?: number;
  /** Tolerances that replace 1e-9. */
  readonly tolerance?: number;
  readonly points: readonly Point[];
}

interface Point {
  readonly unconstrained: readonly ReferenceNumber[];
  readonly error?: string;
  readonly log_prob?: Readonly<Partial<Record<Form, ReferenceNumber>>>;
  readonly gradient?: Readonly<Partial<Record<'jacobian' | 'plain', readonly ReferenceNumber[]>>>;
  readonly write_array?: readonly (ReferenceNumber | null)[];
}

/** Gradients with 50 digits (`exact.py`), for models whose gradients in real Stan are approximations. */
interface Exact {
  readonly id: string;
  readonly points: readonly { readonly gradient: Readonly<Record<'jacobian' | 'plain', readonly number[]>> }[];
}

const FORMS = {
  jacobian: { propto: false, jacobian: true },
  propto_jacobian: { propto: true, jacobian: true },
  plain: { propto: false, jacobian: false },
  propto: { propto: true, jacobian: false },
} as const;

type Form = keyof typeof FORMS;

const TOLERANCE = 1e-9;
/**
 * The error of real Stan, relative to solutions at tolerances of 1e-13, in models that solve differential equations and whose cases have no
 * tolerance. Leapfrog's error is smaller at each of their points.
 */
const ERRORS: ReadonlyMap<string, number> = new Map([
  ['lotka_volterra_ode', 5e-3],
  ['ode_sir_tuple_flows', 1e-6],
  ['pharmacokinetics_ode', 2e-5],
  ['sir_epidemic_bdf', 5e-5],
]);
const ALL = { transformedParameters: true, generatedQuantities: true };

/** Runs every model of a folder: names, four log densities, gradients and constrained values at each point. */
export function* runModels(folder: string, only: RegExp): Generator<Outcome> {
  const exact = new Map(readCases<Exact>(join(ROOT, 'test/conformance/exact-models.jsonl')).map((e) => [e.id, e]));
  for (const name of readdirSync(folder).sort()) {
    if (only.test(name) && existsSync(join(folder, name, 'model.stan'))) {
      yield runModel(name, join(folder, name), exact.get(name));
    }
  }
}

function runModel(name: string, folder: string, exact: Exact | undefined): Outcome {
  const expectedPath = join(folder, 'expected.json');
  const expected: Expected = existsSync(expectedPath) ? readJson(expectedPath) : { points: [] };
  const comparison = new Comparison();
  try {
    const compiled = compileProgram(readFileSync(join(folder, 'model.stan'), 'utf8'));
    const model = buildModel(compiled, readFileSync(join(folder, 'data.json'), 'utf8'));
    compareNames(comparison, model, expected);
    const tolerance = expected.tolerance ?? ERRORS.get(name) ?? TOLERANCE;
    for (const [k, point] of expected.points.entries()) comparePoint(comparison, model, point, k, exact, tolerance);
  } catch (error) {
    if (error instanceof Unsupported) return unsupported(name, error.message);
    comparison.fail(
      error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 4).join(' | ') : String(error),
    );
  }
  return comparison.outcome(name);
}

function compareNames(comparison: Comparison, model: Model, expected: Expected): void {
  if (expected.parameters !== undefined) {
    comparison.equal(
      'parameters',
      model.parameters.map(({ name, dims, block }) => ({ name, dims, block })),
      expected.parameters.map(({ name, dims, block }) => ({ name, dims, block: block.replaceAll('_', ' ') })),
    );
  }
  if (expected.constrained_names !== undefined) {
    comparison.equal('constrained names', model.constrainedNames(ALL), expected.constrained_names);
  }
  if (expected.unconstrained_names !== undefined) {
    comparison.equal('unconstrained names', model.unconstrainedNames(), expected.unconstrained_names);
  }
  if (expected.num_unconstrained !== undefined) {
    comparison.equal('number of unconstrained parameters', model.dimension, expected.num_unconstrained);
  }
}

function comparePoint(
  comparison: Comparison,
  model: Model,
  point: Point,
  k: number,
  exact: Exact | undefined,
  tolerance: number,
): void {
  const position = Float64Array.from(point.unconstrained, toNumber);
  const gradient = new Float64Array(model.dimension);
  if (point.error !== undefined) {
    for (const evaluate of [
      () => model.logDensity(position, FORMS.jacobian),
      () => model.logDensityGradient(position, gradient, FORMS.jacobian),
    ]) {
      comparison.equal(`point ${k}: error`, messageOf(evaluate), bare(point.error));
    }
    return;
  }
  for (const form of Object.keys(FORMS) as Form[]) {
    const reference = point.log_prob?.[form];
    if (reference === undefined) continue;
    const expected = toNumber(reference);
    const allowed = tolerance * Math.max(1, Math.abs(expected));
    comparison.near(`point ${k}: log_prob ${form}`, model.logDensity(position, FORMS[form]), expected, allowed);
    const value = model.logDensityGradient(position, gradient, FORMS[form]);
    comparison.near(`point ${k}: log_prob ${form} with gradient`, value, expected, allowed);
    const kind = form === 'jacobian' || form === 'propto_jacobian' ? 'jacobian' : 'plain';
    const slopes = exact?.points[k].gradient[kind] ?? point.gradient?.[kind];
    if (slopes !== undefined)
      compareGradient(comparison, `point ${k}: gradient ${form}`, gradient, slopes.map(toNumber), tolerance);
  }
  if (point.write_array !== undefined) {
    const out = new Float64Array(model.constrainedNames(ALL).length);
    model.seedRandom(1, 1);
    model.writeArray(position, out, ALL);
    comparison.equal(`point ${k}: length of write_array`, out.length, point.write_array.length);
    for (const [i, reference] of point.write_array.entries()) {
      if (reference === null) continue;
      const expected = toNumber(reference);
      comparison.near(`point ${k}: write_array[${i}]`, out[i], expected, tolerance * Math.max(1, Math.abs(expected)));
    }
  }
}

function compareGradient(
  comparison: Comparison,
  what: string,
  found: Float64Array,
  expected: readonly number[],
  tolerance: number,
): void {
  const scale = expected.reduce((most, g) => (Number.isFinite(g) ? Math.max(most, Math.abs(g)) : most), 1);
  for (const [i, g] of expected.entries()) comparison.near(`${what}[${i}]`, found[i], g, tolerance * scale);
}

/** The first line of the error that the evaluation throws, without Stan's prefixes. */
export function messageOf(evaluate: () => unknown): string | null {
  try {
    const value = evaluate();
    return value === undefined ? null : `no error, but ${String(value)}`;
  } catch (error) {
    return bare(error instanceof Error ? error.message : String(error));
  }
}

/** A message without `Exception: `, the generated name of the model, and the location. */
export function bare(message: string): string {
  return message
    .split('\n')[0]
    .replace(/^Exception: /, '')
    .replace(/^\w+_namespace::\w+: /, '')
    .replace(/ \(in '.*$/, '')
    .trimEnd();
}
