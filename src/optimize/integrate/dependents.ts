import { writesOf } from '../../dataflow/effects.js';
import type { Block, Expr, Ref, Statement, Variable } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { visitExpression, visitOwnExpressions, visitStatements } from '../../ir/walk.js';

/** The variables of a block whose values depend on the contents of some containers. */
export class Dependents {
  readonly #found: Set<Variable>;

  constructor(block: Block, roots: ReadonlySet<Ref>) {
    this.#found = new Set(roots);
    let before = -1;
    while (before < this.#found.size) {
      before = this.#found.size;
      visitStatements(block, (statement) => {
        if (this.#reads(statement)) for (const written of writesOf(statement)) this.#found.add(written);
      });
    }
  }

  has(variable: Variable): boolean {
    return this.#found.has(variable);
  }

  inExpression(e: Expr): boolean {
    let isFound = false;
    visitExpression(e, (node) => {
      isFound ||= this.#isRead(node);
    });
    return isFound;
  }

  /** Whether the statement itself, without the blocks inside it, reads or writes any of them. */
  inStatement(statement: Statement): boolean {
    return this.#reads(statement) || writesOf(statement).some((written) => this.#found.has(written));
  }

  #reads(statement: Statement): boolean {
    let isFound = containersOf(statement).some((ref) => this.#found.has(rootOf(ref)));
    visitOwnExpressions(statement, (node) => {
      isFound ||= this.#isRead(node);
    });
    return isFound;
  }

  #isRead(node: Expr): boolean {
    if (node.kind === 'get') return this.#found.has(node.local);
    return node.kind === 'load' && this.#found.has(rootOf(node.ref));
  }
}

/** Containers that a statement reads or writes as a whole. */
function containersOf(statement: Statement): readonly Ref[] {
  switch (statement.kind) {
    case 'kernel':
      return statement.args.flatMap((argument) => (argument.kind === 'pointer' ? [argument.ref] : []));
    case 'call':
      return statement.args.flatMap((argument) => (argument.kind === 'ref' ? [argument] : []));
    case 'print':
    case 'reject':
      return statement.parts.flatMap((part) => (part.kind === 'container' ? [part.ref] : []));
    default:
      return [];
  }
}
