import { usesOf } from '../../dataflow/cached.js';
import type { Uses } from '../../dataflow/uses.js';
import {
  add,
  and,
  compare,
  int,
  isConst,
  isValue,
  mul,
  neg,
  not,
  or,
  real,
  select,
  sub,
  toReal,
} from '../../ir/expressions.js';
import type { Block, Expr, Local, Statement, StatementOf } from '../../ir/nodes.js';
import { mapBlocks, mapOwnNodes, mapStatements } from '../../ir/walk.js';

/**
 * Constant and copy propagation: a local that is assigned once is replaced by its value, if that is a constant or another local that does
 * not change. Operations on constants are folded; branches of known conditions and checks that always hold are removed.
 */
export function propagateConstants(block: Block): Block {
  return new Propagation(usesOf(block)).block(block);
}

/** Propagates constants through a block. `uses` describes the original block. */
export class Propagation {
  protected readonly uses: Uses;
  protected readonly known = new Map<Local, Expr>();

  constructor(uses: Uses) {
    this.uses = uses;
  }

  block(block: Block): Block {
    return mapStatements(block, (statement, k) => this.#statement(statement, block, k));
  }

  #statement(statement: Statement, around: Block, position: number): Statement | readonly Statement[] {
    const own = this.own(statement);
    switch (own.kind) {
      case 'assign':
        this.#learn(own, statement, around, position);
        return own;
      case 'check':
        return isConst(own.condition) && own.condition.value !== 0 ? [] : own;
      case 'if':
        if (!isConst(own.condition)) break;
        return this.block(own.condition.value === 0 ? own.otherwise : own.then);
      case 'while':
        if (isValue(own.condition, 0)) return [];
        break;
      case 'for':
        if (isConst(own.from) && isConst(own.to) && tripsOf(own.from.value, own.to.value) === 0) return [];
        return this.loop(own, statement);
      default:
        break;
    }
    return this.inside(own);
  }

  /** The statement with its own expressions evaluated. */
  protected own(statement: Statement): Statement {
    return mapOwnNodes(statement, this.#node);
  }

  /** A loop whose own expressions have been evaluated. */
  protected loop(loop: StatementOf<'for'>, _original: Statement): Statement | readonly Statement[] {
    return this.inside(loop);
  }

  protected inside(statement: Statement): Statement {
    return mapBlocks(statement, (inner) => this.block(inner));
  }

  #learn({ local, value }: StatementOf<'assign'>, original: Statement, around: Block, position: number): void {
    if (original.kind !== 'assign' || !this.isAssignedOnce(original.local)) return;
    if ((isConst(value) && !isRealZero(value)) || this.#isCopy(original, value, around, position)) {
      this.known.set(local, value);
    }
  }

  /** Whether one statement assigns the local; globals may also be assigned in other blocks. */
  protected isAssignedOnce(local: Local): boolean {
    return local.storage !== 'global' && this.uses.writes(local).length === 1;
  }

  /** Whether reading a local may replace reading the one that it is assigned to. */
  #isCopy(original: StatementOf<'assign'>, value: Expr, around: Block, position: number): boolean {
    if (value.kind !== 'get' || value.type !== original.local.type) return false;
    const source = this.originalOf(value.local);
    return this.#isFixed(source, original) || this.#isLocalCopy(original.local, source, around, position);
  }

  /** The corresponding local in the original block. */
  protected originalOf(local: Local): Local {
    return local;
  }

  /** Whether the local has the same value at every read of its copy, which the statement makes. */
  #isFixed(local: Local, copy: Statement): boolean {
    const sites = this.uses.writes(local);
    if (sites.length === 0) return true;
    return sites.length === 1 && sites[0].loops.length === 0 && this.uses.position(copy) > sites[0].position;
  }

  /** Whether a copy is read only in the rest of its block, where the local that it copies is not written. */
  #isLocalCopy(copy: Local, local: Local, around: Block, position: number): boolean {
    const uses = this.uses;
    const last = uses.lastIn(around, uses.lastMention(copy));
    if (last === null || uses.countBetween(copy, around[position], last) !== uses.count(copy)) return false;
    return last === around[position] || !uses.isChangedBetween(local, around[position + 1], last);
  }

  readonly #node = (node: Expr): Expr => this.node(node);

  /** A node whose operands are evaluated. */
  protected node(node: Expr): Expr {
    if (node.kind === 'get') return this.known.get(node.local) ?? node;
    return node.kind === 'apply' ? fold(node) : node;
  }
}

/**
 * Differentiation treats a product with a constant 0 as 0. The product with a local that is zero is NaN if the other factor is not finite.
 */
function isRealZero(e: Expr): boolean {
  return e.kind === 'const' && e.type === 'real' && e.value === 0;
}

/** The number of iterations of a loop with constant ends. Ends wrap: after the maximum int comes the minimum int. */
export function tripsOf(from: number, to: number): number {
  const last = (to - 1) | 0;
  return last < from ? 0 : last - from + 1;
}

/**
 * An operation whose operands may have become constants. Real arithmetic is folded if all operands are constant, and factors of 1 are
 * removed. Nothing is assumed about other operands: 0 times a variable remains, because the variable may be infinite.
 */
function fold(node: Operation): Expr {
  const result = folded(node);
  return isSameOperation(result, node) ? node : result;
}

/** Unchanged expressions remain the same nodes, so statements without constants do as well. */
function isSameOperation(result: Expr, node: Operation): boolean {
  return (
    result.kind === 'apply' &&
    result.op === node.op &&
    result.args.length === node.args.length &&
    result.args.every((argument, k) => argument === node.args[k])
  );
}

function folded(node: Operation): Expr {
  const { op, args } = node;
  const [a, b] = args;
  switch (op) {
    case 'add_int':
      return add(a, b);
    case 'sub_int':
      return isConst(a) && isConst(b) ? int(a.value - b.value) : sub(a, b);
    case 'mul_int':
      return mul(a, b);
    case 'neg_int':
      return neg(a);
    case 'and':
      return and(a, b);
    case 'or':
      return or(a, b);
    case 'not':
      return not(a);
    case 'to_real':
      return toReal(a);
    case 'select':
    case 'select_int':
      return isConst(a) ? select(a, b, args[2]) : node;
    case 'mul':
      if (isValue(a, 1)) return b;
      if (isValue(b, 1)) return a;
      return isConst(a) && isConst(b) ? mul(a, b) : node;
    case 'add':
      return isConst(a) && isConst(b) ? real(a.value + b.value) : node;
    case 'sub':
      return isConst(a) && isConst(b) ? real(a.value - b.value) : node;
    case 'div':
      return isConst(a) && isConst(b) ? real(a.value / b.value) : node;
    case 'neg':
      return isConst(a) ? neg(a) : node;
    default: {
      const comparison = COMPARISONS.get(op);
      return comparison !== undefined && isConst(a) && isConst(b) ? compare(comparison, a, b) : node;
    }
  }
}

type Operation = Extract<Expr, { kind: 'apply' }>;

type Comparison = Parameters<typeof compare>[0];

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map(
  (['lt', 'le', 'gt', 'ge', 'eq', 'ne'] as const).flatMap((name) => [
    [name, name],
    [`${name}_int`, name],
  ]),
);
