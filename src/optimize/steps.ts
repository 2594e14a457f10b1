import type { Block, Expr, Statement, Variable } from '../ir/nodes.js';
import type { OpName } from '../ir/ops.js';
import { expressionsOf, operandsOf, visitExpression, visitStatements } from '../ir/walk.js';
import { mentionsOf, mentionsOfNode, writesOf } from './effects.js';

/** Operations that may give another whole number when what they are given changes by a rounding error. */
const STEPS: ReadonlySet<OpName> = new Set(['floor', 'ceil', 'trunc', 'nearest', 'fmod', 'to_int']);

/** Tells which expressions of a block a step reads, at once or through variables. */
export function reachesStep(block: Block): (node: Expr) => boolean {
  const reaching = new Set<Expr>();
  const fresh: Variable[] = [];
  const reach = (operand: Expr): void =>
    visitExpression(operand, (node) => mentionsOfNode(node, (variable) => fresh.push(variable)), reaching);
  const writers = new Map<Variable, Statement[]>();
  const seen = new Set<Expr>();
  visitStatements(block, (statement) => {
    for (const variable of writesOf(statement)) {
      const known = writers.get(variable);
      if (known === undefined) writers.set(variable, [statement]);
      else known.push(statement);
    }
    for (const root of expressionsOf(statement)) {
      visitExpression(
        root,
        (node) => {
          if (node.kind === 'apply' && STEPS.has(node.op)) operandsOf(node).forEach(reach);
        },
        seen,
      );
    }
  });
  for (let variable = fresh.pop(); variable !== undefined; variable = fresh.pop()) {
    const statements = writers.get(variable) ?? [];
    writers.delete(variable);
    for (const statement of statements) {
      expressionsOf(statement).forEach(reach);
      mentionsOf(statement, (mentioned) => fresh.push(mentioned));
    }
  }
  return (node) => reaching.has(node);
}
