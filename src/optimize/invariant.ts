import { writesOf } from '../dataflow/effects.js';
import { Builder, count, type Names } from '../ir/builder.js';
import { and, apply, compare, get, int, ONE, select, size } from '../ir/expressions.js';
import { Interner } from '../ir/interned.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { rootOf } from '../ir/refs.js';
import { withBody, withIndex } from '../ir/remake.js';
import {
  definedRefs,
  mapBlocks,
  mapExpression,
  mapExpressions,
  operandsOf,
  someNode,
  visitStatements,
  withOperands,
} from '../ir/walk.js';

/**
 * Loop-invariant code motion: computes values that do not change in a loop once before it. A division by an invariant value becomes a
 * multiplication by its reciprocal (one more rounding), unless quotients must be exact. Expressions under a condition are not moved.
 */
export function hoistInvariants(names: Names, block: Block, isExact = false): Block {
  return hoistFrom(names, block, isExact, new Set());
}

/** `indexes`: those of the enclosing loops. */
function hoistFrom(names: Names, block: Block, isExact: boolean, indexes: ReadonlySet<Local>): Block {
  return block.flatMap((statement): Statement[] => {
    if (statement.kind === 'for' || statement.kind === 'for_reverse') {
      const before: Statement[] = [];
      const loop = new Loop(names, statement, before, isExact, indexes);
      const body = loop.rewriteBlock(statement.body);
      return [...before, withBody(statement, hoistFrom(names, body, isExact, new Set([...indexes, statement.index])))];
    }
    return [mapBlocks(statement, (inner) => hoistFrom(names, inner, isExact, indexes))];
  });
}

type LoopStatement = StatementOf<'for' | 'for_reverse'>;

/** Maximum distance from a container's start, in bytes, within which memory is readable however short the container is. */
const NEAR = 512;

class Loop {
  readonly #builder: Builder;
  readonly #written = new Set<Local>();
  readonly #changed = new Set<Ref>();
  readonly #defined = new Set<Ref>();
  readonly #before: Statement[];
  readonly #isExact: boolean;
  readonly #interner = new Interner();
  /** Locals of hoisted values, by the number of the value. */
  readonly #hoisted = new Map<number, Local>();
  readonly #invariant = new Map<Expr, boolean>();
  readonly #anything = new Map<Expr, boolean>();
  readonly #writes = new Map<Local, number>();
  /** The values of locals that are written once in the loop, with a value that does not change. */
  readonly #copies = new Map<Local, Expr>();
  /** The same locals in the order of their discovery. */
  readonly #noted: Local[] = [];

  readonly #indexes: ReadonlySet<Local>;
  /** Whether a check precedes the rewritten code. */
  #isBehindCheck = false;

  constructor(
    names: Names,
    { index, body }: LoopStatement,
    before: Statement[],
    isExact: boolean,
    indexes: ReadonlySet<Local>,
  ) {
    this.#isExact = isExact;
    this.#indexes = indexes;
    this.#builder = new Builder(names);
    this.#before = before;
    this.#written.add(index);
    visitStatements(body, (statement) => {
      for (const variable of writesOf(statement)) {
        if (variable.kind === 'local') {
          this.#written.add(variable);
          this.#writes.set(variable, (this.#writes.get(variable) ?? 0) + 1);
        } else this.#changed.add(rootOf(variable));
      }
      for (const ref of definedRefs(statement)) this.#defined.add(ref);
      if (statement.kind === 'pop') this.#written.add(statement.local);
      if (statement.kind === 'call')
        for (const result of statement.results) if (result.kind === 'ref') this.#changed.add(result);
    });
  }

