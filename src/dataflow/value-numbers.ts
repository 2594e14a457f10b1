import { Interner } from '../ir/interned.js';
import type { Expr, Local, Ref, Statement, Variable } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { definedRefs } from '../ir/walk.js';
import { type LoopStatement, writesOf } from './effects.js';
import type { Uses } from './uses.js';

/**
 * Value numbering (Briggs, Cooper & Simpson 1997): expressions with the same number have the same value, also in different statements,
 * provided that every statement in between is passed to `pass`. Each write creates a new version of its variable. Reads of adjoints and
 * `target` always get new numbers, because most statements add to them.
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
  /** The writes of variables; null until a loop is entered. */
  #uses: Uses | null = null;

  /** Ends a statement after its blocks: the variables that it writes get new versions. */
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

  /**
   * Starts the iterations of a loop, which `pass` ends: all variables that the loop writes get new versions. `uses` are those of the whole
   * block.
   */
  enter(loop: LoopStatement, uses: Uses): void {
    this.#loops.push(loop);
    this.#starts.push(this.#next++);
    this.#uses = uses;
    this.forgetNodes();
  }

  /** Must be called before each statement. */
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

  /**
   * The later of two versions: `passed`, after the last passed write, and the version at the start of the innermost of the first `loops`
   * loops.
   */
  #since(passed: number, loops: number): number {
    return loops === 0 ? passed : Math.max(passed, this.#starts[loops - 1]);
  }
}
