import { Builder, type Names } from '../ir/builder.js';
import { apply, get, ONE } from '../ir/expressions.js';
import type { Block, Expr, Local, Ref, Statement } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { rootOf } from '../ir/refs.js';
import { sameExpression } from '../ir/same.js';
import {
  definedRefs,
  mapBlocks,
  mapExpression,
  mapExpressions,
  operandsOf,
  visitStatements,
  withOperands,
} from '../ir/walk.js';
import { writesOf } from './effects.js';

/**
 * Computes what does not change in a loop once before it. A division by an unchanging value becomes a
 * multiplication with its reciprocal (one rounding more), unless quotients are to be exact. Expressions under a condition stay
 * where they are.
 */
export function hoistInvariants(names: Names, block: Block, isExact = false): Block {
  return block.flatMap((statement): Statement[] => {
    if (statement.kind === 'for' || statement.kind === 'for_reverse') {
      const before: Statement[] = [];
      const loop = new Loop(names, statement.index, statement.body, before, isExact);
      const body = loop.rewriteBlock(statement.body);
      return [
        ...hoistInvariants(names, before, isExact),
        { ...statement, body: hoistInvariants(names, body, isExact) },
      ];
    }
    return [mapBlocks(statement, (inner) => hoistInvariants(names, inner, isExact))];
  });
}

class Loop {
  readonly #builder: Builder;
  readonly #written = new Set<Local>();
  readonly #changed = new Set<Ref>();
  readonly #defined = new Set<Ref>();
  readonly #before: Statement[];
  readonly #isExact: boolean;
  readonly #hoisted: { readonly value: Expr; readonly local: Local }[] = [];
  readonly #invariant = new Map<Expr, boolean>();
  readonly #writes = new Map<Local, number>();
  /** Locals that are written once in the loop, with a value that does not change: what they stand for from there on. */
  #copies: ReadonlyMap<Local, Expr> = new Map();

  constructor(names: Names, index: Local, body: Block, before: Statement[], isExact: boolean) {
    this.#isExact = isExact;
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
      if (own.kind === 'assign') this.#noteCopy(own.local, own.value);
      const copies = this.#copies;
      return mapBlocks(own, (inner) => {
        const rewritten = this.rewriteBlock(inner);
        this.#copies = copies;
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
      this.#copies = new Map([...this.#copies, [local, value]]);
    }
  }

  #rewrite(e: Expr, done: Map<Expr, Expr>): Expr {
    const known = done.get(e);
    if (known !== undefined) return known;
    const result = this.#isInvariant(e) && isWorth(e) ? this.#hoist(e) : this.#rewriteParts(e, done);
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
    const known = this.#hoisted.find((entry) => sameExpression(entry.value, value));
    if (known !== undefined) return get(known.local);
    const local = this.#builder.newLocal(value.type, 'fixed');
    this.#before.push({ kind: 'assign', local, value });
    this.#hoisted.push({ value, local });
    return get(local);
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

/** Loads, real arithmetic and the dearer integer operations; not constants, locals and simple index sums. */
function isWorth(e: Expr): boolean {
  if (e.kind === 'load') return true;
  if (e.kind !== 'apply') return false;
  if (e.type === 'real' || OPS[e.op].args.includes('real')) return true;
  return e.op === 'mul_int' || e.op === 'div_int' || e.op === 'rem_int' || e.args.some(isWorth);
}
