import { isGetOf } from '../../ir/expressions.js';
import type { Block, Expr, Local, Statement } from '../../ir/nodes.js';
import { incrementsOf, type Term, termsOf } from '../../ir/sums.js';
import { assignedLocals, blocksOf, expressionsOf, someNode, visitExpression, visitStatements } from '../../ir/walk.js';

/** All statements that mention a local. */
interface Mentions {
  readonly statements: Set<Statement>;
  /** Number of reads. */
  reads: number;
}

/**
 * Real locals whose only use is that what is assigned and added to them becomes, once, part of `target`: directly, or as a term of another
 * one. So each value that is assigned to one is a term of `target`, after the other ones have been removed from it.
 */
export function accumulatorsOf(block: Block): ReadonlySet<Local> {
  const mentions = new Map<Local, Mentions>();
  const noted = (local: Local): Mentions => {
    const found = mentions.get(local) ?? { statements: new Set(), reads: 0 };
    mentions.set(local, found);
    return found;
  };
  visitStatements(block, (statement) => {
    for (const local of assignedLocals(statement)) noted(local).statements.add(statement);
    for (const root of expressionsOf(statement)) {
      visitExpression(root, (node) => {
        if (node.kind !== 'get') return;
        const found = noted(node.local);
        found.statements.add(statement);
        found.reads += 1;
      });
    }
  });
  const found = new Map<Local, Statement>();
  const visit = (statements: Block): void => {
    for (const [k, statement] of statements.entries()) {
      for (const inner of blocksOf(statement)) visit(inner);
      if (statement.kind !== 'assign' || statement.local.type !== 'real' || statement.local.storage !== 'local')
        continue;
      const { local } = statement;
      const known = mentions.get(local);
      const last = known && lastRead(statements.slice(k), local, known);
      if (last !== undefined) found.set(local, last);
    }
  };
  visit(block);
  // What reads an accumulator must be another one, or `target`.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [local, reader] of found) {
      if (reader.kind === 'assign' && !found.has(reader.local)) found.delete(local);
    }
  }
  return new Set(found.keys());
}

/** The terms without those that are accumulators. */
export function ownTerms(value: Expr, accumulators: ReadonlySet<Local>): readonly Term[] {
  return termsOf(value).filter((term) => !(term.value.kind === 'get' && accumulators.has(term.value.local)));
}

/** The statement that reads the sum of the local, whose first assignment precedes all others; undefined if it has other uses. */
function lastRead([first, ...rest]: Block, local: Local, { reads, statements }: Mentions): Statement | undefined {
  if (first.kind !== 'assign') return undefined;
  const left = new Set(statements);
  left.delete(first);
  let increments = 0;
  for (const statement of rest) {
    const isReader =
      left.has(statement) &&
      (statement.kind === 'target' || (statement.kind === 'assign' && statement.local !== local));
    if (isReader) {
      left.delete(statement);
      const [own, ...others] = termsOf(statement.value).filter((term) => someNode(term.value, isGetOf(local)));
      const isTerm = others.length === 0 && !own.negative && isGetOf(local)(own.value);
      const isAll = left.size === 0 && reads === increments + 1;
      const isKept = statement.kind === 'assign' || statement.term === 'always';
      return isTerm && isAll && isKept ? statement : undefined;
    }
    visitStatements([statement], (inner) => {
      if (!left.has(inner) || inner.kind !== 'assign' || inner.local !== local) return;
      if (incrementsOf(inner.value, isGetOf(local)) === null) return;
      left.delete(inner);
      increments += 1;
    });
  }
  return undefined;
}
