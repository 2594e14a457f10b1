import { mentionsOfNode } from '../../dataflow/effects.js';
import type { Movable } from '../../dataflow/movable.js';
import type { Uses } from '../../dataflow/uses.js';
import type { Expr, Local, Ref, StatementOf, Variable } from '../../ir/nodes.js';
import { isKernelCall, OPS } from '../../ir/ops.js';
import { mapExpression, operandsOf, someNode } from '../../ir/walk.js';
import { isListOfDistinct, isListOfIterations } from '../loops/iterations.js';

type ForLoop = StatementOf<'for'>;

/** Expressions of one loop as functions of its index: variables that each iteration writes once are replaced by their values. */
export class IterationValues {
  readonly #loop: ForLoop;
  readonly #uses: Uses;
  readonly #written: ReadonlySet<Variable>;
  readonly #differs = new Map<Expr, boolean>();
  readonly #definitions = new Map<Local, Expr | null>();
  readonly #inlined = new Map<Expr, Expr>();

  constructor(loop: ForLoop, uses: Uses, movable: Movable) {
    this.#loop = loop;
    this.#uses = uses;
    this.#written = movable.writtenIn(loop);
  }

  /** The expression with variables that each iteration writes once replaced by their values. */
  inline(e: Expr): Expr {
    return mapExpression(
      e,
      (node) => (node.kind === 'get' ? (this.definition(node.local) ?? node) : node),
      this.#inlined,
    );
  }

  /** Whether the expression may differ between iterations. */
  differs(e: Expr): boolean {
    const known = this.#differs.get(e);
    if (known !== undefined) return known;
    let differs = operandsOf(e).some((operand) => this.differs(operand));
    mentionsOfNode(e, (variable) => {
      if (variable === this.#loop.index || this.#written.has(variable)) differs = true;
    });
    this.#differs.set(e, differs);
    return differs;
  }

  /** Whether the node itself reads what the iterations write. */
  readsWritten(node: Expr): boolean {
    let reads = false;
    mentionsOfNode(node, (variable) => {
      if (variable !== this.#loop.index && this.#written.has(variable)) reads = true;
    });
    return reads;
  }

  /** Whether the number is read from a container, so that it may occur more than once. */
  looksUp(key: Expr): boolean {
    const isUnique = (ref: Ref): boolean => isListOfIterations(ref, this.#uses) || isListOfDistinct(ref, this.#uses);
    return someNode(key, (node) => node.kind === 'load' && !isUnique(node.ref));
  }

  /** The value of a variable that each iteration writes once, otherwise null. */
  definition(local: Local): Expr | null {
    if (local === this.#loop.index || !this.#written.has(local)) return null;
    const known = this.#definitions.get(local);
    if (known !== undefined) return known;
    // A variable that reads itself has no definition.
    this.#definitions.set(local, null);
    const writer = this.#writer(local);
    const definition = writer === null ? null : this.inline(writer);
    this.#definitions.set(local, definition);
    return definition;
  }

  #writer(local: Local): Expr | null {
    const [site, ...others] = this.#uses.writes(local);
    if (others.length > 0 || site.statement.kind !== 'assign' || !this.#loop.body.includes(site.statement)) return null;
    return this.#uses.isLocalToBody(local, this.#loop) ? site.statement.value : null;
  }
}

/** Whether the node calls a function that costs more than looking up its value. */
export function isCostly(node: Expr): boolean {
  return node.kind === 'apply' && OPS[node.op].cost === 'expensive' && isKernelCall(node);
}
