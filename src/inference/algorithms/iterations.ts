import type { EventSink } from '../events.js';
import { streamText } from '../number-text.js';
import type { Outcome } from './algorithm.js';

/** A stretch of iterations, all warmup or all sampling. */
export interface IterationPlan {
  readonly phase: 'warmup' | 'sampling';
  readonly count: number;
  /** Iterations before these, and of the whole run. */
  readonly before: number;
  readonly total: number;
  readonly thin: number;
  /** Iterations of the same phase in an earlier run, which thinning also counts; 0 unless given. */
  readonly continued?: number;
  /** Iterations between progress messages; 0 for none. */
  readonly refresh: number;
  /** Whether draws are saved. */
  readonly save: boolean;
}

/**
 * Runs iterations with Stan's progress messages and thinning, which starts with the first iteration of each phase.
 * `transition` and `record` return how the run ended when they end it. Returns that, or undefined after the last iteration.
 */
export function runIterations(
  plan: IterationPlan,
  sink: EventSink,
  interrupt: () => boolean,
  transition: () => Outcome | undefined,
  record: () => Outcome | undefined,
): Outcome | undefined {
  const { before, continued = 0, count, refresh, save, thin, total } = plan;
  for (let index = 0; index < count; index++) {
    if (interrupt()) return { status: 'interrupted' };
    const iteration = before + index + 1;
    if (refresh > 0 && (iteration === total || index === 0 || (index + 1) % refresh === 0)) {
      sink.progress({ iteration, total, text: progressText(iteration, total, plan.phase) });
    }
    const ended = transition() ?? (save && (continued + index) % thin === 0 ? record() : undefined);
    if (ended !== undefined) return ended;
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

/** Measures a phase in seconds, to the millisecond. */
export function stopwatch(clock: () => number): () => number {
  const start = clock();
  return () => Math.floor((clock() - start) * 1000) / 1000;
}

/** Stan's lines about the time that a run took. */
export function logElapsed(warmupSeconds: number, samplingSeconds: number, sink: EventSink): void {
  const title = ' Elapsed Time: ';
  const indent = ' '.repeat(title.length);
  sink.log('info', '');
  sink.log('info', `${title}${streamText(warmupSeconds)} seconds (Warm-up)`);
  sink.log('info', `${indent}${streamText(samplingSeconds)} seconds (Sampling)`);
  sink.log('info', `${indent}${streamText(warmupSeconds + samplingSeconds)} seconds (Total)`);
  sink.log('info', '');
}

/** Stan's line about the time that generating quantities took (since 2.39). */
export function logGenerationTime(seconds: number, sink: EventSink): void {
  sink.log('info', '');
  sink.log('info', ` Elapsed Time: ${streamText(seconds)} seconds (Generated Quantities)`);
  sink.log('info', '');
}
