import { usesOf } from '../../dataflow/cached.js';
import { isLoop } from '../../dataflow/effects.js';
import { Memory } from '../../dataflow/memory.js';
import type { Uses } from '../../dataflow/uses.js';
import type { Block, Statement } from '../../ir/nodes.js';
import { mapBlocks, visitStatements } from '../../ir/walk.js';

/**
 * Region-based memory management (Tofte and Talpin 1997): puts consecutive statements in a separate region if nothing outside refers to the
 * memory that they allocate, so that it is free for later statements. A region begins with an allocation and ends with the last statement
 * that refers to its memory. Statements that allocate permanent memory are in no region, so temporary memory should be allocated after permanent
 * memory.
 */
export function releaseMemory(block: Block): Block {
  let allocates = false;
  visitStatements(block, ({ kind }) => {
    allocates ||= kind === 'allocate' || kind === 'call';
  });
  if (!allocates) return block;
  const regions = new Regions(usesOf(block));
  const result = regions.block(block);
  return regions.count === 0 ? block : result;
}

/** A statement, the later statements that refer to its memory, those that refer to their memory, and so on. */
interface Reach {
  /** The position in the block after the last of these statements. */
  readonly end: number;
  /** Whether no other statement refers to their memory. */
  readonly isConfined: boolean;
}

class Regions {
  count = 0;
  readonly #uses: Uses;
  readonly #memory: Memory;

  constructor(uses: Uses) {
    this.#uses = uses;
    this.#memory = new Memory(() => uses);
  }

  block(block: Block): Block {
    return this.#statements(block, this.#reaches(block), 0, block.length);
  }

  /** The statements of a block from one position to another; their regions must end within that range. */
  #statements(block: Block, reaches: readonly Reach[], from: number, to: number): Block {
    const result: Statement[] = [];
    for (let k = from; k < to; k++) {
      const original = block[k];
      const statement = mapBlocks(original, (inner) => this.block(inner));
      const { end, isConfined } = reaches[k];
      // A region that ends together with the surrounding one would not release memory earlier, and each iteration releases its own memory.
      const isOfIterations = isLoop(original) && this.#memory.isConfinedToBody(original);
      if (!isConfined || (end === to && from > 0) || (end === k + 1 && isOfIterations)) {
        result.push(statement);
        continue;
      }
      this.count++;
      result.push({ kind: 'arena', body: [statement, ...this.#statements(block, reaches, k + 1, end)] });
      k = end - 1;
    }
    return result;
  }

  #reaches(block: Block): readonly Reach[] {
    const found = block.map((statement) => ({ ...this.#memory.extentOf(statement), end: 0 }));
    for (let k = block.length - 1; k >= 0; k--) {
      const own = found[k];
      own.end = k + 1;
      while (own.end < block.length && this.#uses.position(block[own.end]) <= own.last) {
        const next = found[own.end];
        own.first = Math.min(own.first, next.first);
        own.last = Math.max(own.last, next.last);
        own.end = next.end;
      }
    }
    return found.map(({ end, first, last }, k) => {
      const isKnown = first <= last && first >= this.#uses.position(block[k]);
      return { end, isConfined: isKnown && this.#uses.contains(block[end - 1], last) };
    });
  }
}
