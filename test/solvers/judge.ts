import { join } from 'node:path';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram, readJson } from '../conformance/engine.js';
import type { ReferenceNumber } from '../conformance/outcome.js';
import { ROOT, read } from '../project/tree.js';

/** The types of problems; each has a folder. */
export type Family = 'ode' | 'dae' | 'algebraic' | 'quadrature';
export const FAMILIES: readonly Family[] = ['ode', 'dae', 'algebraic', 'quadrature'];

/** A problem, as in `FAMILY/problems.json`. Fields that a type of problem does not use are absent. */
interface Problem {
  readonly name: string;
  /** The file in the same folder with its functions. */
  readonly file: string;
  /** The function passed to the solver: a right-hand side, a residual, a system or an integrand. */
  readonly function: string;
  /** The explicit form of a residual. */
  readonly explicit?: string;
  /** The argument `k` of the function, before it is multiplied by the multipliers of a point. */
  readonly nominal: readonly number[];
  readonly start?: readonly number[];
  readonly initialTime?: number;
  readonly times?: readonly number[];
  /** The absolute tolerance is this times the relative one; 1 if absent. */
  readonly absolute?: number;
  readonly stiff?: boolean;
  /** Limits of an integral. */
  readonly low?: ReferenceNumber;
  readonly high?: ReferenceNumber;
}

/** The result of real Stan at one point: numbers, or the first line of its message. */
export type Found =
  | { readonly error: string }
  | {
      readonly value: number;
      readonly gradient: readonly number[];
      /** The value of a run without derivatives. */
      readonly valueAlone: number;
      /** Calls of the right-hand side in that run, including those for Jacobians. */
      readonly evaluations: number;
    };

/** One solver at one tolerance, or at the defaults if it is absent. */
export interface RecordedRun {
  readonly solver: string;
  readonly tolerance?: number;
  /** One result per point; shorter than the list of points if the rest was not recorded. */
  readonly results: readonly Found[];
  /** If success depends on chance: more points, and the number of them at which real Stan's run without derivatives fails. */
  readonly chance?: { readonly points: readonly (readonly number[])[]; readonly failures: number };
}

/** A problem as `record/record.py` recorded it. */
export interface RecordedProblem {
  readonly name: string;
  /** The size of each state. The value is the sum of the states, each divided by its size. */
  readonly scale: readonly number[];
  /** Logarithms of multipliers, with the value and its derivatives with respect to them, computed in 80-bit arithmetic. */
  readonly exact: readonly {
    readonly point: readonly number[];
    readonly value: number;
    readonly gradient: readonly number[];
  }[];
  readonly runs: readonly RecordedRun[];
}

/** The criteria for a case. */
export type Criterion = 'success' | 'value' | 'gradient' | 'evaluations';

export interface Failure {
  readonly of: Criterion;
  readonly text: string;
}

export interface Verdict {
  readonly failures: readonly Failure[];
  /** Largest errors of values and of gradients over the points, relative to the size of the exact numbers. */
  readonly errors: { readonly value: Pair; readonly gradient: Pair };
  /** Calls of the right-hand side over all points. */
  readonly evaluations: Pair;
}

interface Pair {
  readonly ours: number;
  readonly stan: number;
}

/** Maximum number of steps to the next output. For stiff problems, explicit solvers get fewer, so that they fail quickly. */
const LIMIT = 100_000;
const LIMIT_OF_EXPLICIT = 20_000;

/** Maximum ratio of an error to Stan's. */
const WORSE = 10;
/** Maximum ratio of failures to those of real Stan, if success depends on chance. */
const RISKIER = 1.5;
/** Maximum ratio of calls of the right-hand side to those of CVODE. */
const COSTLIER = 2;
/** Solvers whose calls of the right-hand side are compared. */
export const COUNTED = /^ode_(adams|bdf)/;
/** Default tolerances: Stan Functions Reference, "Higher-order functions". */
const DEFAULTS: Readonly<Record<string, number>> = {
  ode_rk45: 1e-6,
  ode_ckrk: 1e-6,
  ode_adams: 1e-10,
  ode_bdf: 1e-10,
  dae: 1e-10,
  solve_newton: 1e-6,
  solve_powell: 1e-6,
  integrate_1d: Math.sqrt(Number.EPSILON),
};

