import { isGetOf } from '../../ir/expressions.js';
import type { Block, Expr, Local, StatementOf } from '../../ir/nodes.js';
import { blocksOf, someNode } from '../../ir/walk.js';

/** A loop that does nothing but add a term to a local in each iteration. */
export interface LoopSum {
  readonly local: Local;
  readonly term: Expr;
}

/** The loops of a block that add up the only other value of a local, which is assigned before, such as those of dot products. */
export function loopSumsOf(
  block: Block,
  assignmentsOf: (local: Local) => number,
): ReadonlyMap<StatementOf<'for'>, LoopSum> {
  const found = new Map<StatementOf<'for'>, LoopSum>();
  const visit = (statements: Block): void => {
    const assigned = new Set<Local>();
    for (const statement of statements) {
      for (const inner of blocksOf(statement)) visit(inner);
      if (statement.kind === 'assign') assigned.add(statement.local);
      const sum = statement.kind === 'for' ? sumOf(statement) : null;
      if (statement.kind !== 'for' || sum === null) continue;
      if (assigned.has(sum.local) && assignmentsOf(sum.local) === 2) found.set(statement, sum);
    }
  };
  visit(block);
  return found;
}

function sumOf({ body: [first, ...rest] }: StatementOf<'for'>): LoopSum | null {
  if (rest.length > 0 || first?.kind !== 'assign') return null;
  const { local, value } = first;
  if (local.storage !== 'local' || value.kind !== 'apply' || value.op !== 'add') return null;
  const [before, term] = value.args;
  return isGetOf(local)(before) && !someNode(term, isGetOf(local)) ? { local, term } : null;
}
