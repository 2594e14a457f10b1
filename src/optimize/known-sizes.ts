import { add, and, int, isConst } from '../ir/expressions.js';
import type { Block, Expr, Local, Ref, Statement, Variable } from '../ir/nodes.js';
import { sameExpression } from '../ir/same.js';
import { mapBlocks, mapExpression, mapExpressions, visitStatements } from '../ir/walk.js';
import { Uses } from './effects.js';

/**
 * Replaces the size of a container by what it was allocated with, where that is known and does not change, and drops the
 * bounds checks that the loops around make certain (`n` of `1:N` indexing a container of `N`).
 */
export function resolveSizes(block: Block): Block {
  const resolver = new Resolver(block);
  return simplifyChecks(resolver.block(block), []);
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
    (op === 'le_int' && isBelow(args[0], add(args[1], int(1)), ranges)) ||
    (op === 'lt_int' && isBelow(args[0], args[1], ranges)) ||
    (op === 'eq_int' && sameExpression(args[0], args[1]));
  return holds ? int(1) : condition;
}

/** `index + offset`, with the range of the index. */
function indexAndOffset(e: Expr, ranges: readonly Range[]): { readonly range: Range; readonly offset: number } | null {
  const offset = e.kind === 'apply' && e.op === 'add_int' && e.args[1].kind === 'const' ? e.args[1].value : 0;
  const base = offset === 0 || e.kind !== 'apply' ? e : e.args[0];
  if (base.kind !== 'get') return null;
  const range = ranges.find(({ index }) => index === base.local);
  return range === undefined ? null : { range, offset };
}

function isAtLeast(e: Expr, bound: Expr, ranges: readonly Range[]): boolean {
  const found = indexAndOffset(e, ranges);
  return (
    found !== null &&
    isConst(found.range.from) &&
    isConst(bound) &&
    found.range.from.value + found.offset >= bound.value
  );
}

/** index + offset < bound, since index < to and to + offset <= bound. */
function isBelow(e: Expr, bound: Expr, ranges: readonly Range[]): boolean {
  const found = indexAndOffset(e, ranges);
  if (found === null) return false;
  const end = add(found.range.to, int(found.offset));
  if (isConst(end) && isConst(bound)) return end.value <= bound.value;
  return sameExpression(end, bound) || constantGap(end, bound) >= 0;
}

/** bound - end where both are one expression plus constants; negative where that is not so. */
function constantGap(end: Expr, bound: Expr): number {
  const split = (e: Expr): { base: Expr; constant: number } =>
    e.kind === 'apply' && e.op === 'add_int' && e.args[1].kind === 'const'
      ? { base: e.args[0], constant: e.args[1].value }
      : { base: e, constant: 0 };
  const a = split(end);
  const b = split(bound);
  return sameExpression(a.base, b.base) ? b.constant - a.constant : -1;
}
