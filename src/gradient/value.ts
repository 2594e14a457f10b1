import type { Block, Expr, Local, Statement } from '../ir/nodes.js';
import { assignedLocals, expressionsOf, mapBlocks, someNode, visitStatements } from '../ir/walk.js';

/**
 * The value alone of a differentiated block: its forward parts. So the value computed alone is the one that comes with a gradient,
 * operation by operation, also where it is infinite or not a number.
 * `originals`: for each function that differentiation made, the one that it is the forward part of, null for a reverse part.
 * Leaves what only the reverse parts read to `removeDead`.
 */
export function valueAlone(gradient: Block, originals: ReadonlyMap<number, number | null>): Block {
  const popped = onlyPopped(gradient);
  const reads = (e: Expr): boolean =>
    someNode(e, (node) => node.kind === 'load_adjoint' || (node.kind === 'get' && popped.has(node.local)));
  const forward = (block: Block): Block =>
    block.flatMap((statement): readonly Statement[] => {
      if (isReverse(statement) || expressionsOf(statement).some(reads)) return [];
      if (statement.kind !== 'call') return [mapBlocks(statement, forward)];
      const original = originals.get(statement.callee);
      if (original === null) return [];
      return [original === undefined ? statement : { ...statement, callee: original }];
    });
  return forward(gradient);
}

/** Locals that only the tape gives a value: what a reverse part stores of them gives a container its old elements back. */
function onlyPopped(block: Block): ReadonlySet<Local> {
  const popped = new Set<Local>();
  const assigned = new Set<Local>();
  visitStatements(block, (statement) => {
    for (const local of assignedLocals(statement)) (statement.kind === 'pop' ? popped : assigned).add(local);
  });
  return new Set([...popped].filter((local) => !assigned.has(local)));
}

function isReverse(statement: Statement): boolean {
  switch (statement.kind) {
    case 'add_adjoint':
    case 'set_adjoint':
    case 'push':
    case 'pop':
    case 'push_ref':
    case 'pop_ref':
    case 'for_reverse':
      return true;
    case 'kernel':
      return statement.args.some((argument) => argument.kind === 'pointer' && argument.adjoint);
    default:
      return false;
  }
}