/** The folder with the records of a type. */
export function recordsOf(family: Family): string {
  return join(ROOT, `test/solvers/${family}.jsonl.gz`);
}

/** The problems, the solver calls and the program of a type. */
class Folder {
  readonly #path: string;
  readonly #problems: ReadonlyMap<string, Problem>;
  readonly #calls: Readonly<Record<string, string>>;
  readonly #template: string;

  constructor(family: Family) {
    this.#path = `test/solvers/${family}`;
    const problems = readJson<readonly Problem[]>(join(ROOT, this.#path, 'problems.json'));
    this.#problems = new Map(problems.map((problem) => [problem.name, problem]));
    this.#calls = readJson(join(ROOT, this.#path, 'solvers.json'));
    this.#template = read(`${this.#path}/program.stan`);
  }

  problem(name: string): Problem {
    const problem = this.#problems.get(name);
    if (problem === undefined) throw new Error(`no problem is called ${name}`);
    return problem;
  }

  /** The problem's scalar as a Stan program. Sizes are literal, as in most programs with solvers. */
  program(problem: Problem, solver: string, parameters: number): string {
    const texts: Readonly<Record<string, string | number>> = {
      FUNCTIONS: read(`${this.#path}/${problem.file}`),
      FUNCTION: problem.function,
      EXPLICIT: problem.explicit ?? '',
      TYPES: '',
      ARGUMENTS: '',
      N: problem.start?.length ?? 0,
      T: problem.times?.length ?? 0,
      K: problem.nominal.length,
      P: parameters,
    };
    return this.#template
      .replace('@CALL@', this.#calls[solver])
      .replace(/@([A-Z]+)@/g, (_, name) => String(texts[name]));
  }
}

const folders = new Map(FAMILIES.map((family) => [family, new Folder(family)]));

function dataOf(problem: Problem, { solver, tolerance = 1 }: RecordedRun, scale: readonly number[]): string {
  const isExplicit = /^ode_(rk45|ckrk)_tol$/.test(solver);
  return JSON.stringify({
    t0: problem.initialTime,
    ts: problem.times,
    start: problem.start,
    scale,
    nominal: problem.nominal,
    low: problem.low,
    high: problem.high,
    x_r: [],
    x_i: [0],
    rtol: tolerance,
    atol: tolerance * (problem.absolute ?? 1),
    max_num_steps: problem.stiff === true && isExplicit ? LIMIT_OF_EXPLICIT : LIMIT,
    counted: 1,
  });
}

/** Number of characters that a program prints: one per call of its right-hand side. */
interface Counter {
  calls: number;
}

/** Runs a recorded problem with the selected solvers. */
export function* judgeProblem(
  family: Family,
  recorded: RecordedProblem,
  isChosen: (run: RecordedRun) => boolean,
): Generator<{ readonly run: RecordedRun; readonly verdict: Verdict; readonly ours: readonly Found[] }> {
  const folder = folders.get(family);
  if (folder === undefined) throw new Error(`no problems of the kind ${family}`);
  const problem = folder.problem(recorded.name);
  const chosen = recorded.runs.filter(isChosen);
  for (const solver of new Set(chosen.map((run) => run.solver))) {
    const compiled = compileProgram(folder.program(problem, solver, recorded.exact[0].point.length));
    for (const run of chosen.filter((one) => one.solver === solver)) {
      const counter: Counter = { calls: 0 };
      const data = dataOf(problem, run, recorded.scale);
      const model = buildModel(compiled, data, 1, (text) => {
        counter.calls += text.length;
      });
      const ours = run.results.map((_, k) => evaluate(model, counter, recorded.exact[k].point));
      const failed = run.chance?.points.filter((point) => 'error' in evaluateAlone(model, counter, point)).length ?? 0;
      yield { run, ours, verdict: judge(recorded, run, ours, failed) };
    }
  }
}

function evaluate(model: Model, counter: Counter, point: readonly number[]): Found {
  const gradient = new Float64Array(point.length);
  try {
    const value = model.logDensityGradient(Float64Array.from(point), gradient, { propto: false, jacobian: true });
    const alone = evaluateAlone(model, counter, point);
    return 'error' in alone ? alone : { value, gradient: [...gradient], ...alone };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** A run without derivatives. */
function evaluateAlone(
  model: Model,
  counter: Counter,
  point: readonly number[],
): { readonly error: string } | { readonly valueAlone: number; readonly evaluations: number } {
  const written = new Float64Array(point.length + 1);
  try {
    counter.calls = 0;
    model.writeArray(Float64Array.from(point), written, { transformedParameters: true, generatedQuantities: true });
    return { valueAlone: written[point.length], evaluations: counter.calls };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** An error estimate depends on the order of additions. */
const ESTIMATE = /(error estimate of integral) \S+/;

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .split('\n')[0]
    .split(" (in '")[0]
    .replace(/^(Exception: )+/, '')
    .replace(ESTIMATE, '$1');
}

function judge(recorded: RecordedProblem, run: RecordedRun, ours: readonly Found[], failed: number): Verdict {
  const tolerance = run.tolerance ?? DEFAULTS[run.solver];
  const failures: Failure[] = [];
  const worst = { value: { ours: 0, stan: 0 }, gradient: { ours: 0, stan: 0 } };
  const evaluations = { ours: 0, stan: 0 };
  for (const [k, stan] of run.results.entries()) {
    const our = ours[k];
    const exact = recorded.exact[k];
    const size = Math.max(1, Math.abs(exact.value), ...exact.gradient.map(Math.abs));
    if ('error' in our) {
      if (run.chance !== undefined) continue;
      const expected = 'error' in stan ? messageOf(stan.error) : 'success';
      if (our.error !== expected)
        failures.push({ of: 'success', text: `point ${k}: found "${our.error}", expected "${expected}"` });
      continue;
    }
    const errors = errorsOf(our, exact, size);
    if ('error' in stan) {
      if (!Number.isFinite(errors.value + errors.gradient))
        failures.push({ of: 'success', text: `point ${k}: no finite numbers, expected "${stan.error}"` });
      continue;
    }
    const reference = errorsOf(stan, exact, size);
    for (const what of ['value', 'gradient'] as const) {
      worst[what].ours = Math.max(worst[what].ours, errors[what]);
      worst[what].stan = Math.max(worst[what].stan, reference[what]);
    }
    evaluations.ours += our.evaluations;
    evaluations.stan += stan.evaluations;
  }
  if (run.chance !== undefined && failed > RISKIER * run.chance.failures) {
    const { points, failures: expected } = run.chance;
    failures.push({ of: 'success', text: `failed at ${failed} of ${points.length} points, Stan at ${expected}` });
  }
  for (const what of ['value', 'gradient'] as const) {
    const { ours: found, stan } = worst[what];
    if (!(found <= WORSE * Math.max(tolerance, stan)))
      failures.push({ of: what, text: `error of the ${what}: ${short(found)}, Stan's ${short(stan)}` });
  }
  if (COUNTED.test(run.solver) && evaluations.ours > COSTLIER * evaluations.stan)
    failures.push({ of: 'evaluations', text: `evaluations: ${evaluations.ours}, CVODE's ${evaluations.stan}` });
  return { failures, errors: worst, evaluations };
}

function errorsOf(
  found: Exclude<Found, { error: string }>,
  exact: RecordedProblem['exact'][number],
  size: number,
): { readonly value: number; readonly gradient: number } {
  const off = (a: number, b: number): number =>
    Number.isFinite(a) ? Math.abs(a - b) / size : Number.POSITIVE_INFINITY;
  return {
    value: Math.max(off(found.value, exact.value), off(found.valueAlone, exact.value)),
    gradient: Math.max(...found.gradient.map((g, i) => off(g, exact.gradient[i]))),
  };
}

function short(x: number): string {
  return x.toExponential(1);
}
