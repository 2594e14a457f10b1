/** Runs whose chains run in blocks of iterations: the loop over blocks, and the decision after each. */

import { type BlockDecision, type BlockDraws, decideAfter } from './block-decision.js';
import type { BlockPlan } from './plan.js';

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
