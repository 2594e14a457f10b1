import type { Activity } from '../dataflow/activity.js';
import type { LoopStatement } from '../dataflow/effects.js';
import { type Filling, overwritesContents } from '../dataflow/overwrites.js';
import type { Uses } from '../dataflow/uses.js';
import type { Local, Ref, Statement, StatementOf, Variable } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { Needs } from './needs.js';

/** What encloses a statement: the closed statement that it is reversed with, and the loops in between. */
export interface Context {
  readonly region: Statement | null;
  readonly splitLoops: readonly LoopStatement[];
}

/** Which statements are closed, and which overwritten values the reverse parts read. */
export class Regions {
  readonly #uses: Uses;
  readonly #activity: Activity;
  readonly #known: Needs;
  /** What is assumed not to be read by the reverse parts, because it is not among the known reads. */
  readonly presumed = new Needs();
  readonly #isCallee: boolean;
  /** A variable that has kept a statement open. */
  #obstacle: Variable | null = null;
  readonly #fillings = new Map<Ref, Filling>();

  /** `known`: what the reverse parts read. */
  constructor(uses: Uses, activity: Activity, known: Needs, isCallee: boolean) {
    this.#uses = uses;
    this.#activity = activity;
    this.#known = known;
    this.#isCallee = isCallee;
  }

  isClosed(statement: Statement, context: Context): boolean {
    // A reader that keeps a statement open often keeps the statements inside it open.
    const known = this.#obstacle;
    if (known !== null && this.#uses.mentions(statement, known) && this.#isObstacle(known, statement, context))
      return false;
    // A reader that does not keep the region open does not keep a statement inside it open.
    for (const variable of this.#uses.shared(statement, context.region)) {
      if (!this.#isObstacle(variable, statement, context)) continue;
      this.#obstacle = variable;
      return false;
    }
    return true;
  }

  /** Whether the variable keeps the statement from being closed. */
  #isObstacle(variable: Variable, statement: Statement, context: Context): boolean {
    if (this.#uses.isLocalTo(variable, statement)) return false;
    const key = variable.kind === 'ref' ? rootOf(variable) : variable;
    // In a called function, the adjoints of scalars are only parameters and results of its reverse.
    if (this.#isCallee && variable.kind === 'local' && this.#activity.isActive(variable)) return true;
    if (this.#uses.isChangedIn(variable, statement)) return this.#activity.isActive(key) || this.#isNeeded(variable);
    return this.#activity.isActive(key) && !this.#isStableAfter(key, statement, context);
  }

  /** Whether each iteration of a closed loop is closed by itself, so that it can be reversed before the next one. */
  hasClosedIterations(loop: StatementOf<'for' | 'while'>): boolean {
    // What changes in the body is local to it, or does not keep the loop open, or is read by the loop itself.
    for (const variable of this.#uses.own(loop)) {
      if (!this.#uses.isChangedInBody(variable, loop)) continue;
      const key = variable.kind === 'ref' ? rootOf(variable) : variable;
      if (this.#activity.isActive(key) || this.#isNeeded(variable)) return false;
    }
    return true;
  }

  /** Whether a reverse part that runs after this write's own may read the scalar's old value. */
  mustSave(local: Local, statement: Statement, context: Context): boolean {
    if (context.splitLoops.length === 0) {
      const { first, count } = this.#uses.writesIn(local, context.region);
      if (count <= 1 || first?.statement === statement) return false;
    }
    return this.#isNeededLocal(local);
  }

  overwrites(statement: Statement, root: Ref, { region }: Context): boolean {
    return overwritesContents(statement, root, this.#uses, region, this.#fillings);
  }

  isNeededContents(root: Ref): boolean {
    const isKnown = this.#known.contents.has(root);
    if (!isKnown) this.presumed.contents.add(root);
    return isKnown;
  }

  isNeededHeader(ref: Ref): boolean {
    const isKnown = this.#known.headers.has(ref);
    if (!isKnown) this.presumed.headers.add(ref);
    return isKnown;
  }

  /** Whether a reverse part that runs after this definition's own may read the container's old pointer and sizes. */
  mustSaveHeader(ref: Ref, { region, splitLoops }: Context): boolean {
    if (splitLoops.length === 0) {
      if (this.#uses.definitionsIn(ref, region) <= 1) return false;
    }
    return this.isNeededHeader(ref);
  }

  #isNeededLocal(local: Local): boolean {
    const isKnown = this.#known.locals.has(local);
    if (!isKnown) this.presumed.locals.add(local);
    return isKnown;
  }

  #isNeeded(variable: Variable): boolean {
    if (variable.kind === 'local') return this.#isNeededLocal(variable);
    return this.isNeededContents(variable) || this.isNeededHeader(variable);
  }

  /** Whether contributions to the variable's adjoint at this point belong to the value of its last write. */
  #isStableAfter(variable: Variable, statement: Statement, context: Context): boolean {
    const last = this.#uses.writes(variable).at(-1);
    if (last === undefined) return true;
    if (last.position > this.#uses.position(statement)) return false;
    const { splitLoops } = context;
    if (splitLoops.length > 0 && this.#uses.isWrittenIn(variable, splitLoops[0])) return false;
    // A variable that is local to a loop is also local to the loops around it.
    const loops = this.#uses.loops(statement);
    const written = this.#uses.loopsThatWrite(variable, loops);
    return written === 0 || this.#uses.isLocalTo(variable, loops[written - 1]);
  }
}
