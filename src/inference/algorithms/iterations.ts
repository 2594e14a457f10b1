import type { EventSink } from '../events.js';
import { streamText } from '../number-text.js';
import type { Chain, Outcome } from './algorithm.js';
import type { Settings } from './arguments.js';

/** A range of iterations, all warmup or all sampling. */
export interface IterationPlan {
  readonly phase: 'warmup' | 'sampling';
  readonly count: number;
  /** The number of iterations before this range, and in the whole run. */
  readonly before: number;
  readonly total: number;
  readonly thin: number;
  /** Iterations of the same phase in earlier blocks of the run; 0 by default. */
  readonly done?: number;
  /** Iterations of the same phase in an earlier run or block, which thinning also counts; 0 by default. */
  readonly continued?: number;
  /** Iterations between progress messages; 0 for none. */
  readonly refresh: number;
  /** Whether draws are saved. */
  readonly save: boolean;
}

/** The iterations of a phase of a sampler, for a whole run, a continued one, or a block of a run. */
export function iterationPlan(phase: 'warmup' | 'sampling', settings: Settings, chain: Chain): IterationPlan {
  const { block, continued } = chain;
  const warmup = continued === undefined || block !== undefined ? settings.number('num_warmup') : 0;
  const samples = settings.number('num_samples');
  const { done, limit } = block ?? { done: 0, limit: samples };
  return {
    phase,
    ...(phase === 'sampling' && continued && { continued: continued.iterations }),
    count: phase === 'warmup' ? warmup : Math.min(samples, limit - done),
    before: phase === 'warmup' ? 0 : warmup,
    done: phase === 'warmup' ? 0 : done,
    total: warmup + limit,
    thin: settings.number('num_thin'),
    refresh: settings.number('refresh'),
    save: phase === 'sampling' || settings.flag('save_warmup'),
  };
}

/**
 * Runs iterations with Stan's progress messages and thinning, which starts with the first iteration of each phase. `transition` and
 * `record` return an outcome to end the run. The sink receives `logDensity` after each iteration. Returns that outcome, or undefined after
 * the last iteration.
 */
export function runIterations(
  plan: IterationPlan,
  sink: EventSink,
  interrupt: () => boolean,
  transition: () => Outcome | undefined,
  record: () => Outcome | undefined,
  logDensity?: () => number,
): Outcome | undefined {
  const { before, continued = 0, count, done = 0, refresh, save, thin, total } = plan;
  for (let index = 0; index < count; index++) {
    if (interrupt()) return { status: 'interrupted' };
    const inPhase = done + index + 1;
    const iteration = before + inPhase;
    if (refresh > 0 && (iteration === total || inPhase === 1 || inPhase % refresh === 0)) {
      sink.progress({ iteration, total, text: progressText(iteration, total, plan.phase) });
    }
    const ended = transition() ?? (save && (continued + index) % thin === 0 ? record() : undefined);
    if (ended !== undefined) return ended;
    sink.iteration(iteration, total, logDensity?.());
  }
  return undefined;
}

/** Stan's progress line. */
function progressText(iteration: number, total: number, phase: 'warmup' | 'sampling'): string {
  const width = Math.ceil(Math.log10(total));
  const percent = Math.floor((100 * iteration) / total);
  const name = phase === 'warmup' ? 'Warmup' : 'Sampling';
  return `Iteration: ${String(iteration).padStart(width)} / ${total} [${String(percent).padStart(3)}%]  (${name})`;
}

/** Measures the duration of a phase in seconds, rounded to milliseconds. */
export function stopwatch(clock: () => number): () => number {
  const start = clock();
  return () => Math.floor((clock() - start) * 1000) / 1000;
}

/** Stan's lines about the duration of a run. */
export function elapsedLines(warmupSeconds: number, samplingSeconds: number): string[] {
  const title = ' Elapsed Time: ';
  const indent = ' '.repeat(title.length);
  return [
    '',
    `${title}${streamText(warmupSeconds)} seconds (Warm-up)`,
    `${indent}${streamText(samplingSeconds)} seconds (Sampling)`,
    `${indent}${streamText(warmupSeconds + samplingSeconds)} seconds (Total)`,
    '',
  ];
}

/** Stan's line about the time spent on generated quantities (since 2.39). */
export function logGenerationTime(seconds: number, sink: EventSink): void {
  sink.log('info', '');
  sink.log('info', ` Elapsed Time: ${streamText(seconds)} seconds (Generated Quantities)`);
  sink.log('info', '');
}
