import { usesOf } from '../../dataflow/cached.js';
import type { Uses } from '../../dataflow/uses.js';
import { Builder, type Names } from '../../ir/builder.js';
import { apply, get, ONE } from '../../ir/expressions.js';
import { Interner } from '../../ir/interned.js';
import type { Block, Expr, Local, Statement, StatementOf } from '../../ir/nodes.js';
import { OPS } from '../../ir/ops.js';
import { rootOf } from '../../ir/refs.js';
import { withBody } from '../../ir/remake.js';
import { mapBlocks, mapExpression, mapExpressions, mapStatements, operandsOf, withOperands } from '../../ir/walk.js';
import { readableAnywhere } from './within-bounds.js';

/**
 * Loop-invariant code motion: computes values that do not change in a loop once before it. A division by an invariant value becomes a
 * multiplication by its reciprocal (one more rounding), unless quotients must be exact. A power of an invariant base is computed from the
 * logarithm of the base, with the same result. Expressions under a condition are not moved.
 *
 * One walk for nested loops: the level of an expression is the number of the loops around it in which it changes, so that it moves in front
 * of the loop of that number.
 */
export function hoistInvariants(names: Names, block: Block, isExact = false): Block {
  return new Hoisting(names, usesOf(block), isExact).block(block);
}

type LoopStatement = StatementOf<'for' | 'for_reverse'>;

/** Maximum distance from a container's start, in bytes, at which memory is readable even if the container is shorter. */
const NEAR = 512;

/** A loop around the statement that is being rewritten. */
class Around {
  readonly before: Statement[] = [];
  /** The locals of the values that have moved in front of the loop, by value number. */
  readonly hoisted = new Map<number, Local>();
  readonly interner = new Interner();
  /** Of expressions directly in the loop. */
  readonly levels = new Map<Expr, number>();
  /** Whether an index may be out of bounds in front of the loop. */
  readonly anything = new Map<Expr, boolean>();
  /** The number of loops around this one, including those outside a condition. */
  readonly depth: number;
  /** The number of checks in front of the loop's body. */
  readonly checks: number;

  constructor(depth: number, checks: number) {
    this.depth = depth;
    this.checks = checks;
  }
}

/** Rewritten expressions of a statement, by the original ones. */
interface Done {
  /** As parts of expressions that change in the same loops. */
  readonly own: Map<Expr, Expr>;
  /** As parts of expressions that change in more loops. */
  readonly moved: Map<Expr, Expr>;
  readonly worth: Map<Expr, boolean>;
}

class Hoisting {
  readonly #builder: Builder;
  readonly #uses: Uses;
  readonly #isExact: boolean;
  /** The enclosing loops within the innermost condition, outermost first, and the same as statements. */
  #around: Around[] = [];
  #loops: LoopStatement[] = [];
  /** The indexes of all enclosing loops, with the number of loops around each. */
  readonly #indexes = new Map<Local, number>();
  /** The levels of hoisted values. */
  #fixed = new Map<Local, number>();
  /** The values of locals that are written once in the innermost loop, with a value that does not change in it. */
  #copies = new Map<Local, Expr>();
  /** The same locals in order of discovery. */
  #noted: Local[] = [];
  /** The number of checks so far, without those under conditions. */
  #checks = 0;

  constructor(names: Names, uses: Uses, isExact: boolean) {
    this.#builder = new Builder(names);
    this.#uses = uses;
    this.#isExact = isExact;
  }

