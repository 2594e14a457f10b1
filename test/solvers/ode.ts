import { join } from 'node:path';
import type { JsonData } from '../../src/model/json.js';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram, readJson } from '../conformance/engine.js';
import { ROOT, read } from '../project/tree.js';

const FOLDER = 'test/solvers/ode';

/** An initial value problem, as in `ode/problems.json`. */
interface Problem {
  readonly name: string;
  /** The file below `ode/` with its right-hand side, and the function there. */
  readonly file: string;
  readonly function: string;
  /** What the right-hand side takes as `k`, before the multipliers of a point. */
  readonly nominal: readonly number[];
  readonly start: readonly number[];
  readonly initialTime: number;
  readonly times: readonly number[];
  /** The absolute tolerance is this times the relative one; 1 if absent. */
  readonly absolute?: number;
  readonly stiff?: boolean;
}

/** What real Stan gave at one point: numbers, or the first line of its message. */
export type Found =
  | { readonly error: string }
  | {
      readonly value: number;
      readonly gradient: readonly number[];
      /** The value of a run without derivatives. */
      readonly valueAlone: number;
      /** Calls of the right-hand side in that run, those for Jacobians included. */
      readonly evaluations: number;
    };

/** One solver at one tolerance; at the defaults where that is absent. */
export interface RecordedRun {
  readonly solver: string;
  readonly tolerance?: number;
  /** By point; fewer than there are points where the rest was not recorded. */
  readonly results: readonly Found[];
}

/** A problem as `record/ode.py` recorded it. */
export interface RecordedProblem {
  readonly name: string;
  /** The size of each state, by which it is divided in the sum that is the value. */
  readonly scale: readonly number[];
  /** Logarithms of multipliers, with the value and its derivatives by them in 80 bits. */
  readonly exact: readonly {
    readonly point: readonly number[];
    readonly value: number;
    readonly gradient: readonly number[];
  }[];
  readonly runs: readonly RecordedRun[];
}

/** Errors relative to a bound, of the worst point; at most 1 where ours is as good as it has to be. */
export interface Verdict {
  readonly failures: readonly string[];
  /** Ours and Stan's largest errors of values and of gradients, relative to the size of the exact numbers. */
  readonly errors: { readonly value: Pair; readonly gradient: Pair };
  /** Calls of the right-hand side over all points. */
  readonly evaluations: Pair;
}

interface Pair {
  readonly ours: number;
  readonly stan: number;
}

/** Steps to the next output. Explicit solvers may take fewer where the problem is stiff, so that failing does not take long. */
const LIMIT = 100_000;
const LIMIT_OF_EXPLICIT = 20_000;

/** How much larger than Stan's an error may be. */
const WORSE = 10;
/** How many more calls of the right-hand side there may be than CVODE makes. */
const COSTLIER = 2;
/** Default tolerances: Stan Functions Reference, "Ordinary differential equation (ODE) solvers". */
const DEFAULTS: Readonly<Record<string, number>> = { ode_rk45: 1e-6, ode_ckrk: 1e-6, ode_adams: 1e-10, ode_bdf: 1e-10 };

const problems = new Map(
  readJson<readonly Problem[]>(join(ROOT, FOLDER, 'problems.json')).map((problem) => [problem.name, problem]),
);
const calls = readJson<Readonly<Record<string, string>>>(join(ROOT, FOLDER, 'solvers.json'));
const template = read(`${FOLDER}/program.stan`);

/** The problem's scalar as a Stan program: sizes are literal, as in most programs with differential equations. */
export function programOf(problem: Problem, solver: string): string {
  const sizes: Readonly<Record<string, number>> = {
    N: problem.start.length,
    T: problem.times.length,
    K: problem.nominal.length,
    P: problem.nominal.length + 1,
  };
  const texts: Readonly<Record<string, string>> = {
    FUNCTIONS: read(`${FOLDER}/${problem.file}`),
    SLOPE: `return ${problem.function}(t, y, k);`,
    SOLVE: `y = ${calls[solver]};`,
    TYPES: '',
    ARGUMENTS: '',
    DATA: '',
  };
  const filled = template.replace(/@([A-Z]+)@/g, (whole, name) => texts[name] ?? whole);
  return filled.replace(/@([A-Z]+)@/g, (_, name) => String(sizes[name] ?? ''));
}

