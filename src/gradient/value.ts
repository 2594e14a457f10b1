import type { Block, Expr, Local, Statement } from '../ir/nodes.js';
import { assignedLocals, expressionsOf, mapBlocks, someNode, visitStatements } from '../ir/walk.js';

/**
 * The forward parts of a differentiated block, which compute the value alone. It therefore equals the value that comes with a gradient,
 * operation by operation, even if it is infinite or NaN. `originals`: for each function that differentiation created, the one that it is
 * the forward part of; null for a reverse part. `removeDead` removes what only the reverse parts read.
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

/** Locals whose values come only from the tape: where a reverse part stores them, it restores a container's old elements. */
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
