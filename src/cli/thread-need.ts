/** Decides when chains that run one after the other in one thread need more threads. */

/**
 * Milliseconds of processor time. A thread takes 0.1 s to load the engine, and `COLD` in addition. A run with less work
 * left would not end earlier with more threads.
 */
const WORTH_THREADS = 500;
/** Milliseconds of processor time for which V8 optimizes the code of a thread's first chain. */
const COLD = 80;
/** Milliseconds of processor time after which a run that has not reported an iteration is assumed to be long. */
const SILENCE = 200;

/**
 * Milliseconds after which chains no longer wait for each other, because one may be waiting for the reader of its
 * output.
 */
const LONG = 10_000;

/** Milliseconds since the first chain started. */
export interface SpentTime {
  /** Processor time of all threads of the process. */
  readonly processor: number;
  readonly elapsed: number;
}

/** The progress of a chain: whether it has ended, or the iterations that it has reported. */
export interface ChainProgress {
  readonly isOver: boolean;
  readonly iteration?: number;
  readonly iterations?: number;
}

/** Whether the remaining iterations take long enough to start more threads. */
export function needThreads({ elapsed, processor }: SpentTime, chains: readonly ChainProgress[]): boolean {
  const done = chains.reduce((sum, chain) => sum + fraction(chain), 0);
  const left = chains.length - done;
  if (elapsed > LONG) return left > 0;
  if (done === 0) return processor > SILENCE;
  return (Math.max(0, processor - COLD) * left) / done > WORTH_THREADS;
}

function fraction({ isOver, iteration = 0, iterations = 0 }: ChainProgress): number {
  if (isOver) return 1;
  return iterations === 0 ? 0 : iteration / iterations;
}
