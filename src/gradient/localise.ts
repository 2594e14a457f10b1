import { mentionsOf, mentionsOfNode } from '../dataflow/effects.js';
import { ZERO } from '../ir/expressions.js';
import type { Block, Local, Statement, Variable } from '../ir/nodes.js';
import { withValue } from '../ir/remake.js';
import { visitExpression, visitStatements } from '../ir/walk.js';

/**
 * For adjoints that are local to one iteration of a loop: the first contribution becomes their initial value, and clearing after the last
 * use is left out, so that nothing is carried from iteration to iteration (and the iteration can be vectorized).
 */
export function localiseAdjoints(iteration: Block, adjoints: ReadonlySet<Local>): Block {
  if (adjoints.size === 0) return iteration;
  const first = new Map<Local, number>();
  const last = new Map<Local, number>();
  const mentioned = iteration.map((statement) => mentionedAdjoints(statement, adjoints));
  mentioned.forEach((locals, k) => {
    for (const local of locals) {
      if (!first.has(local)) first.set(local, k);
      last.set(local, k);
    }
  });
  return iteration.flatMap((statement, k): Statement[] => {
    const before: Statement[] = [];
    let kept: Statement | null = statement;
    for (const local of mentioned[k]) {
      if (first.get(local) === k) {
        const initial = initialValue(statement, local);
        if (initial === null) before.push({ kind: 'assign', local, value: ZERO });
        else kept = initial;
      } else if (last.get(local) === k && isClearing(statement, local)) kept = null;
    }
    return kept === null ? before : [...before, kept];
  });
}

function mentionedAdjoints(statement: Statement, adjoints: ReadonlySet<Local>): ReadonlySet<Local> {
  const found = new Set<Local>();
  const visit = (variable: Variable): void => {
    if (variable.kind === 'local' && adjoints.has(variable)) found.add(variable);
  };
  visitStatements([statement], (inner) => mentionsOf(inner, visit));
  return found;
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
