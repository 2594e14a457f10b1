import { add, get, isConst, isGetOf, mul } from '../../ir/expressions.js';
import type { Block, Expr, Local, Statement, StatementOf } from '../../ir/nodes.js';
import { termsOf } from '../../ir/sums.js';
import {
  assignedLocals,
  expressionsOf,
  mapBlocks,
  mapExpression,
  mapExpressions,
  mapStatements,
  someNode,
  visitExpression,
  visitStatements,
} from '../../ir/walk.js';

/**
 * Moves constant factors of sums into their terms: `s = 0; s = s + e; target += -0.5 * s` becomes `s = 0; s = s + -0.5 * e; target += s`, if the
 * sum has no other use. Rounding errors of the sum may change.
 */
export function scaleSums(block: Block): Block {
  const factors = factorsOf(block);
  if (factors.size === 0) return block;
  const unscaled = (root: Expr): Expr =>
    mapExpression(root, (node) => {
      const scaled = scaledSum(node);
      return scaled !== null && factors.has(scaled.local) ? get(scaled.local) : node;
    });
  const rewritten = (statement: Statement): Statement => {
    const own = statement.kind === 'assign' ? factors.get(statement.local) : undefined;
    if (statement.kind !== 'assign' || own === undefined) return mapExpressions(statement, unscaled);
    const term = incrementOf(statement);
    const value = term === null ? mul(own, statement.value) : add(get(statement.local), mul(own, unscaled(term)));
    return { ...statement, value };
  };
  const rewrite = (inner: Block): Block =>
    mapStatements(inner, (statement) => mapBlocks(rewritten(statement), rewrite));
  return rewrite(block);
}

/** The factors of the sums whose only use is one term of another sum or of `target`. */
function factorsOf(block: Block): ReadonlyMap<Local, Expr> {
  const reads = new Map<Local, number>();
  const increments = new Map<Local, number>();
  const others = new Map<Local, readonly Statement[]>();
  const found = new Map<Local, Expr>();
  visitStatements(block, (statement) => {
    for (const root of expressionsOf(statement)) {
      visitExpression(root, (node) => {
        if (node.kind === 'get') reads.set(node.local, (reads.get(node.local) ?? 0) + 1);
      });
    }
    const isIncrement = statement.kind === 'assign' && incrementOf(statement) !== null;
    for (const local of assignedLocals(statement)) {
      if (isIncrement) increments.set(local, (increments.get(local) ?? 0) + 1);
      else others.set(local, [...(others.get(local) ?? []), statement]);
    }
    if (statement.kind !== 'target' && statement.kind !== 'assign') return;
    for (const { value } of termsOf(statement.value)) {
      const scaled = scaledSum(value);
      if (scaled !== null && scaled.local.storage === 'local') found.set(scaled.local, scaled.factor);
    }
  });
  for (const local of found.keys()) {
    const [first, ...rest] = others.get(local) ?? [];
    const isSum = first?.kind === 'assign' && isConst(first.value) && rest.length === 0;
    if (!isSum || !increments.has(local) || reads.get(local) !== (increments.get(local) ?? 0) + 1) found.delete(local);
  }
  return found;
}

function scaledSum(e: Expr): { readonly local: Local; readonly factor: Expr } | null {
  if (e.kind !== 'apply' || e.op !== 'mul') return null;
  const [factor, sum] = e.args;
  return isConst(factor) && sum.kind === 'get' ? { local: sum.local, factor } : null;
}

function incrementOf({ local, value }: StatementOf<'assign'>): Expr | null {
  if (value.kind !== 'apply' || value.op !== 'add') return null;
  const [before, term] = value.args;
  return isGetOf(local)(before) && !someNode(term, isGetOf(local)) ? term : null;
}
