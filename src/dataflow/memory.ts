import type { Block, Statement } from '../ir/nodes.js';
import { blocksOf, definedRefs } from '../ir/walk.js';
import type { LoopStatement } from './effects.js';
import type { Uses } from './uses.js';

/** The positions of the first and the last mention of the memory that a statement allocates. */
export interface Extent {
  readonly first: number;
  readonly last: number;
}

const NOTHING: Extent = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };

const EVERYWHERE: Extent = { first: -1, last: Number.POSITIVE_INFINITY };

/** Determines the memory that statements allocate, and whether anything outside of them refers to it. */
export class Memory {
  readonly #uses: () => Uses;
  readonly #known = new Map<Statement, Extent>();

  /** `uses` returns the uses of a block that contains all statements. It is called only if memory is allocated. */
  constructor(uses: () => Uses) {
    this.#uses = uses;
  }

  /** Whether the statement allocates memory and only the statement mentions it. */
  isConfined(statement: Statement): boolean {
    const { first, last } = this.extentOf(statement);
    return first <= last && this.#uses().contains(statement, first) && this.#uses().contains(statement, last);
  }

  /** Whether the loop's body allocates memory and only the body mentions it. */
  isConfinedToBody(loop: LoopStatement): boolean {
    return this.isConfined(loop) && this.extentOf(loop).first > this.#uses().position(loop);
  }

  /**
   * The extent of the memory that the statement allocates: empty (first > last) if it allocates none, unbounded if the memory stays in use.
   */
  extentOf(statement: Statement): Extent {
    const known = this.#known.get(statement);
    if (known !== undefined) return known;
    let extent = NOTHING;
    // No statement mentions the memory that a call allocates for itself.
    if (statement.kind === 'call') extent = at(this.#uses().position(statement));
    if (statement.kind === 'allocate' || statement.kind === 'call') {
      for (const ref of definedRefs(statement)) {
        extent = joined(extent, ref.storage === 'local' ? this.#uses().extentOf(ref) : EVERYWHERE);
      }
    }
    for (const block of blocksOf(statement)) extent = joined(extent, this.#extentOfBlock(block));
    this.#known.set(statement, extent);
    return extent;
  }

  #extentOfBlock(block: Block): Extent {
    let extent = NOTHING;
    for (const statement of block) extent = joined(extent, this.extentOf(statement));
    return extent;
  }
}

function at(position: number): Extent {
  return { first: position, last: position };
}

function joined(a: Extent, b: Extent): Extent {
  if (a === NOTHING) return b;
  return { first: Math.min(a.first, b.first), last: Math.max(a.last, b.last) };
}
