import type { Expr } from './nodes.js';
import type { OpName } from './ops.js';
import { operandsOf } from './walk.js';

/**
 * The nesting depth from which an expression is assigned to a local. Otherwise, if several statements read it, each walk over them visits
 * the whole expression, and work and code grow quadratically with the depth.
 */
export const MOST_LEVELS = 16;

const LINEAR: ReadonlySet<OpName> = new Set<OpName>(['add', 'sub', 'neg']);

/** The nesting depth of operations on reals. Sums do not count as levels, because their derivatives read nothing. */
export class Depths {
  readonly #levels = new WeakMap<Expr, number>();

  of(e: Expr): number {
    if (e.kind !== 'apply' || e.type !== 'real') return 0;
    const known = this.#levels.get(e);
    if (known !== undefined) return known;
    let below = 0;
    for (const operand of operandsOf(e)) below = Math.max(below, this.of(operand));
    const level = LINEAR.has(e.op) ? below : below + 1;
    this.#levels.set(e, level);
    return level;
  }
}
