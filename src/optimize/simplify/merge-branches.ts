import { append } from '../../base/multimap.js';
import { usesOf } from '../../dataflow/cached.js';
import type { Uses } from '../../dataflow/uses.js';
import { isConst, isGetOf } from '../../ir/expressions.js';
import type { Block, Statement, StatementOf } from '../../ir/nodes.js';
import { withBranches } from '../../ir/remake.js';
import { blocksOf, mapBlocks } from '../../ir/walk.js';

/**
 * Jump threading for conditions that are evaluated twice, as in the output of differentiation: `if taken A else B; if taken C else D`
 * becomes `if taken {A; C} else {B; D}`, where A and B do not assign `taken`. A constant that only one branch uses, such as the initial
 * value of an adjoint, is then assigned in that branch. Applies to the forward and reverse parts together; most effective before values are
 * moved off the tape.
 */
export function mergeBranches(block: Block): Block {
  const merged = mergeAdjacent(block, usesOf(block));
  return merged === block ? block : sinkConstants(merged, usesOf(merged));
}

function mergeAdjacent(block: Block, uses: Uses): Block {
  const merged: Statement[] = [];
  let hasChanged = false;
  for (const statement of block) {
    const before = merged.at(-1);
    if (statement.kind === 'if' && before?.kind === 'if' && isSameCondition(before, statement, uses)) {
      merged.pop();
      merged.push(
        withBranches(before, [...before.then, ...statement.then], [...before.otherwise, ...statement.otherwise]),
      );
      hasChanged = true;
    } else merged.push(statement);
  }
  const inside = merged.map((statement) => {
    if (blocksOf(statement).length === 0) return statement;
    let hasInner = false;
    const own = mapBlocks(statement, (inner) => {
      const result = mergeAdjacent(inner, uses);
      if (result !== inner) hasInner = true;
      return result;
    });
    if (!hasInner) return statement;
    hasChanged = true;
    return own;
  });
  return hasChanged ? inside : block;
}

/** Whether both have the same local as their condition, and the first one does not assign it. */
function isSameCondition(first: StatementOf<'if'>, second: StatementOf<'if'>, uses: Uses): boolean {
  const { condition } = first;
  if (condition.kind !== 'get' || !isGetOf(condition.local)(second.condition)) return false;
  return [...first.then, ...first.otherwise].every((statement) => !uses.isWrittenIn(condition.local, statement));
}

/**
 * Moves assignments of constants into the only branch of a condition that mentions the local. `before`: assignments that have been moved
 * into the block.
 */
function sinkConstants(block: Block, uses: Uses, before: Block = []): Block {
  const moved = new Map<Block, Statement[]>();
  const rest = [...before, ...block].filter((statement) => {
    if (statement.kind !== 'assign' || !isConst(statement.value)) return true;
    const branch = branchOf(statement, block, uses);
    if (branch === null) return true;
    append(moved, branch, statement);
    return false;
  });
  return rest.map((statement) => mapBlocks(statement, (inner) => sinkConstants(inner, uses, moved.get(inner))));
}

function branchOf(assignment: StatementOf<'assign'>, block: Block, uses: Uses): Block | null {
  const { local } = assignment;
  const reader = uses.lastIn(block, uses.lastMention(local));
  if (reader === null || reader === assignment || !PASSED.has(reader.kind) || local.storage !== 'local') return null;
  const mentions = uses.count(local) - uses.countIn(local, assignment);
  const isOnly = (inner: Block): boolean =>
    inner.length > 0 && uses.countBetween(local, inner[0], inner[inner.length - 1]) === mentions;
  return blocksOf(reader).find(isOnly) ?? null;
}

/** Statements whose blocks run at most once. */
const PASSED: ReadonlySet<Statement['kind']> = new Set(['if', 'arena']);
