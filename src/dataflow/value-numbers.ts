import { Interner } from '../ir/interned.js';
import type { Expr, Local, Ref, Statement } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { definedRefs, visitStatements } from '../ir/walk.js';
import { writesOf } from './effects.js';

/**
 * Value numbering: expressions with one number have one value, also in different statements, as long as every statement in between is
 * passed to `pass`. Each write gives what it changes a new version (Briggs, Cooper & Simpson 1997). Adjoints and `target`, to which most
 * statements add, are like nothing else.
 */
export class ValueNumbers extends Interner {
  /** Of locals and of the contents of containers. */
  readonly #versions = new Map<number, number>();
  /** Of pointers and sizes. */
  readonly #headers = new Map<number, number>();
  #next = 1;

  /** Ends a statement: what it and its blocks write has other values from here on. */
  pass(statement: Statement): void {
    visitStatements([statement], (inner) => {
      for (const variable of writesOf(inner)) {
        this.#versions.set(variable.kind === 'ref' ? rootOf(variable).id : variable.id, this.#next++);
      }
      for (const ref of definedRefs(inner)) this.#headers.set(ref.id, this.#next++);
    });
    this.start();
  }

  /** Starts a statement. */
  start(): void {
    this.forgetNodes();
  }

  protected override shapeOf(e: Expr): string | null {
    return e.kind === 'target' || e.kind === 'load_adjoint' ? null : super.shapeOf(e);
  }

  protected override ofLocal(local: Local): string {
    return `${super.ofLocal(local)}@${this.#versions.get(local.id) ?? 0}`;
  }

  protected override ofContents(ref: Ref): string {
    return `${super.ofContents(ref)}@${this.#headers.get(ref.id) ?? 0}.${this.#versions.get(rootOf(ref).id) ?? 0}`;
  }

  protected override ofHeader(ref: Ref): string {
    return `${super.ofHeader(ref)}@${this.#headers.get(ref.id) ?? 0}`;
  }
}
