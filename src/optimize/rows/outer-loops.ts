import { mentionsOfNode } from '../../dataflow/effects.js';
import type { Movable } from '../../dataflow/movable.js';
import { and, int, not } from '../../ir/expressions.js';
import type { Block, Expr, Statement, StatementOf } from '../../ir/nodes.js';
import { withBranches } from '../../ir/remake.js';
import { visitExpression } from '../../ir/walk.js';

type ForLoop = StatementOf<'for'>;

/** An outermost loop, whose bounds can be computed from data before the outermost statement around it. */
export interface OuterLoop {
  readonly loop: ForLoop;
  /** Whether the loop runs. */
  readonly condition: Expr;
  /** Whether data determine the expression of the loop's index, and it can be computed before the outermost statement around the loop. */
  readonly isKnown: (e: Expr) => boolean;
}

/** What replaces a loop. */
interface Replacement {
  /** Statements before the outermost statement around the loop. */
  readonly before: Block;
  readonly statements: Block;
}

/** Replaces outermost loops, including those under conditions on data. Returns the same block if none is replaced. */
export function mapOuterLoops(
  block: Block,
  movable: Movable,
  replace: (outer: OuterLoop) => Replacement | null,
): Block {
  let isChanged = false;

  const inside = (statement: Statement, condition: Expr, top: Statement, before: Statement[]): readonly Statement[] => {
    if (statement.kind === 'for') {
      const { from, to } = statement;
      const isKnown = (e: Expr): boolean => movable.isDataExpr(e) && !dependsOnInside(e, statement, top, movable);
      const replacement = [from, to, condition].every(isKnown)
        ? replace({ loop: statement, condition, isKnown })
        : null;
      if (replacement === null) return [statement];
      isChanged = true;
      before.push(...replacement.before);
      return replacement.statements;
    }
    if (statement.kind !== 'if' || !movable.isDataExpr(statement.condition)) return [statement];
    const branch = (inner: Block, when: Expr): Block =>
      inner.flatMap((each) => inside(each, and(condition, when), top, before));
    const then = branch(statement.then, statement.condition);
    return [withBranches(statement, then, branch(statement.otherwise, not(statement.condition)))];
  };

  const mapped = block.flatMap((statement) => {
    const before: Statement[] = [];
    const rest = inside(statement, int(1), statement, before);
    return [...before, ...rest];
  });
  return isChanged ? mapped : block;
}

/** Whether the expression reads what the statement around the loop, if any, has computed. */
function dependsOnInside(e: Expr, loop: ForLoop, top: Statement, movable: Movable): boolean {
  if (loop === top) return false;
  let depends = false;
  visitExpression(e, (node) =>
    mentionsOfNode(node, (variable) => {
      depends ||= variable !== loop.index && movable.isWrittenIn(variable, top);
    }),
  );
  return depends;
}
