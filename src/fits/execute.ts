/** Executes the chains of a run: several concurrently if that saves time, in blocks if the plan has them, until one fails. */

import type { RunBlock, RunOutcome, RunProgress } from '../chain/request.js';
import type { Seconds } from '../inference/algorithms/algorithm.js';
import { elapsedLines } from '../inference/algorithms/iterations.js';
import type { EventSink } from '../inference/events.js';
import type { Stopped } from '../requests/until.js';
import { type BlockDecision, type BlockDraws, decideAfter } from './block-decision.js';
import type { BlockPlan } from './plan.js';
import { type SpentTime, ThreadNeed } from './thread-need.js';

/** Milliseconds between two checks whether more chains run concurrently. */
const INTERVAL = 50;

interface Concurrency {
  /** Maximum number of chains that run concurrently; all by default. */
  readonly most?: number | undefined;
  /** Whether several chains run concurrently. Called regularly until it is true. True by default. */
  readonly isLong?: () => boolean;
  /** Called for each failed chain. It stops the running chains; no further chain starts. */
  readonly fail: (error: unknown) => void;
}

/** Runs all chains, each as soon as another has ended. Resolves when all have ended. Rejects with the first failure when no chain is running. */
export async function runChains<Chain, End>(
  chains: readonly Chain[],
  run: (chain: Chain, index: number) => Promise<End>,
  { fail, isLong = () => true, most = chains.length }: Concurrency,
): Promise<readonly End[]> {
  const ends: End[] = [];
  const failures: unknown[] = [];
  const waiting = chains.entries();
  const runNext = async () => {
    for (const [index, chain] of waiting) {
      if (failures.length > 0) return;
      try {
        ends[index] = await run(chain, index);
      } catch (error) {
        failures.push(error);
        fail(error);
      }
    }
  };
  const first = runNext();
  if (!isLong()) await untilLong(isLong, first);
  await Promise.all([first, ...Array.from({ length: Math.min(most, chains.length) - 1 }, runNext)]);
  if (failures.length > 0) throw failures[0];
  return ends;
}

/** Waits until `isLong`, or until the end. */
async function untilLong(isLong: () => boolean, end: Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => isLong() && finish(), INTERVAL);
    const finish = () => {
      clearInterval(timer);
      resolve();
    };
    end.then(finish);
  });
}

/** A block of iterations of all chains. */
export interface Block {
  /** From 0. */
  readonly index: number;
  /** Number of iterations after warmup in earlier blocks. */
  readonly done: number;
}

/** Decides whether another block follows. `read` returns the draws so far. Throws `RequestError`. */
type Decide = (read: () => BlockDraws | Promise<BlockDraws>) => Promise<BlockDecision>;

/**
 * Runs blocks until the draws of all chains are precise enough or all iterations are complete. `runBlock` runs a block of
 * all chains and returns the result of `decide`, or the decision of another process. Returns the last decision.
 */
export async function runBlocks<Decision extends { readonly stopped?: object; readonly isComplete?: true }>(
  { limit, size, until }: BlockPlan,
  runBlock: (block: Block, decide: Decide) => Promise<Decision>,
): Promise<Decision> {
  for (let index = 0; ; index++) {
    const done = index * size;
    const iterations = Math.min(limit, done + size);
    const decision = await runBlock({ index, done }, async (read) => {
      if (until !== undefined) return decideAfter({ until, limit }, iterations, await read());
      return iterations < limit ? {} : { isComplete: true };
    });
    if (decision.stopped !== undefined || decision.isComplete === true) return decision;
  }
}

/** The environment in which an entry point runs chains: its threads, and the memory or the files for the draws. */
export interface Executor<Chain, End> extends Pick<Concurrency, 'fail' | 'most'> {
  run(chain: Chain): Promise<End>;
  /** The state of each chain, in order. */
  reports(): readonly { readonly progress: ReportedIterations | undefined; readonly isOver: boolean }[];
  timeSoFar(): SpentTime;
  /** The time at which the first chain started; undefined before. */
  begun(): SpentTime | undefined;
  /** Called before chains run concurrently. */
  startThreads?(): void;
}

type ReportedIterations = Pick<RunProgress, 'iteration' | 'iterations'>;

/** Runs chains as a whole. Rejects with the first failure when no chain is running. */
export function executeWhole<Chain, End>(
  chains: readonly Chain[],
  executor: Executor<Chain, End>,
): Promise<readonly End[]> {
  const { fail, most } = executor;
  return runChains(chains, (chain) => executor.run(chain), { fail, most, isLong: lengthCheck(executor) });
}

export type FinishedChain = Extract<RunOutcome, { readonly kind: 'finished' }>;

/** The environment of chains that run as a whole or in blocks. `run` rejects unless the chain finishes. */
export interface BlockExecutor<Chain> extends Executor<Chain & { readonly block?: RunBlock }, FinishedChain> {
  reports(): readonly { readonly progress: RunProgress | undefined; readonly isOver: boolean }[];
  /** Called before each block, with its index. */
  beginBlock?(index: number): void;
  /** The draws after a block. */
  draws(): BlockDraws;
  noteDecision(decision: BlockDecision): void;
}

/**
 * Runs chains as a whole, or in blocks. Rejects with the first failure when no chain is running. Later blocks continue from states, so that
 * they have no inputs.
 */
export async function execute<Chain extends { readonly inputs: object }>(
  chains: readonly Chain[],
  blocks: BlockPlan | undefined,
  executor: BlockExecutor<Chain>,
): Promise<{ readonly ends: readonly FinishedChain[]; readonly stopped?: Stopped }> {
  if (blocks === undefined) return { ends: await executeWhole(chains, executor) };
  const { fail, most } = executor;
  const { limit } = blocks;
  executor.startThreads?.();
  let ends: readonly FinishedChain[] = [];
  const { stopped } = await runBlocks(blocks, async ({ done, index }, decide) => {
    executor.beginBlock?.(index);
    const earlier = ends;
    const runBlock = (chain: Chain, place: number) => {
      const { seconds, state: from } = earlier.at(place) ?? {};
      if (from === undefined) return executor.run({ ...chain, block: { limit, done } });
      const { progress: before } = executor.reports()[place];
      const block = { limit, done, from, ...(before && { before }), ...(seconds && { seconds }) };
      return executor.run({ ...chain, inputs: {}, block });
    };
    ends = await runChains(chains, runBlock, { fail, most });
    const decision = await decide(() => executor.draws());
    executor.noteDecision(decision);
    return decision;
  });
  return { ends, ...(stopped && { stopped }) };
}

/** Whether chains take long enough to run in several threads. Short ones run one after the other in one thread, which starts sooner. */
function lengthCheck(executor: Omit<Executor<never, unknown>, 'run'>): () => boolean {
  const need = new ThreadNeed();
  return () => {
    const [begun, now] = [executor.begun(), executor.timeSoFar()];
    if (begun === undefined) return false;
    const spent = { elapsed: now.elapsed - begun.elapsed, processor: now.processor - begun.processor };
    const chains = executor.reports().map(({ isOver, progress }) => ({ ...progress, isOver }));
    const isLong = need.isGiven(spent, chains);
    if (isLong) executor.startThreads?.();
    return isLong;
  };
}

/** Reports the times of a chain that has run in blocks, and why it has stopped. */
export function reportEnd(
  sink: Pick<EventSink, 'elapsed' | 'log'>,
  seconds: Seconds | undefined,
  message: string | undefined,
): void {
  if (seconds !== undefined) sink.elapsed(elapsedLines(seconds.warmup, seconds.sampling));
  if (message !== undefined) sink.log('info', message);
}
