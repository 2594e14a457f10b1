import { Interner } from '../ir/interned.js';
import type { Expr, Local, Ref, Statement } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { definedRefs, visitStatements } from '../ir/walk.js';
import { writesOf } from './effects.js';

/**
 * Value numbering: expressions with one number have one value, also in different statements, as long as every statement in between is
 * passed to `pass`. Each write gives what it changes a new version (Briggs, Cooper & Simpson 1997). Adjoints and `target`, to which most
 * statements add, never equal other values.
 */
export class ValueNumbers extends Interner {
  /** Of locals and of the contents of containers. */
  readonly #versions = new Map<number, number>();
  /** Of pointers and sizes. */
  readonly #headers = new Map<number, number>();
  #next = 1;

  /** Ends a statement whose blocks have been passed: the variables that it writes get new versions. */
  pass(statement: Statement): void {
    this.#write(statement);
    this.forgetNodes();
  }

  /** Starts the iterations of a loop, or a statement whose blocks are not passed: all variables that they write get new versions. */
  enter(statement: Statement): void {
    visitStatements([statement], (inner) => this.#write(inner));
    this.forgetNodes();
  }

  #write(statement: Statement): void {
    for (const variable of writesOf(statement)) {
      this.#versions.set(variable.kind === 'ref' ? rootOf(variable).id : variable.id, this.#next++);
    }
    for (const ref of definedRefs(statement)) this.#headers.set(ref.id, this.#next++);
  }

  /** Starts a statement. */
  start(): void {
    this.forgetNodes();
  }

  protected override shapeOf(e: Exclude<Expr, { kind: 'const' }>): number {
    return e.kind === 'target' || e.kind === 'load_adjoint' ? this.fresh() : super.shapeOf(e);
  }

  protected override ofLocal(local: Local): number {
    return this.pair(super.ofLocal(local), this.#versions.get(local.id) ?? 0);
  }

  protected override ofContents(ref: Ref): number {
    const header = this.pair(super.ofContents(ref), this.#headers.get(ref.id) ?? 0);
    return this.pair(header, this.#versions.get(rootOf(ref).id) ?? 0);
  }

  protected override ofHeader(ref: Ref): number {
    return this.pair(super.ofHeader(ref), this.#headers.get(ref.id) ?? 0);
  }
}