  block(block: Block): Block {
    const known = this.#noted.length;
    const rewritten = mapStatements(block, (statement) => this.#statement(statement));
    for (const local of this.#noted.splice(known)) this.#copies.delete(local);
    return rewritten;
  }

  #statement(statement: Statement): readonly Statement[] {
    if (statement.kind === 'if' || statement.kind === 'while') return [this.#apart(statement)];
    if (this.#around.length === 0) return this.#withBlocks(statement, statement);
    const done: Done = { own: new Map(), moved: new Map(), worth: new Map() };
    const own = mapExpressions(statement, (root) => this.#within(this.#withoutCopies(root), this.#around.length, done));
    if (statement.kind === 'check') this.#checks++;
    if (own.kind === 'assign') this.#noteCopy(own.local, own.value);
    return this.#withBlocks(statement, own);
  }

  /** Rewrites the blocks of a statement; `own` is the statement with its own expressions rewritten. */
  #withBlocks(statement: Statement, own: Statement): readonly Statement[] {
    if (statement.kind !== 'for' && statement.kind !== 'for_reverse') {
      return [mapBlocks(own, (inner) => this.block(inner))];
    }
    if (own.kind !== 'for' && own.kind !== 'for_reverse') return [own];
    const around = new Around(this.#indexes.size, this.#checks);
    this.#indexes.set(statement.index, around.depth);
    this.#around.push(around);
    this.#loops.push(statement);
    const body = this.block(statement.body);
    this.#loops.pop();
    this.#around.pop();
    this.#indexes.delete(statement.index);
    return [...around.before, body === own.body ? own : withBody(own, body)];
  }

  /** Rewrites a statement whose expressions and blocks must stay under its condition. */
  #apart(statement: Statement): Statement {
    const outer = { around: this.#around, loops: this.#loops, fixed: this.#fixed, copies: this.#copies };
    const [noted, checks] = [this.#noted, this.#checks];
    this.#around = [];
    this.#loops = [];
    this.#fixed = new Map();
    this.#copies = new Map();
    this.#noted = [];
    const rewritten = mapBlocks(statement, (inner) => this.block(inner));
    this.#around = outer.around;
    this.#loops = outer.loops;
    this.#fixed = outer.fixed;
    this.#copies = outer.copies;
    this.#noted = noted;
    this.#checks = checks;
    return rewritten;
  }

  #withoutCopies(root: Expr): Expr {
    if (this.#copies.size === 0) return root;
    return mapExpression(root, (node) => (node.kind === 'get' ? (this.#copies.get(node.local) ?? node) : node));
  }

  #noteCopy(local: Local, value: Expr): void {
    const isFixed = value.kind === 'const' || (value.kind === 'get' && this.#level(value) < this.#around.length);
    const innermost = this.#loops.at(-1) ?? null;
    if (isFixed && value.type === local.type && this.#uses.writesIn(local, innermost).count === 1) {
      this.#copies.set(local, value);
      this.#noted.push(local);
    }
  }

  /** The expression as part of one that changes in the first `level` loops. */
  #within(e: Expr, level: number, done: Done): Expr {
    const own = this.#level(e);
    if (own >= level) return this.#rewritten(e, done);
    const known = done.moved.get(e);
    if (known !== undefined) return known;
    const rewritten = this.#rewritten(e, done);
    const result = isWorth(rewritten, done.worth) ? this.#hoist(rewritten, own) : rewritten;
    done.moved.set(e, result);
    return result;
  }

  /** The expression with parts that change in fewer loops moved in front of the loops in which they do not change. */
  #rewritten(e: Expr, done: Done): Expr {
    const operands = operandsOf(e);
    if (operands.length === 0) return e;
    const known = done.own.get(e);
    if (known !== undefined) return known;
    const level = this.#level(e);
    const result =
      this.#timesReciprocal(e, level, done) ??
      this.#powerOfLogarithm(e, level, done) ??
      withOperands(
        e,
        operands.map((operand) => this.#within(operand, level, done)),
      );
    done.own.set(e, result);
    return result;
  }

  /** A quotient whose divisor changes in fewer loops, as a product; null for other expressions. */
  #timesReciprocal(e: Expr, level: number, done: Done): Expr | null {
    if (this.#isExact || e.kind !== 'apply' || e.op !== 'div') return null;
    const [dividend, divisor] = e.args;
    const levelOfDivisor = this.#level(divisor);
    if (divisor.kind === 'const' || levelOfDivisor >= level) return null;
    const reciprocal = this.#hoist(apply('div', 'real', ONE, this.#rewritten(divisor, done)), levelOfDivisor);
    return apply('mul', 'real', this.#within(dividend, level, done), reciprocal);
  }

  /** A power whose base changes in fewer loops, computed from the logarithm of the base, which halves the work. Null for other expressions. */
  #powerOfLogarithm(e: Expr, level: number, done: Done): Expr | null {
    if (e.kind !== 'apply' || e.op !== 'pow') return null;
    const [base, exponent] = e.args;
    const levelOfBase = this.#level(base);
    if (levelOfBase >= level) return null;
    const own = this.#rewritten(base, done);
    const parts = (['log_high', 'log_low'] as const).map((op) => this.#hoist(apply(op, 'real', own), levelOfBase));
    return apply('pow_of_log', 'real', this.#within(base, level, done), this.#within(exponent, level, done), ...parts);
  }

  #hoist(value: Expr, level: number): Expr {
    const around = this.#around[level];
    const number = around.interner.numberOf(value);
    const known = around.hoisted.get(number);
    if (known !== undefined) return get(known);
    const local = this.#builder.newLocal(value.type, 'fixed');
    around.before.push({ kind: 'assign', local, value: this.#withinBounds(value, around) });
    around.hoisted.set(number, local);
    this.#fixed.set(local, level);
    return get(local);
  }

  /**
   * Elements are read before the loop even if a check in the loop rejects their indexes, or if the loop has no iterations: an index that
   * may be out of bounds is then replaced by 0.
   */
  #withinBounds(value: Expr, around: Around): Expr {
    const isBehindCheck = this.#checks > around.checks;
    return mapExpression(value, (node) => {
      if (node.kind !== 'load' || !(isBehindCheck || this.#mayBeAnything(node.index, around))) return node;
      if (node.index.kind === 'const' && node.index.value >= 0 && node.index.value < NEAR) return node;
      return readableAnywhere(node);
    });
  }

  #mayBeAnything(index: Expr, around: Around): boolean {
    const known = around.anything.get(index);
    if (known !== undefined) return known;
    const result = this.#isUnbounded(index, around);
    around.anything.set(index, result);
    return result;
  }

  #isUnbounded(index: Expr, around: Around): boolean {
    if (index.kind === 'const') return index.value < 0 || index.value >= NEAR;
    if (index.kind === 'get') return (this.#indexes.get(index.local) ?? around.depth) >= around.depth;
    if (index.kind !== 'apply') return false;
    const isAny = (operand: Expr): boolean => this.#mayBeAnything(operand, around);
    // The product of a stride and the index of a loop is an index of the matrix.
    if (index.op === 'mul_int') return index.args.every(isAny);
    return index.args.some((operand) => operand.kind !== 'const' && isAny(operand));
  }

  /** The number of enclosing loops, from the outermost, in which the expression changes. */
  #level(e: Expr): number {
    if (e.kind === 'const') return 0;
    const { levels } = this.#around[this.#around.length - 1];
    const known = levels.get(e);
    if (known !== undefined) return known;
    const level = this.#levelOf(e);
    levels.set(e, level);
    return level;
  }

  #levelOf(e: Expr): number {
    switch (e.kind) {
      case 'const':
        return 0;
      case 'get':
        return this.#fixed.get(e.local) ?? this.#uses.loopsThatWrite(e.local, this.#loops);
      case 'size':
        return this.#uses.loopsThatDefine(e.ref, this.#loops);
      case 'load':
        return Math.max(
          this.#uses.loopsThatWrite(rootOf(e.ref), this.#loops),
          this.#uses.loopsThatDefine(e.ref, this.#loops),
          this.#level(e.index),
        );
      case 'apply': {
        let level = 0;
        for (const operand of e.args) level = Math.max(level, this.#level(operand));
        return level;
      }
      default:
        return this.#loops.length;
    }
  }
}

/** Whether the expression contains loads, real arithmetic or the more expensive integer operations, not only locals and simple index sums. */
function isWorth(e: Expr, known: Map<Expr, boolean>): boolean {
  if (e.kind === 'load') return true;
  if (e.kind !== 'apply') return false;
  const before = known.get(e);
  if (before !== undefined) return before;
  const result =
    e.type === 'real' ||
    OPS[e.op].args.includes('real') ||
    e.op === 'mul_int' ||
    e.op === 'div_int' ||
    e.op === 'rem_int' ||
    e.args.some((operand) => isWorth(operand, known));
  known.set(e, result);
  return result;
}
