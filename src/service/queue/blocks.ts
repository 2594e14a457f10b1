/** The order of a chain's blocks in a queue. */
import type { ChainBlock, ChainResult } from './queue.js';

/** A chain that runs as a whole is block 0. */
export function blockOf({ block }: { readonly block?: ChainBlock | undefined }): number {
  return block?.index ?? 0;
}

/** The result of a block that was submitted when a later block, `ahead` blocks further, already existed. */
export function passedResult({ block }: { readonly block?: ChainBlock | undefined }, ahead: number): ChainResult {
  return { kind: 'passed', blocks: blockOf({ block }), ...(ahead === 1 && endOf(block)) };
}

/** Number of blocks of iterations whose files a chain has stored when it has reached or, with `hasEnded`, ended a block. */
export function storedBlocks(block: ChainBlock | undefined, hasEnded: boolean): number {
  if (block === undefined) return 0;
  return hasEnded && !isCompletion(block) ? block.index + 1 : block.index;
}

/** The members that mark a block as the last one. */
export function endOf({ isComplete, stopped }: Pick<ChainBlock, 'isComplete' | 'stopped'> = {}) {
  return { ...(stopped && { stopped }), ...(isComplete && { isComplete }) };
}

/** Whether a block is the last one, which has no iterations and completes the files of the chain. */
export function isCompletion({ isComplete, stopped }: Pick<ChainBlock, 'isComplete' | 'stopped'>): boolean {
  return stopped !== undefined || isComplete === true;
}

/** Whether no further block of the chain is submitted after this one. */
export function isLastBlock(block: ChainBlock | undefined): boolean {
  return block === undefined || isCompletion(block);
}
