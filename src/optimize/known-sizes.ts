import { and, int, isConst } from '../ir/expressions.js';
import { ANY_INT, INT_MAX, INT_MIN, type Interval, type Linear, linearOf } from '../ir/linear.js';
import type { Block, Expr, Local, Ref, Statement, Variable } from '../ir/nodes.js';
import { sameExpression } from '../ir/same.js';
import { mapBlocks, mapExpression, mapExpressions, visitStatements } from '../ir/walk.js';
import { Uses } from './effects.js';

/**
 * Replaces the size of a container by what it was allocated with, where that is known and does not change, and drops the
 * bounds checks that the loops around make certain (`n` of `1:N` indexing a container of `N`), unless all are to be kept.
 */
export function resolveSizes(block: Block, keepsChecks = false): Block {
  const resolved = new Resolver(block).block(block);
  return keepsChecks ? resolved : simplifyChecks(resolved, []);
}

class Resolver {
  readonly #uses: Uses;
  readonly #sizes = new Map<Ref, readonly Expr[]>();

  constructor(block: Block) {
    this.#uses = new Uses(block);
    visitStatements(block, (statement) => {
      if (statement.kind !== 'allocate' && statement.kind !== 'view') return;
      if (this.#uses.definitions(statement.ref).length === 1) this.#sizes.set(statement.ref, statement.sizes);
    });
  }

  block(block: Block): Block {
    return block.map((statement) => {
      const done = new Map<Expr, Expr>();
      const own = mapExpressions(statement, (root) => mapExpression(root, (node) => this.#resolve(node), done));
      return mapBlocks(own, (inner) => this.block(inner));
    });
  }

  #resolve(node: Expr): Expr {
    if (node.kind !== 'size') return node;
    const size = this.#sizes.get(node.ref)?.[node.axis];
    if (size === undefined) return node;
    return this.#isFixed(size) ? this.#resolve(size) : node;
  }

  /** A constant, a local that is set once or never in the block, or a size of a ref that is. */
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

/** What a loop's index is known to lie between: from `from` to below `to`. */
interface Range {
  readonly index: Local;
  readonly from: Expr;
  readonly to: Expr;
}

function simplifyChecks(block: Block, ranges: readonly Range[]): Block {
  return block.flatMap((statement): readonly Statement[] => {
    if (statement.kind === 'check') {
      const condition = simplify(statement.condition, ranges);
      if (isConst(condition) && condition.value !== 0) return [];
      return condition === statement.condition ? [statement] : [{ ...statement, condition }];
    }
    const inner =
      statement.kind === 'for' || statement.kind === 'for_reverse'
        ? [...ranges, { index: statement.index, from: statement.from, to: statement.to }]
        : ranges;
    return [mapBlocks(statement, (body) => simplifyChecks(body, inner))];
  });
}

function simplify(condition: Expr, ranges: readonly Range[]): Expr {
  if (condition.kind !== 'apply') return condition;
  const { op, args } = condition;
  if (op === 'and') {
    const left = simplify(args[0], ranges);
    const right = simplify(args[1], ranges);
    return left === args[0] && right === args[1] ? condition : and(left, right);
  }
  const holds =
    (op === 'ge_int' && isAtLeast(args[0], args[1], ranges)) ||
    (op === 'le_int' && isAtMost(args[0], args[1], 0, ranges)) ||
    (op === 'lt_int' && isAtMost(args[0], args[1], -1, ranges)) ||
    (op === 'eq_int' && sameExpression(args[0], args[1]));
  return holds ? int(1) : condition;
}

/** A sum that cannot wrap, with the range of the loop's index in it. */
interface InLoop {
  readonly range: Range;
  readonly offset: number;
}

/** index + offset where the sum stays within 32 bits in every iteration. */
function inLoop(e: Expr, ranges: readonly Range[]): InLoop | null {
  const { base, offset } = linearOf(e, (inner) => intervalOf(inner, ranges));
  if (base?.kind !== 'get') return null;
  const range = ranges.find(({ index }) => index === base.local);
  return range === undefined ? null : { range, offset };
}

function isAtLeast(e: Expr, bound: Expr, ranges: readonly Range[]): boolean {
  const found = inLoop(e, ranges);
  if (found === null || !isConst(found.range.from) || !isConst(bound)) return false;
  return found.range.from.value + found.offset >= bound.value;
}

/** index + offset ≤ bound + `more`, since index ≤ to - 1. */
function isAtMost(e: Expr, bound: Expr, more: number, ranges: readonly Range[]): boolean {
  const interval = (inner: Expr): Interval => intervalOf(inner, ranges);
  const found = inLoop(e, ranges);
  if (found === null) return false;
  const to = endOf(found.range, interval);
  const last = to.offset - 1 + found.offset;
  const { base, offset } = linearOf(bound, interval);
  if (last > offset + more) return false;
  return to.base === null || base === null ? to.base === base : sameExpression(to.base, base);
}

/**
 * A sum that the loop's end does not exceed: what wraps when a number is added to it becomes less than the sum, so that such an
 * end can always be taken apart.
 */
function endOf({ to }: Range, interval: (e: Expr) => Interval): Linear {
  if (to.kind === 'apply' && to.op === 'add_int' && isConst(to.args[1]) && to.args[1].value > 0) {
    const { base, offset } = linearOf(to.args[0], interval);
    return { base, offset: offset + to.args[1].value };
  }
  return linearOf(to, interval);
}

/** The numbers between which a value certainly lies. */
function intervalOf(e: Expr, ranges: readonly Range[]): Interval {
  if (e.kind === 'size') return { low: 0, high: INT_MAX };
  const range = e.kind === 'get' ? ranges.find(({ index }) => index === e.local) : undefined;
  if (range === undefined) return ANY_INT;
  const { base, offset } = endOf(range, (inner) => (inner.kind === 'size' ? { low: 0, high: INT_MAX } : ANY_INT));
  return {
    low: isConst(range.from) ? range.from.value : INT_MIN,
    high: Math.min(INT_MAX, base === null ? offset : INT_MAX + offset) - 1,
  };
}
