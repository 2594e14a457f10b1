import { Bounds, type IntRange } from '../dataflow/bounds.js';
import type { Expr, Local, Ref } from '../ir/nodes.js';
import { everyNode } from '../ir/walk.js';

/** What is known about locals and containers during lowering. */
export class Knowledge extends Bounds {
  readonly ranges = new Map<Local, IntRange>();
  /** Bounds of all elements of an int container. */
  readonly elementRanges = new Map<Ref, IntRange>();
  /** Containers that take the sizes of an assigned value while they are empty. */
  readonly resizable = new Set<Ref>();
  /** Locals that keep their value while they are in scope. */
  readonly stable = new Set<Local>();
  /** Stable ints known to be at least 0. */
  readonly nonNegative = new Set<Local>();

  override rangeOf(e: Expr): IntRange | undefined {
    if (e.kind === 'load') return this.elementRanges.get(e.ref);
    return e.kind === 'get' ? this.ranges.get(e.local) : undefined;
  }

  override isNonNegative(e: Expr): boolean {
    return e.kind === 'size' || (e.kind === 'get' && this.nonNegative.has(e.local));
  }

  override isStable(e: Expr): boolean {
    return everyNode(e, (node) => {
      switch (node.kind) {
        case 'const':
        case 'apply':
          return true;
        case 'get':
          return this.stable.has(node.local);
        case 'size':
          return !this.resizable.has(node.ref);
        default:
          return false;
      }
    });
  }
}
