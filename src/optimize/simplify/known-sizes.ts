import { Bounds, type IntRange, wholly } from '../../dataflow/bounds.js';
import { usesOf } from '../../dataflow/cached.js';
import type { Linear } from '../../dataflow/linear.js';
import type { Uses } from '../../dataflow/uses.js';
import { and, int, isConst } from '../../ir/expressions.js';
import { sameExpression } from '../../ir/interned.js';
import type { Block, Expr, Local, Ref, StatementOf, Variable } from '../../ir/nodes.js';
import { withChecked } from '../../ir/remake.js';
import { SmallMap } from '../../ir/small.js';
import { everyNode, mapBlocks, mapOwnNodes, mapStatements, visitStatements } from '../../ir/walk.js';

/**
 * Replaces the size of a container by the size that it was allocated with, if that is known and does not change, and removes the bounds
 * checks that the enclosing loops guarantee (`n` of `1:N` indexing a container of `N`), unless all checks are to be kept.
 */
export function resolveSizes(block: Block, keepsChecks = false): Block {
  const uses = usesOf(block);
  const resolved = new Resolver(block, uses).block(block);
  return keepsChecks ? resolved : simplifyChecks(resolved, new LoopRanges(uses));
}

class Resolver {
  readonly #uses: Uses;
  readonly #sizes = new Map<Ref, readonly Expr[]>();

  constructor(block: Block, uses: Uses) {
    this.#uses = uses;
    visitStatements(block, (statement) => {
      if (statement.kind !== 'allocate' && statement.kind !== 'view') return;
      if (this.#uses.definitions(statement.ref).length === 1) this.#sizes.set(statement.ref, statement.sizes);
    });
  }

  block(block: Block): Block {
    return mapStatements(block, (statement) => {
      const own = mapOwnNodes(statement, this.#resolve);
      return mapBlocks(own, (inner) => this.block(inner));
    });
  }

  readonly #resolve = (node: Expr): Expr => {
    if (node.kind !== 'size') return node;
    const size = this.#sizes.get(node.ref)?.[node.axis];
    if (size === undefined) return node;
    return this.#isFixed(size) ? this.#resolve(size) : node;
  };

  /** A constant, a local that is set at most once in the block, or a size of such a ref. */
  #isFixed(e: Expr): boolean {
    const setOnce = (variable: Variable): boolean => {
      const sites = this.#uses.writes(variable);
      return sites.length === 0 || (sites.length === 1 && sites[0].loops.length === 0);
    };
    switch (e.kind) {
      case 'const':
        return true;
      case 'get':
        return setOnce(e.local);
      case 'size': {
        const sites = this.#uses.definitions(e.ref);
        return sites.length === 0 || (sites.length === 1 && sites[0].loops.length === 0);
      }
      default:
        return false;
    }
  }
}

/** What is known inside loops: the ranges of their indexes, and that no loop's end precedes its start. */
class LoopRanges extends Bounds {
  readonly #uses: Uses;
  readonly #ranges: ReadonlyMap<Local, IntRange>;

  constructor(uses: Uses, ranges: ReadonlyMap<Local, IntRange> = new Map()) {
    super();
    this.#uses = uses;
    this.#ranges = ranges;
  }

  inside({ index, from, to }: StatementOf<'for' | 'for_reverse'>): LoopRanges {
    const last = lastBefore(to);
    const ranges = new Map<Local, IntRange>([...this.#ranges, [index, { from: wholly(from), to: last }]]);
    const { base, offset } = last;
    if (base?.kind === 'get' && isConst(from) && this.isStable(base) && !ranges.has(base.local)) {
      ranges.set(base.local, { from: { base: null, offset: from.value - offset } });
    }
    return new LoopRanges(this.#uses, ranges);
  }

  override rangeOf(e: Expr): IntRange | undefined {
    return e.kind === 'get' ? this.#ranges.get(e.local) : undefined;
  }

  override isNonNegative(e: Expr): boolean {
    return e.kind === 'size';
  }

  /** A local that one statement writes is not changed between a loop's start and a check inside. */
  override isStable(e: Expr): boolean {
    return everyNode(e, (node) =>
      node.kind === 'get' ? this.#uses.writes(node.local).length <= 1 : node.kind !== 'load',
    );
  }
}

/**
 * An upper bound of a loop's index, given the loop's end. An end that is a sum can always be split: a sum that wraps is less than its first
 * operand, and an end that wraps follows the greatest int.
 */
function lastBefore(to: Expr): Linear {
  if (isConst(to)) return { base: null, offset: (to.value - 1) | 0 };
  if (to.kind === 'apply' && to.op === 'add_int' && isConst(to.args[1]) && to.args[1].value > 0) {
    return { base: to.args[0], offset: to.args[1].value - 1 };
  }
  return { base: to, offset: -1 };
}

function simplifyChecks(block: Block, known: LoopRanges): Block {
  return mapStatements(block, (statement) => {
    if (statement.kind === 'check') {
      const condition = simplify(statement.condition, known, new SmallMap());
      if (isConst(condition) && condition.value !== 0) return [];
      return condition === statement.condition ? statement : withChecked(statement, condition, statement.values);
    }
    const inner = statement.kind === 'for' || statement.kind === 'for_reverse' ? known.inside(statement) : known;
    return mapBlocks(statement, (body) => simplifyChecks(body, inner));
  });
}

/** `done`: simplified parts of the condition. */
function simplify(condition: Expr, known: LoopRanges, done: SmallMap<Expr, Expr>): Expr {
  if (condition.kind !== 'apply') return condition;
  const { op, args } = condition;
  if (op === 'and') {
    const before = done.get(condition);
    if (before !== undefined) return before;
    const left = simplify(args[0], known, done);
    const right = simplify(args[1], known, done);
    const result = left === args[0] && right === args[1] ? condition : and(left, right);
    done.set(condition, result);
    return result;
  }
  const holds =
    (op === 'ge_int' && known.isAtMost(args[1], args[0])) ||
    (op === 'le_int' && known.isAtMost(args[0], args[1])) ||
    (op === 'lt_int' && known.isAtMost(args[0], args[1], -1)) ||
    (op === 'eq_int' && sameExpression(args[0], args[1]));
  return holds ? int(1) : condition;
}