function dataOf(problem: Problem, { solver, tolerance = 1 }: RecordedRun, scale: readonly number[]): JsonData {
  const isExplicit = /^ode_(rk45|ckrk)_tol$/.test(solver);
  return {
    t0: problem.initialTime,
    ts: [...problem.times],
    start: [...problem.start],
    scale: [...scale],
    nominal: [...problem.nominal],
    rtol: tolerance,
    atol: tolerance * (problem.absolute ?? 1),
    max_num_steps: problem.stiff === true && isExplicit ? LIMIT_OF_EXPLICIT : LIMIT,
    counted: 1,
  };
}

/** Runs a recorded problem with the solvers that are chosen. */
export function* judgeProblem(
  recorded: RecordedProblem,
  isChosen: (run: RecordedRun) => boolean,
): Generator<{ readonly run: RecordedRun; readonly verdict: Verdict }> {
  const problem = problems.get(recorded.name);
  if (problem === undefined) throw new Error(`no problem is called ${recorded.name}`);
  const chosen = recorded.runs.filter(isChosen);
  for (const solver of new Set(chosen.map((run) => run.solver))) {
    const compiled = compileProgram(programOf(problem, solver));
    for (const run of chosen.filter((one) => one.solver === solver)) {
      const counter = { calls: 0 };
      const data = JSON.stringify(dataOf(problem, run, recorded.scale));
      const model = buildModel(compiled, data, 1, (text) => {
        counter.calls += text.length;
      });
      yield {
        run,
        verdict: judge(
          recorded,
          run,
          run.results.map((_, k) => evaluate(model, counter, recorded.exact[k].point)),
        ),
      };
    }
  }
}

function evaluate(model: Model, counter: { calls: number }, point: readonly number[]): Found {
  const position = Float64Array.from(point);
  const gradient = new Float64Array(point.length);
  const written = new Float64Array(point.length + 1);
  try {
    const value = model.logDensityGradient(position, gradient, { propto: false, jacobian: true });
    counter.calls = 0;
    model.writeArray(position, written, { transformedParameters: true, generatedQuantities: true });
    return { value, gradient: [...gradient], valueAlone: written[point.length], evaluations: counter.calls };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .split('\n')[0]
    .split(" (in '")[0]
    .replace(/^(Exception: )+/, '');
}

function judge(recorded: RecordedProblem, run: RecordedRun, ours: readonly Found[]): Verdict {
  const tolerance = run.tolerance ?? DEFAULTS[run.solver];
  const failures: string[] = [];
  const worst = { value: { ours: 0, stan: 0 }, gradient: { ours: 0, stan: 0 } };
  const evaluations = { ours: 0, stan: 0 };
  for (const [k, stan] of run.results.entries()) {
    const our = ours[k];
    const exact = recorded.exact[k];
    if ('error' in our) {
      if (!('error' in stan)) failures.push(`point ${k}: ${our.error}`);
      else if (messageOf(stan.error) !== our.error)
        failures.push(`point ${k}: found "${our.error}", expected "${stan.error}"`);
      continue;
    }
    const size = Math.max(1, Math.abs(exact.value), ...exact.gradient.map(Math.abs));
    const errors = errorsOf(our, exact, size);
    worst.value.ours = Math.max(worst.value.ours, errors.value);
    worst.gradient.ours = Math.max(worst.gradient.ours, errors.gradient);
    if ('error' in stan) continue;
    const reference = errorsOf(stan, exact, size);
    worst.value.stan = Math.max(worst.value.stan, reference.value);
    worst.gradient.stan = Math.max(worst.gradient.stan, reference.gradient);
    evaluations.ours += our.evaluations;
    evaluations.stan += stan.evaluations;
  }
  for (const [what, { ours: found, stan }] of Object.entries(worst)) {
    const bound = WORSE * Math.max(tolerance, stan);
    if (!(found <= bound)) failures.push(`error of the ${what}: ${short(found)}, Stan's ${short(stan)}`);
  }
  if (/^ode_(adams|bdf)/.test(run.solver) && evaluations.ours > COSTLIER * evaluations.stan)
    failures.push(`evaluations: ${evaluations.ours}, CVODE's ${evaluations.stan}`);
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
