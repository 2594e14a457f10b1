/** The time of a program's gradient by statement. */
import type { CostDetail } from '../explain.js';
import { createRng } from '../inference/random/random-stream.js';
import { parseStanData } from '../model/json.js';
import type { ModelSteps, StepShare } from '../model/steps.js';
import type { ProgramSource } from './engine.js';
import type { Compiler } from './in-process.js';
import type { EngineModel, MemoryLimits, ModelHost } from './model-host.js';
import { Misfit } from './refusal.js';

export interface ProfileRequest {
  readonly source: ProgramSource;
  /** In Stan's JSON format. */
  readonly data: string;
  /** Unconstrained parameters; a random point with a finite gradient unless given. */
  readonly position?: readonly number[];
  /** How often the gradient of each part of the program is timed; unless given, about a second of evaluations, at least 5 of each. */
  readonly evaluations?: number;
  /** Seed of the random point and of random numbers in transformed data. */
  readonly seed: number;
}

/** The time of a statement, in one evaluation of the log density and its gradient. */
export interface StatementTime {
  readonly nanoseconds: number;
  /** Fraction of the time of the gradient. */
  readonly share: number;
  /** How often its code is executed: once for each iteration of the loops that it runs in, also of those that the compiler has made. */
  readonly executions: number;
  /** The form in which the compiler computes a statement that adds to `target`. */
  readonly cost?: Pick<CostDetail, 'cost' | 'by' | 'terms_by' | 'reasons'>;
  /** The statement. */
  readonly text: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
  /** The last line. */
  readonly end_line: number;
}

export interface ProgramProfile {
  /** Time of one evaluation of the log density and its gradient. */
  readonly nanoseconds: number;
  /** How often it was timed. */
  readonly evaluations: number;
  /** In the order of the program: all that take time, and all that add to `target`. */
  readonly statements: readonly StatementTime[];
  /** Time that belongs to no statement: the start of an evaluation. */
  readonly other: Pick<StatementTime, 'nanoseconds' | 'share'>;
}

/**
 * Measures how the time of a gradient is made up of that of the program's statements. The program is compiled with the gradients of its first steps,
 * and the differences between the times of these are those of the steps (see `gradient/steps.ts`). The time of a step that several statements share
 * is divided in proportion to the operations in them.
 *
 * Throws `Misfit` if the program cannot be compiled, or if there is no position, and the host's errors.
 */
export function profileProgram(
  compiler: Compiler,
  host: ModelHost,
  { data, evaluations, position, seed, source }: ProfileRequest,
  limits: MemoryLimits,
): ProgramProfile {
  const compilation = compiler.compile(source, { profiles: true });
  if (!compilation.compiled) throw new Misfit(`the program cannot be compiled: ${compilation.text}`);
  const module = new WebAssembly.Module(new Uint8Array(compilation.wasm));
  const compiled = { artifact: compilation.artifact, module };
  const model = host.instantiate(compiled, parseStanData(data), { seed, print: () => undefined, ...limits });
  const { steps } = model;
  if (steps === undefined) throw new Error('the module has no steps');
  steps.start(position === undefined ? startOf(host, model, seed) : Float64Array.from(position));
  const { times, evaluations: timed } = timesOf(steps, evaluations);
  const { costs = [] } = compiler.describe(source, false, true);
  return { evaluations: timed, ...profileOf(steps, times, costs) };
}

/** Maximum number of random points. */
const MOST_TRIES = 100;

/** A random point whose gradient is finite. */
function startOf(host: ModelHost, model: EngineModel, seed: number): Float64Array {
  const { dimension } = model;
  const rng = createRng(seed, 1);
  const gradient = new Float64Array(dimension);
  const isUsable = (position: Float64Array): boolean => {
    try {
      const value = model.logDensityGradient(position, gradient, { propto: true, jacobian: true });
      return Number.isFinite(value) && gradient.every(Number.isFinite);
    } catch (error) {
      if (host.blame(error)?.kind === 'rejection') return false;
      throw error;
    }
  };
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const position = Float64Array.from({ length: dimension }, () => 2 * (2 * rng.uniform() - 1));
    if (isUsable(position)) return position;
  }
  throw new Misfit(`the gradient is not finite at any of ${MOST_TRIES} random points: choose a point`);
}

/** Milliseconds for all measurements, unless the number of evaluations is given. */
const BUDGET = 1000;
/** The time that is measured at once is at least this, so that the clock's resolution and its call do not matter. */
const LEAST_BATCH = 0.5;
const LEAST_ROUNDS = 5;
const MOST_ROUNDS = 200;

