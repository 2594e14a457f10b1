import { mentionsOf } from '../../dataflow/effects.js';
import type { Block, Local, Statement, Variable } from '../../ir/nodes.js';
import { blocksOf, mapBlocks, sameBlock, visitStatements } from '../../ir/walk.js';

/** Removes assignments to locals that are assigned again in the same block before anything reads them (dead-store elimination). */
export function removeOverwritten(block: Block): Block {
  const overwritten = new Set<Variable>();
  const kept: Statement[] = [];
  for (const statement of block.toReversed()) {
    if (statement.kind === 'assign' && overwritten.has(statement.local)) continue;
    if (blocksOf(statement).length > 0) {
      if (overwritten.size > 0) {
        visitStatements([statement], (inner) => mentionsOf(inner, (variable) => overwritten.delete(variable)));
      }
      kept.push(mapBlocks(statement, removeOverwritten));
      continue;
    }
    kept.push(statement);
    const assigned: Local | null = statement.kind === 'assign' ? statement.local : null;
    let mentions = 0;
    mentionsOf(statement, (variable) => {
      overwritten.delete(variable);
      if (variable === assigned) mentions++;
    });
    // The only mention is the assignment itself.
    if (assigned !== null && assigned.storage === 'local' && mentions === 1) overwritten.add(assigned);
  }
  return sameBlock(block, kept.reverse());
}
