/** Decides when chains that run one after the other in one thread need more threads. */

/**
 * Milliseconds of processor time. A thread takes 0.1 s to load the engine, and `COLD` in addition. A run with less work
 * left would not end earlier with more threads.
 */
const WORTH_THREADS = 500;
/** Milliseconds of processor time for which V8 optimizes the code of a thread's first chain. */
const COLD = 80;
/** Milliseconds of processor time without progress after which a run is assumed to be long. */
const SILENCE = 200;
/** Part of a chain from which its progress counts. Before, most of the time was spent on reading inputs and on initial values. */
const FIRST_PART = 0.02;

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

/** The processor time at which some part of all chains was done. */
interface Observation {
  readonly done: number;
  readonly processor: number;
}

/** Estimates the time of the remaining iterations from those so far. */
export class ThreadNeed {
  /** The last two observations with different progress. */
  private earlier: Observation = { done: 0, processor: 0 };
  private latest: Observation = { done: 0, processor: COLD };
  private hasBegun = false;

  /** Whether the remaining iterations take long enough to start more threads. Call this regularly. */
  isGiven({ elapsed, processor }: SpentTime, chains: readonly ChainProgress[]): boolean {
    const done = chains.reduce((sum, chain) => sum + fraction(chain), 0);
    const left = chains.length - done;
    if (elapsed > LONG) return left > 0;
    if (!this.hasBegun && chains.some(({ isOver, iteration = 0 }) => isOver || iteration > 0)) {
      this.hasBegun = true;
      if (done === 0) this.latest = { done, processor: Math.max(COLD, processor) };
    }
    if (done > this.latest.done) {
      this.earlier = this.latest;
      this.latest = { done, processor };
    }
    const { earlier, latest } = this;
    if (left > 0 && processor - latest.processor > SILENCE) return true;
    if (latest.done === 0) return false;
    // The code of the first iterations was not optimized yet, so that the latest ones may be faster.
    const sinceStart = Math.max(0, latest.processor - COLD) / latest.done;
    const lately = (latest.processor - earlier.processor) / (latest.done - earlier.done);
    return Math.min(sinceStart, lately) * left > WORTH_THREADS;
  }
}

function fraction({ isOver, iteration = 0, iterations = 0 }: ChainProgress): number {
  if (isOver) return 1;
  const part = iterations === 0 ? 0 : iteration / iterations;
  return part < FIRST_PART ? 0 : part;
}