/**
 * Nanoseconds of the gradients of no step, of the first one, and so on: the smallest mean of a batch, because whatever disturbs a measurement makes it
 * longer. The gradients take turns, so that a change of the processor's clock affects all of them.
 */
function timesOf(
  { count, repeat }: ModelSteps,
  wanted: number | undefined,
): { readonly times: number[]; readonly evaluations: number } {
  const time = (gradient: number, evaluations: number): number => {
    const start = performance.now();
    repeat(gradient, evaluations);
    return performance.now() - start;
  };
  const all = Array.from({ length: count + 1 }, (_, k) => k);
  // Code is compiled when it is first called.
  for (const k of all) repeat(k, 2);
  const batchLength = Math.max(LEAST_BATCH, 50 * resolution());
  const sizes = all.map((k) => batchSize((evaluations) => time(k, evaluations), batchLength, wanted ?? 2 ** 20));
  const times = all.map((k) => time(k, sizes[k]));
  const round = times.reduce((sum, each) => sum + each, 0);
  const affordable = Math.min(MOST_ROUNDS, Math.max(LEAST_ROUNDS, Math.floor(BUDGET / round)));
  const rounds = wanted === undefined ? affordable : Math.ceil(wanted / sizes[count]);
  for (let done = 1; done < rounds; done++) {
    for (const k of all) times[k] = Math.min(times[k], time(k, sizes[k]));
  }
  return { times: times.map((each, k) => (1e6 * each) / sizes[k]), evaluations: rounds * sizes[count] };
}

/** The number of evaluations that take at least `length` milliseconds, at most `most`. */
function batchSize(time: (evaluations: number) => number, length: number, most: number): number {
  let size = 1;
  while (size < most && Math.min(time(size), time(size)) < length) size *= 2;
  return Math.min(size, most);
}

/** The least difference between readings of the clock in milliseconds. Browsers round them. */
function resolution(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 5; k++) {
    const start = performance.now();
    let now = start;
    while (now === start) now = performance.now();
    least = Math.min(least, now - start);
  }
  return least;
}

/** Divides the times among the statements. */
function profileOf(
  steps: ModelSteps,
  times: readonly number[],
  costs: readonly CostDetail[],
): Omit<ProgramProfile, 'evaluations'> {
  // A gradient takes no longer than one with more steps, so that a longer time is an error of measurement, or work that only a cut requires.
  const least = [...times];
  for (let k = least.length - 2; k >= 0; k--) least[k] = Math.min(least[k], least[k + 1]);
  const total = least[least.length - 1];
  const own = new Map<number, { nanoseconds: number; executions: number }>();
  let rest = total;
  for (const [k, parts] of steps.parts().entries()) {
    const spent = least[k + 1] - least[k];
    for (const { executions, share, source } of sharesOf(parts)) {
      const known = own.get(source) ?? { nanoseconds: 0, executions: 0 };
      const nanoseconds = known.nanoseconds + share * spent;
      own.set(source, { nanoseconds, executions: Math.max(known.executions, executions) });
      rest -= share * spent;
    }
  }
  const shareOf = (nanoseconds: number): number => (total > 0 ? nanoseconds / total : 0);
  const known = new Map(costs.map((cost) => [placeOf(cost), cost]));
  const statements = steps.sources.flatMap(({ begin, end, text }, source): readonly StatementTime[] => {
    if (begin === null) return [];
    const { column, file, line } = begin;
    const { executions = 0, nanoseconds = 0 } = own.get(source) ?? {};
    const cost = known.get(placeOf({ file, line, column }));
    const time = { nanoseconds, share: shareOf(nanoseconds), executions, ...(cost && { cost: costOf(cost) }) };
    return [{ ...time, text, file, line, column, end_line: end?.line ?? line }];
  });
  return { nanoseconds: total, statements, other: { nanoseconds: rest, share: shareOf(rest) } };
}

/** The part of a step's time that each of its statements takes. */
function sharesOf(parts: readonly StepShare[]): readonly (StepShare & { readonly share: number })[] {
  const operations = parts.reduce((sum, part) => sum + part.operations, 0);
  return parts.map((part) => ({ ...part, share: operations > 0 ? part.operations / operations : 1 / parts.length }));
}

function placeOf({ column, file, line }: Pick<CostDetail, 'file' | 'line' | 'column'>): string {
  return `${file}:${line}:${column}`;
}

function costOf({ by, cost, reasons, terms_by }: CostDetail) {
  return { cost, by, terms_by, reasons };
}