  rewriteBlock(block: Block): Block {
    return block.map((statement) => {
      if (statement.kind === 'if' || statement.kind === 'while') return statement;
      const done = new Map<Expr, Expr>();
      const own = mapExpressions(statement, (root) => this.#rewrite(this.#withoutCopies(root), done));
      if (statement.kind === 'check') this.#isBehindCheck = true;
      if (own.kind === 'assign') this.#noteCopy(own.local, own.value);
      const known = this.#noted.length;
      return mapBlocks(own, (inner) => {
        const rewritten = this.rewriteBlock(inner);
        for (const local of this.#noted.splice(known)) this.#copies.delete(local);
        return rewritten;
      });
    });
  }

  #withoutCopies(root: Expr): Expr {
    if (this.#copies.size === 0) return root;
    return mapExpression(root, (node) => (node.kind === 'get' ? (this.#copies.get(node.local) ?? node) : node));
  }

  #noteCopy(local: Local, value: Expr): void {
    const isFixed = value.kind === 'const' || (value.kind === 'get' && this.#isInvariant(value));
    if (isFixed && value.type === local.type && this.#writes.get(local) === 1) {
      this.#copies.set(local, value);
      this.#noted.push(local);
    }
  }

  #rewrite(e: Expr, done: Map<Expr, Expr>): Expr {
    const known = done.get(e);
    if (known !== undefined) return known;
    const result = this.#isInvariant(e) ? (isWorth(e) ? this.#hoist(e) : e) : this.#rewriteParts(e, done);
    done.set(e, result);
    return result;
  }

  #rewriteParts(e: Expr, done: Map<Expr, Expr>): Expr {
    if (
      !this.#isExact &&
      e.kind === 'apply' &&
      e.op === 'div' &&
      this.#isInvariant(e.args[1]) &&
      e.args[1].kind !== 'const'
    ) {
      const reciprocal = this.#hoist(apply('div', 'real', ONE, e.args[1]));
      return apply('mul', 'real', this.#rewrite(e.args[0], done), reciprocal);
    }
    const operands = operandsOf(e);
    if (operands.length === 0) return e;
    return withOperands(
      e,
      operands.map((operand) => this.#rewrite(operand, done)),
    );
  }

  #hoist(value: Expr): Expr {
    const number = this.#interner.numberOf(value);
    const known = this.#hoisted.get(number);
    if (known !== undefined) return get(known);
    const local = this.#builder.newLocal(value.type, 'fixed');
    this.#before.push({ kind: 'assign', local, value: this.#withinBounds(value) });
    this.#hoisted.set(number, local);
    return get(local);
  }

  /**
   * Elements are read before the loop even if a check in the loop rejects their indexes, or if the loop has no iterations: an index that
   * may be out of bounds is then replaced by 0.
   */
  #withinBounds(value: Expr): Expr {
    return mapExpression(value, (node) => {
      if (node.kind !== 'load' || !(this.#isBehindCheck || this.#mayBeAnything(node.index))) return node;
      if (node.index.kind === 'const' && node.index.value >= 0 && node.index.value < NEAR) return node;
      const sizes = Array.from({ length: node.ref.rank }, (_, axis) => size(node.ref, axis));
      const isInside = and(compare('ge', node.index, int(0)), compare('lt', node.index, count(sizes)));
      return withIndex(node, select(isInside, node.index, int(0)));
    });
  }

  #mayBeAnything(index: Expr): boolean {
    const known = this.#anything.get(index);
    if (known !== undefined) return known;
    const result = this.#isUnbounded(index);
    this.#anything.set(index, result);
    return result;
  }

  #isUnbounded(index: Expr): boolean {
    if (index.kind === 'const') return index.value < 0 || index.value >= NEAR;
    if (index.kind === 'get') return !this.#indexes.has(index.local);
    if (index.kind !== 'apply') return false;
    const isAny = (operand: Expr): boolean => this.#mayBeAnything(operand);
    // The product of a stride and the index of a loop is an index of the matrix.
    if (index.op === 'mul_int') return index.args.every(isAny);
    return index.args.some((operand) => operand.kind !== 'const' && isAny(operand));
  }

  #isInvariant(e: Expr): boolean {
    const known = this.#invariant.get(e);
    if (known !== undefined) return known;
    let invariant: boolean;
    switch (e.kind) {
      case 'const':
        invariant = true;
        break;
      case 'get':
        invariant = !this.#written.has(e.local);
        break;
      case 'size':
        invariant = !this.#defined.has(e.ref);
        break;
      case 'load':
        invariant = !this.#changed.has(rootOf(e.ref)) && !this.#defined.has(e.ref) && this.#isInvariant(e.index);
        break;
      case 'apply':
        invariant = e.args.every((argument) => this.#isInvariant(argument));
        break;
      default:
        invariant = false;
    }
    this.#invariant.set(e, invariant);
    return invariant;
  }
}

/** Loads, real arithmetic and the more expensive integer operations; not constants, locals and simple index sums. */
function isWorth(e: Expr): boolean {
  return someNode(e, (node) => {
    if (node.kind === 'load') return true;
    if (node.kind !== 'apply') return false;
    if (node.type === 'real' || OPS[node.op].args.includes('real')) return true;
    return node.op === 'mul_int' || node.op === 'div_int' || node.op === 'rem_int';
  });
}
