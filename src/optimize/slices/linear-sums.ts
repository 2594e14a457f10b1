import type { Block, Expr, Local, Statement } from '../../ir/nodes.js';
import { termsOf } from '../../ir/sums.js';
import { assignedLocals, expressionsOf, visitExpression, visitStatements } from '../../ir/walk.js';

/**
 * Real scalars that are used only as terms of `target`, directly or through other such scalars: `target` is linear in each value that is
 * assigned to them.
 */
export function linearSumsOf(block: Block): ReadonlySet<Local> {
  const sums = new Set<Local>();
  const statements: Statement[] = [];
  visitStatements(block, (statement) => {
    statements.push(statement);
    for (const local of assignedLocals(statement)) {
      if (local.type === 'real' && local.storage === 'local') sums.add(local);
    }
  });
  for (let before = -1; before !== sums.size; ) {
    before = sums.size;
    for (const statement of statements) for (const local of otherReads(statement, sums)) sums.delete(local);
  }
  return sums;
}

/** Locals that the statement reads other than as a term of such a sum, or assigns other than from an expression. */
function otherReads(statement: Statement, sums: ReadonlySet<Local>): readonly Local[] {
  if (statement.kind === 'target') return readsBesideTerms(statement.value, sums);
  if (statement.kind === 'assign' && sums.has(statement.local)) return readsBesideTerms(statement.value, sums);
  const reads = expressionsOf(statement).flatMap((root) => readsIn(root));
  return statement.kind === 'assign' ? reads : [...reads, ...assignedLocals(statement)];
}

function readsBesideTerms(value: Expr, sums: ReadonlySet<Local>): readonly Local[] {
  return termsOf(value).flatMap((term) => (isMultiple(term.value, sums) ? [] : readsIn(term.value)));
}

/** Whether a term is one of the sums, or a product or quotient of one with a factor that reads none of them. */
export function isMultiple(term: Expr, sums: ReadonlySet<Local>): boolean {
  if (term.kind === 'get') return sums.has(term.local);
  if (term.kind !== 'apply' || (term.op !== 'mul' && term.op !== 'div')) return false;
  const [left, right] = term.args;
  const isTimes = (sum: Expr, factor: Expr): boolean =>
    sum.kind === 'get' && sums.has(sum.local) && !readsIn(factor).some((local) => sums.has(local));
  return isTimes(left, right) || (term.op === 'mul' && isTimes(right, left));
}

function readsIn(root: Expr): readonly Local[] {
  const reads: Local[] = [];
  visitExpression(root, (node) => {
    if (node.kind === 'get') reads.push(node.local);
  });
  return reads;
}
