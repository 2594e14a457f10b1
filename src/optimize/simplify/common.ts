import { usesOf } from '../../dataflow/cached.js';
import { isLoop } from '../../dataflow/effects.js';
import { ValueNumbers } from '../../dataflow/value-numbers.js';
import { Builder, type Names } from '../../ir/builder.js';
import { get } from '../../ir/expressions.js';
import type { Block, Expr, Local, Statement } from '../../ir/nodes.js';
import { blocksOf, mapBlocks, mapExpressions, operandsOf, withOperands } from '../../ir/walk.js';

/**
 * Common subexpression elimination: an expression that is computed several times from the same values is computed once
 * and stored in a local. Value numbering over the structured program: values of an outer block are available in the
 * blocks inside it, and each write gives its variable a new version (Briggs, Cooper & Simpson 1997, dominator-based value
 * numbering).
 */
export function shareCommon(names: Names, block: Block): Block {
  const counting = new Counting(block);
  return new Sharing(names, counting).block(block);
}

/** Visits every expression of a block and counts the uses of each value. */
class Counting {
  /** The number of uses of each value; values are numbered in the order of their first visit. */
  readonly uses: number[] = [];
  /** The value of each visited expression, in order. The operands of a new value precede it. */
  readonly visited: number[] = [];
  /** For each statement, in order, the length of `visited` after the statement's own expressions. */
  readonly ends: number[] = [];
  readonly #numbers = new ValueNumbers();
  /** Values that have been computed in this block or an enclosing one, by number. */
  readonly #known: (number | undefined)[] = [];
  /** The values that the current block has added to these. */
  #own: number[] = [];
  readonly #whole: Block;

  constructor(block: Block) {
    this.#whole = block;
    this.#block(block);
  }

  #block(block: Block): void {
    const outer = this.#own;
    this.#own = [];
    for (const statement of block) this.#statement(statement);
    for (const number of this.#own) this.#known[number] = undefined;
    this.#own = outer;
  }

  #statement(statement: Statement): void {
    this.#numbers.start();
    visitRoots(statement, this.#visitRoot);
    this.ends.push(this.visited.length);
    if (isLoop(statement)) this.#numbers.enter(statement, usesOf(this.#whole));
    for (const inner of blocksOf(statement)) this.#block(inner);
    this.#numbers.pass(statement);
  }

  readonly #visitRoot = (root: Expr): Expr => {
    this.#visit(root);
    return root;
  };

  #visit(e: Expr): void {
    if (isFree(e)) return;
    if (e.kind === 'load_adjoint') {
      this.#visit(e.index);
      return;
    }
    const number = this.#numbers.numberOf(e);
    const known = this.#known[number];
    if (known !== undefined) {
      this.uses[known]++;
      this.visited.push(known);
      return;
    }
    const value = this.uses.push(1) - 1;
    this.visited.push(value);
    // An array without holes is faster.
    while (this.#known.length < number) this.#known.push(undefined);
    this.#known[number] = value;
    this.#own.push(number);
    for (const operand of operandsOf(e)) this.#visit(operand);
  }
}

/** Repeats the visit, and assigns values with several uses to locals. */
class Sharing {
  readonly #builder: Builder;
  readonly #uses: readonly number[];
  readonly #visited: readonly number[];
  readonly #ends: readonly number[];
  #next = 0;
  #nextStatement = 0;
  /** The local of each visited value, if it has one. */
  readonly #locals: (Local | null)[] = [];
  #pending: Statement[] = [];

  constructor(names: Names, { uses, visited, ends }: Counting) {
    this.#builder = new Builder(names);
    this.#uses = uses;
    this.#visited = visited;
    this.#ends = ends;
  }

  block(block: Block): Block {
    const result: Statement[] = [];
    for (const statement of block) {
      const own = this.#skips(this.#ends[this.#nextStatement++]) ? statement : this.#rewritten(statement, result);
      result.push(mapBlocks(own, (inner) => this.block(inner)));
    }
    return result;
  }

  /** Skips the values up to `end` if none of them is used again. */
  #skips(end: number): boolean {
    for (let k = this.#next; k < end; k++) if (this.#uses[this.#visited[k]] > 1) return false;
    for (; this.#next < end; this.#next++) this.#locals.push(null);
    return true;
  }

  /** The statement with shared values read from locals; `before` receives the assignments of those that are first met here. */
  #rewritten(statement: Statement, before: Statement[]): Statement {
    const outer = this.#pending;
    this.#pending = [];
    const own = visitRoots(statement, this.#expression);
    for (const assignment of this.#pending) before.push(assignment);
    this.#pending = outer;
    return own;
  }

  readonly #expression = (e: Expr): Expr => {
    if (isFree(e)) return e;
    if (e.kind === 'load_adjoint') return withOperands(e, [this.#expression(e.index)]);
    const value = this.#visited[this.#next++];
    if (value < this.#locals.length) {
      const local = this.#locals[value];
      return local === null ? e : get(local);
    }
    this.#locals.push(null);
    const rewritten = withOperands(e, operandsOf(e).map(this.#expression));
    if (this.#uses[value] === 1) return rewritten;
    const local = this.#builder.newLocal(e.type, 'c');
    this.#pending.push({ kind: 'assign', local, value: rewritten });
    this.#locals[value] = local;
    return get(local);
  };
}

/** Whether reading the expression costs nothing. */
function isFree(e: Expr): boolean {
  return e.kind === 'const' || e.kind === 'get' || e.kind === 'size' || e.kind === 'target';
}

/** Maps the roots of a statement. The condition of a `while` is evaluated in each iteration, so none of its values are kept. */
function visitRoots(statement: Statement, visit: (root: Expr) => Expr): Statement {
  return statement.kind === 'while' ? statement : mapExpressions(statement, visit);
}
