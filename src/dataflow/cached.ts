import type { Block, Variable } from '../ir/nodes.js';
import { Movable } from './movable.js';
import { Uses } from './uses.js';

/*
 * Cached analyses of whole blocks. Blocks are immutable, and a pass that changes nothing returns the block that it received, so the next
 * pass reuses its analysis.
 */

const uses = new WeakMap<Block, Uses>();
const movables = new WeakMap<Block, { readonly inputs: readonly Variable[]; readonly movable: Movable }>();

/** The mentions and writes of the variables of a block. Ignores statements outside the block. */
export function usesOf(block: Block): Uses {
  let known = uses.get(block);
  if (known === undefined) {
    known = new Uses(block);
    uses.set(block, known);
  }
  return known;
}

/** The variables of a block that depend on data alone. */
export function movableOf(block: Block, inputs: readonly Variable[]): Movable {
  const known = movables.get(block);
  if (known?.inputs.length === inputs.length && known.inputs.every((input, k) => input === inputs[k]))
    return known.movable;
  const movable = new Movable(block, inputs, usesOf(block));
  movables.set(block, { inputs, movable });
  return movable;
}
