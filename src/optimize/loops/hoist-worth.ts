import type { Expr } from '../../ir/nodes.js';
import { OPS } from '../../ir/ops.js';
import { operandsOf } from '../../ir/walk.js';

/** Decides which values are worth computing early, inside and outside loops. */
export class Worth {
  readonly #inLoop: boolean;
  readonly #worth = new Map<Expr, boolean>();
  readonly #indirect = new Map<Expr, boolean>();
  readonly #loads = new Map<Expr, boolean>();

  constructor(inLoop: boolean) {
    this.#inLoop = inLoop;
  }

  of(e: Expr): boolean {
    return e.type === 'real'
      ? someOf(e, this.#isWorthNode, this.#worth)
      : this.#inLoop && someOf(e, this.#isWorthInt, this.#indirect);
  }

  /** Inside loops: real arithmetic or a gather. Outside: costly operations only. */
  readonly #isWorthNode = (node: Expr): boolean => {
    if (node.kind !== 'apply') return this.#inLoop && this.#isGather(node);
    if (OPS[node.op].cost === 'expensive') return true;
    return this.#inLoop && node.type === 'real' && node.op !== 'to_real';
  };

  /**
   * A gather, or a division of looked-up values, which takes as long as a dozen additions. Divisions of the index alone stay: a loop may
   * have far more iterations than there are data, and each would take memory for its result.
   */
  readonly #isWorthInt = (node: Expr): boolean => {
    if (node.kind !== 'apply') return this.#isGather(node);
    return (
      (node.op === 'div_int' || node.op === 'rem_int') && node.args.some((arg) => someOf(arg, isLoad, this.#loads))
    );
  };

  /** A lookup by an int that is itself looked up. */
  readonly #isGather = (node: Expr): boolean => node.kind === 'load' && someOf(node.index, isLoad, this.#loads);
}

const isLoad = (node: Expr): boolean => node.kind === 'load';

/** Whether the test holds for any node of `e`; `known` contains earlier results. */
function someOf(e: Expr, test: (node: Expr) => boolean, known: Map<Expr, boolean>): boolean {
  const operands = operandsOf(e);
  if (operands.length === 0) return test(e);
  const before = known.get(e);
  if (before !== undefined) return before;
  const result = test(e) || operands.some((operand) => someOf(operand, test, known));
  known.set(e, result);
  return result;
}
