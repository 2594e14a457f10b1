import type { LoopStatement } from '../dataflow/effects.js';
import type { Uses } from '../dataflow/uses.js';
import type { Expr, Local, StatementOf, Variable } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { rootOf } from '../ir/refs.js';
import { visitExpression } from '../ir/walk.js';

/**
 * Whether an assignment in a loop that is reversed later is better recomputed there than saved: it is the local's only one, cheap, and
 * reads nothing that the loops change except their indexes.
 */
export function isRepeatable(
  statement: StatementOf<'assign'>,
  uses: Uses,
  splitLoops: readonly LoopStatement[],
): boolean {
  if (splitLoops.length === 0 || uses.writes(statement.local).length !== 1) return false;
  const outermost = splitLoops[0];
  const depth = uses.loops(outermost).length;
  const fixed = (variable: Variable): boolean => !uses.isWrittenIn(variable, outermost);
  const isIndex = (local: Local): boolean =>
    uses.writes(local).some((site) => site.statement === splitLoops[site.loops.length - 1 - depth]);
  let repeatable = true;
  visitExpression(statement.value, (node: Expr) => {
    if (node.kind === 'get') {
      if (!fixed(node.local) && !isIndex(node.local)) repeatable = false;
    } else if (node.kind === 'load') {
      if (!fixed(rootOf(node.ref)) || uses.definitionsIn(node.ref, outermost) > 0) {
        repeatable = false;
      }
    } else if (node.kind === 'size') {
      if (uses.definitionsIn(node.ref, outermost) > 0) repeatable = false;
    } else if (node.kind === 'target' || node.kind === 'load_adjoint') repeatable = false;
    else if (node.kind === 'apply' && OPS[node.op].cost === 'expensive') repeatable = false;
  });
  return repeatable;
}
