import { Interner } from '../ir/interned.js';
import type { Expr, Local, Ref, Statement, Variable } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { definedRefs } from '../ir/walk.js';
import { type LoopStatement, writesOf } from './effects.js';
import type { Uses } from './uses.js';

/**
 * Value numbering: expressions with one number have one value, also in different statements, as long as every statement in between is
 * passed to `pass`. Each write gives its variable a new version (Briggs, Cooper & Simpson 1997). Adjoints and `target`, to which most
 * statements add, never equal other values.
 */
export class ValueNumbers extends Interner {
  /** Versions of locals and of the contents of containers. */
  readonly #versions = new Map<number, number>();
  /** Versions of pointers and sizes. */
  readonly #headers = new Map<number, number>();
  #next = 1;
  /** The enclosing loops, outermost first, and the versions with which their iterations start. */
  readonly #loops: LoopStatement[] = [];
  readonly #starts: number[] = [];
  /** Where variables are written; null as long as there is no loop. */
  #uses: Uses | null = null;

  /** Ends a statement whose blocks have been passed: the variables that it writes get new versions. */
  pass(statement: Statement): void {
    if (this.#loops.at(-1) === statement) {
      this.#loops.pop();
      this.#starts.pop();
    }
    for (const variable of writesOf(statement)) {
      this.#versions.set(variable.kind === 'ref' ? rootOf(variable).id : variable.id, this.#next++);
    }
    for (const ref of definedRefs(statement)) this.#headers.set(ref.id, this.#next++);
    this.forgetNodes();
  }

  /** Starts the iterations of a loop, which `pass` ends: all variables that they write have new versions. `uses`: of the whole block. */
  enter(loop: LoopStatement, uses: Uses): void {
    this.#loops.push(loop);
    this.#starts.push(this.#next++);
    this.#uses = uses;
    this.forgetNodes();
  }

  /** Starts a statement. */
  start(): void {
    this.forgetNodes();
  }

  protected override shapeOf(e: Exclude<Expr, { kind: 'const' }>): number {
    return e.kind === 'target' || e.kind === 'load_adjoint' ? this.fresh() : super.shapeOf(e);
  }

  protected override ofLocal(local: Local): number {
    return this.pair(super.ofLocal(local), this.#version(local));
  }

  protected override ofContents(ref: Ref): number {
    const header = this.pair(super.ofContents(ref), this.#versionOfHeader(ref));
    return this.pair(header, this.#version(rootOf(ref)));
  }

  protected override ofHeader(ref: Ref): number {
    return this.pair(super.ofHeader(ref), this.#versionOfHeader(ref));
  }

  #version(variable: Variable): number {
    const passed = this.#versions.get(variable.id) ?? 0;
    return this.#uses === null ? passed : this.#since(passed, this.#uses.loopsThatWrite(variable, this.#loops));
  }

  #versionOfHeader(ref: Ref): number {
    const passed = this.#headers.get(ref.id) ?? 0;
    return this.#uses === null ? passed : this.#since(passed, this.#uses.loopsThatDefine(ref, this.#loops));
  }

  /** The later one of the version after the last write that has been passed and the one that the last of the first `loops` starts with. */
  #since(passed: number, loops: number): number {
    return loops === 0 ? passed : Math.max(passed, this.#starts[loops - 1]);
  }
}
