import type { Block, Expr, Statement, Variable } from '../ir/nodes.js';
import type { OpName } from '../ir/ops.js';
import { expressionsOf, visitExpression, visitStatements } from '../ir/walk.js';
import { mentionsOf, mentionsOfNode, writesOf } from './effects.js';

/** Operations that may give another whole number when what they are given changes by a rounding error. */
const STEPS: ReadonlySet<OpName> = new Set(['floor', 'ceil', 'trunc', 'nearest', 'fmod', 'to_int']);

/**
 * Whether a step reads a quotient, at once or through variables. Such quotients may not be computed in another way: at -0.3 / 0.1,
 * `trunc` gives -2, and one less for the product with the reciprocal.
 */
export function isQuotientStepped(block: Block): boolean {
  const fresh: Variable[] = [];
  const reached = new Set<Expr>();
  let found = false;
  const reach = (operand: Expr): void =>
    visitExpression(
      operand,
      (node) => {
        found ||= node.kind === 'apply' && node.op === 'div' && node.args[1].kind !== 'const';
        mentionsOfNode(node, (variable) => fresh.push(variable));
      },
      reached,
    );
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
          if (node.kind === 'apply' && STEPS.has(node.op)) node.args.forEach(reach);
        },
        seen,
      );
    }
  });
  for (let variable = fresh.pop(); variable !== undefined && !found; variable = fresh.pop()) {
    const statements = writers.get(variable) ?? [];
    writers.delete(variable);
    for (const statement of statements) {
      expressionsOf(statement).forEach(reach);
      mentionsOf(statement, (mentioned) => fresh.push(mentioned));
    }
  }
  return found;
}
