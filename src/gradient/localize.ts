import { append } from '../base/multimap.js';
import { mentionsOfNode } from '../dataflow/effects.js';
import { Uses } from '../dataflow/uses.js';
import { ZERO } from '../ir/expressions.js';
import type { Block, Local, Statement } from '../ir/nodes.js';
import { withValue } from '../ir/remake.js';
import { mapBlocks, mapStatements, visitExpression } from '../ir/walk.js';

/**
 * For adjoints that are local to one iteration of a loop: the first contribution becomes their initial value, and clearing after the last
 * use is left out, so that nothing is carried from iteration to iteration (and the iteration can be vectorized). `homes`: the adjoints that
 * are local to a block, for the given one and the blocks inside.
 */
export function localizeAdjoints(block: Block, homes: ReadonlyMap<Block, readonly Local[]>): Block {
  const uses = new Uses(block);
  const inside = (inner: Block): Block => {
    const { starts, ends } = startsAndEnds(inner, homes.get(inner) ?? [], uses);
    return mapStatements(inner, (statement) => {
      if (ends.get(statement)?.some((local) => isClearing(statement, local)) === true) return [];
      const kept = mapBlocks(statement, inside);
      const begun = starts.get(statement);
      return begun === undefined ? kept : withStarts(statement, kept, begun);
    });
  };
  return inside(block);
}

/** The statement with the initial values of the adjoints that it mentions first; `kept` is the statement with its blocks localized. */
function withStarts(statement: Statement, kept: Statement, adjoints: readonly Local[]): readonly Statement[] {
  const before: Statement[] = [];
  let own = kept;
  for (const local of adjoints) {
    const initial = initialValue(statement, local);
    if (initial === null) before.push({ kind: 'assign', local, value: ZERO });
    else own = initial;
  }
  return [...before, own];
}

/** For each statement of the block, the adjoints that it mentions first, and those that it mentions last. No adjoint is among both. */
function startsAndEnds(block: Block, adjoints: readonly Local[], uses: Uses) {
  const starts = new Map<Statement, Local[]>();
  const ends = new Map<Statement, Local[]>();
  const byPlace = [...adjoints].sort((a, b) => uses.extentOf(a).first - uses.extentOf(b).first);
  for (const local of byPlace) {
    const mentioned = uses.endsOf(block, local);
    if (mentioned === null) continue;
    append(starts, mentioned.first, local);
    if (mentioned.last !== mentioned.first) append(ends, mentioned.last, local);
  }
  return { starts, ends };
}

/** `a = a + e` without another mention of `a`, as `a = e`. */
function initialValue(statement: Statement, local: Local): Statement | null {
  if (statement.kind !== 'assign' || statement.local !== local) return null;
  const { value } = statement;
  if (value.kind === 'const') return statement;
  if (value.kind !== 'apply' || value.op !== 'add') return null;
  const [left, right] = value.args;
  if (left.kind !== 'get' || left.local !== local) return null;
  let again = false;
  visitExpression(right, (node) =>
    mentionsOfNode(node, (variable) => {
      if (variable === local) again = true;
    }),
  );
  return again ? null : withValue(statement, right);
}

function isClearing(statement: Statement, local: Local): boolean {
  return statement.kind === 'assign' && statement.local === local && statement.value.kind === 'const';
}
