import type { Block, Expr, Local, Ref, Variable } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { visitExpression, visitOwnExpressions, visitStatements } from '../ir/walk.js';

/** What reverse code reads of the forward state: scalars, contents of containers (by root), pointers and sizes of refs. */
export class Needs {
  readonly locals = new Set<Local>();
  readonly contents = new Set<Ref>();
  readonly headers = new Set<Ref>();

  /** Adds those of other needs that count; returns whether any of them is new. */
  addAll({ locals, contents, headers }: Needs, counts: (variable: Variable) => boolean): boolean {
    const before = this.#size();
    for (const local of locals) if (counts(local)) this.locals.add(local);
    for (const root of contents) if (counts(root)) this.contents.add(root);
    for (const ref of headers) if (counts(ref)) this.headers.add(ref);
    return this.#size() > before;
  }

  #size(): number {
    return this.locals.size + this.contents.size + this.headers.size;
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
