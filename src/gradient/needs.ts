import type { Block, Expr, Local, Ref } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { visitExpression, visitOwnExpressions, visitStatements } from '../ir/walk.js';

/** What reverse code reads from the forward state: scalars, contents of containers (by root), pointers and sizes of refs. */
export class Needs {
  readonly locals = new Set<Local>();
  readonly contents = new Set<Ref>();
  readonly headers = new Set<Ref>();

  /** Adds all needs of another object. */
  addAll({ locals, contents, headers }: Needs): void {
    for (const local of locals) this.locals.add(local);
    for (const root of contents) this.contents.add(root);
    for (const ref of headers) this.headers.add(ref);
  }

  /** Whether both contain the same variable for the same reason. */
  intersects({ locals, contents, headers }: Needs): boolean {
    return meet(locals, this.locals) || meet(contents, this.contents) || meet(headers, this.headers);
  }

  addBlock(block: Block): void {
    visitStatements(block, (statement) => {
      if (statement.kind === 'store' || statement.kind === 'add_adjoint' || statement.kind === 'set_adjoint') {
        this.headers.add(statement.ref);
      }
      if (statement.kind === 'kernel') {
        for (const argument of statement.args) {
          if (argument.kind !== 'pointer') continue;
          this.headers.add(argument.ref);
          if (!argument.adjoint) this.contents.add(rootOf(argument.ref));
        }
      }
      visitOwnExpressions(statement, (node) => this.#add(node));
    });
  }

  addExpression(root: Expr): void {
    visitExpression(root, (node) => this.#add(node));
  }

  #add(node: Expr): void {
    if (node.kind === 'get') this.locals.add(node.local);
    else if (node.kind === 'load') {
      this.headers.add(node.ref);
      this.contents.add(rootOf(node.ref));
    } else if (node.kind === 'load_adjoint' || node.kind === 'size') this.headers.add(node.ref);
  }
}

function meet<T>(some: ReadonlySet<T>, others: ReadonlySet<T>): boolean {
  for (const element of some) if (others.has(element)) return true;
  return false;
}
