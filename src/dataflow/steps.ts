import type { Block, Expr, Variable } from '../ir/nodes.js';
import type { OpName } from '../ir/ops.js';
import { SmallSet } from '../ir/small.js';
import { expressionsOf, visitExpression, visitOwnExpressions, visitStatements } from '../ir/walk.js';
import { usesOf } from './cached.js';
import { mentionsOf, mentionsOfNode } from './effects.js';

/** Operations whose result may change to a different integer when an operand changes by a rounding error. */
const STEPS: ReadonlySet<OpName> = new Set(['floor', 'ceil', 'trunc', 'nearest', 'fmod', 'to_int']);

/**
 * Whether a step function reads a quotient, directly or through variables. Such quotients must not be replaced by products with the
 * reciprocal: `trunc(-0.3 / 0.1)` is -2, but `trunc(-0.3 * (1 / 0.1))` is -3.
 */
export function isQuotientStepped(block: Block): boolean {
  const read: Variable[] = [];
  const reached = new SmallSet<Expr>();
  let found = false;
  const reach = (operand: Expr): void =>
    visitExpression(
      operand,
      (node) => {
        found ||= node.kind === 'apply' && node.op === 'div' && node.args[1].kind !== 'const';
        mentionsOfNode(node, (variable) => read.push(variable));
      },
      reached,
    );
  const look = (node: Expr): void => {
    if (node.kind === 'apply' && STEPS.has(node.op)) node.args.forEach(reach);
  };
  visitStatements(block, (statement) => visitOwnExpressions(statement, look));
  if (found || read.length === 0) return found;
  const uses = usesOf(block);
  const known = new Set<Variable>();
  for (let variable = read.pop(); variable !== undefined && !found; variable = read.pop()) {
    if (known.has(variable)) continue;
    known.add(variable);
    for (const { statement } of uses.writes(variable)) {
      expressionsOf(statement).forEach(reach);
      mentionsOf(statement, (mentioned) => read.push(mentioned));
    }
  }
  return found;
}
