import { append } from '../../base/multimap.js';
import { writesOf } from '../../dataflow/effects.js';
import type { Block, Expr, Ref, Statement, Variable } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { someNode, visitOwnExpressions, visitStatements } from '../../ir/walk.js';

/** By variable: the variables that are written by statements that read it. */
export type Flow = ReadonlyMap<Variable, readonly Variable[]>;

export function flowOf(block: Block): Flow {
  const flow = new Map<Variable, Variable[]>();
  visitStatements(block, (statement) => {
    const written = writesOf(statement);
    if (written.length === 0) return;
    const note = (read: Variable): void => {
      for (const variable of written) append(flow, read, variable);
    };
    for (const ref of containersOf(statement)) note(rootOf(ref));
    visitOwnExpressions(statement, (node) => {
      const read = readBy(node);
      if (read !== null) note(read);
    });
  });
  return flow;
}

/** The variables of a block whose values depend on the contents of some containers. */
export class Dependents {
  readonly #found: Set<Variable>;

  constructor(flow: Flow, roots: Iterable<Ref>) {
    this.#found = new Set(roots);
    // Includes the variables that the loop adds.
    for (const variable of this.#found) for (const written of flow.get(variable) ?? []) this.#found.add(written);
  }

  has(variable: Variable): boolean {
    return this.#found.has(variable);
  }

  inExpression(e: Expr): boolean {
    return someNode(e, (node) => this.#isRead(node));
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
    const read = readBy(node);
    return read !== null && this.#found.has(read);
  }
}

function readBy(node: Expr): Variable | null {
  if (node.kind === 'get') return node.local;
  return node.kind === 'load' ? rootOf(node.ref) : null;
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
