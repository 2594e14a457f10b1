/** The time of a program's gradient by statement. */

import type { Compiler, ProgramSource } from '../chain/compiler.js';
import type { EngineModel, MemoryLimits, ModelHost } from '../chain/model-host.js';
import { Misfit } from '../chain/refusal.js';
import type { CostDetail } from '../explain.js';
import { parseStanData } from '../formats/stan-json.js';
import { createRng } from '../inference/random/random-stream.js';
import type { ModelSteps, StepShare } from '../model/steps.js';

export interface ProfileRequest {
  readonly source: ProgramSource;
  /** In Stan's JSON format. */
  readonly data: string;
  /** Unconstrained parameters; by default a random point with a finite gradient. */
  readonly position?: readonly number[];
  /**
   * Number of timed evaluations of the gradient of each part of the program. By default, evaluations take about a second in total, with at
   * least 5 per part.
   */
  readonly evaluations?: number;
  /** Seed of the random point and of random numbers in transformed data. */
  readonly seed: number;
}

/** The time of a statement, in one evaluation of the log density and its gradient. */
export interface StatementTime {
  readonly nanoseconds: number;
  /** Fraction of the time of the gradient. */
  readonly share: number;
  /** Number of executions of its code, counting iterations of all enclosing loops, including loops that the compiler has created. */
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
  /** Number of timed evaluations. */
  readonly evaluations: number;
  /** All statements that take time, and all that increment `target`, in the order of the program. */
  readonly statements: readonly StatementTime[];
  /** Time that belongs to no statement, such as the start of an evaluation. */
  readonly other: Pick<StatementTime, 'nanoseconds' | 'share'>;
}

/**
 * Measures the time of a gradient by statement. The program is compiled with the gradients of its first k steps for each k (see
 * `gradient/steps.ts`); the time of a step is the difference between two of these. If several statements share a step, its time is divided
 * in proportion to their operations.
 *
 * Throws `Misfit` if the program cannot be compiled, or if no position with a finite gradient is found, and errors of the host.
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

/** Total milliseconds of all measurements, unless the number of evaluations is given. */
const BUDGET = 1000;
/** Minimum milliseconds of a measurement, so that the resolution and the overhead of the clock do not matter. */
const LEAST_BATCH = 0.5;
const LEAST_ROUNDS = 5;
const MOST_ROUNDS = 200;

/**
 * Nanoseconds of the gradients of the first k steps, from k = 0: the minimum over batches of the mean time, because every disturbance makes
 * a measurement longer. The gradients alternate, so that a change of the processor's frequency affects all of them.
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
  // A gradient takes at most as long as one with more steps. A longer time is a measurement error, or work that only the cut between the
  // steps requires.
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

/** The fraction of a step's time that each of its statements takes. */
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
