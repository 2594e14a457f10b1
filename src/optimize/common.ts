import { ValueNumbers } from '../dataflow/value-numbers.js';
import { Builder, type Names } from '../ir/builder.js';
import { get } from '../ir/expressions.js';
import type { Block, Expr, Local, Statement } from '../ir/nodes.js';
import { mapBlocks, mapExpressions, operandsOf, withOperands } from '../ir/walk.js';

/**
 * Common subexpressions: what is computed twice with the same values of all that it reads is computed once and kept
 * in a local. Value numbering over the structured program: a value found in an outer block serves the blocks inside it;
 * each write gives what it changes a new version (Briggs, Cooper & Simpson 1997, dominator-based value numbering).
 */
export function shareCommon(names: Names, block: Block): Block {
  const counting = new Numbering(names, null);
  counting.block(block);
  return new Numbering(names, counting.values).block(block);
}

interface NumberedValue {
  uses: number;
  local: Local | null;
}

class Numbering {
  /** In the order in which they are first met; the second walk meets them in the same order. */
  readonly values: NumberedValue[] = [];
  readonly #counted: readonly NumberedValue[] | null;
  readonly #builder: Builder;
  readonly #numbers = new ValueNumbers();
  /** Positions in `values` of what has been computed in this block or in one around it, by value number. */
  readonly #known = new Map<number, number>();
  /** What the current block has added to that. */
  #own: number[] = [];
  #pending: Statement[] = [];

  constructor(names: Names, counted: readonly NumberedValue[] | null) {
    this.#counted = counted;
    this.#builder = new Builder(names);
  }

  block(block: Block): Block {
    const outer = this.#own;
    this.#own = [];
    const result: Statement[] = [];
    for (const statement of block) this.#statement(statement, result);
    for (const number of this.#own) this.#known.delete(number);
    this.#own = outer;
    return result;
  }

  #statement(statement: Statement, result: Statement[]): void {
    this.#numbers.start();
    const outer = this.#pending;
    this.#pending = [];
    let own: Statement = statement;
    if (statement.kind === 'while') {
      // The condition is evaluated again each iteration: nothing of it may be kept.
      this.#numbers.enter(statement);
    } else {
      own = mapExpressions(statement, (root) => this.#expression(root));
    }
    for (const before of this.#pending) result.push(before);
    this.#pending = outer;
    if (statement.kind === 'for' || statement.kind === 'for_reverse') this.#numbers.enter(statement);
    own = mapBlocks(own, (inner) => this.block(inner));
    result.push(own);
    this.#numbers.pass(statement);
  }

  #expression(e: Expr): Expr {
    if (e.kind === 'const' || e.kind === 'get' || e.kind === 'size' || e.kind === 'target') return e;
    if (e.kind === 'load_adjoint') return { ...e, index: this.#expression(e.index) };
    const number = this.#numbers.numberOf(e);
    const known = this.#known.get(number);
    if (known !== undefined) {
      const value = this.values[known];
      value.uses++;
      return value.local === null ? e : get(value.local);
    }
    const rewritten = withOperands(
      e,
      operandsOf(e).map((operand) => this.#expression(operand)),
    );
    const position = this.values.length;
    const value: NumberedValue = { uses: 1, local: null };
    this.values.push(value);
    this.#known.set(number, position);
    this.#own.push(number);
    if (this.#counted !== null && this.#counted[position].uses > 1) {
      const local = this.#builder.newLocal(e.type, 'c');
      this.#pending.push({ kind: 'assign', local, value: rewritten });
      value.local = local;
      return get(local);
    }
    return rewritten;
  }
}
