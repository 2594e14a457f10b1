/** Operations without derivatives, or without derivatives of higher order. */
import type { Block, Expr } from '../../ir/nodes.js';
import { OPS, type OpName } from '../../ir/ops.js';
import { visitOwnExpressions, visitStatements } from '../../ir/walk.js';

/** Thrown for an operation whose tangent cannot be computed. */
export class NoTangent extends Error {
  readonly what: string;

  constructor(what: string) {
    super(`tangent: ${what}`);
    this.what = what;
  }
}

/** Throws `NoTangent` if the block contains an operation that has no derivative with respect to an argument for which `counts` holds. */
export function refuseFinal(block: Block, counts: (argument: Expr) => boolean = () => true): void {
  const test = (node: Expr): void => {
    if (node.kind === 'apply' && OPS[node.op].missing?.(node.args).some(counts)) throw final(node.op);
  };
  visitStatements(block, (statement) => visitOwnExpressions(statement, test));
}

export function final(op: OpName): NoTangent {
  return new NoTangent(`the function ${op.replace(/_d[abv]$/, '')}`);
}
