import { usesOf } from '../../dataflow/cached.js';
import { mentionsOfNode } from '../../dataflow/effects.js';
import type { Uses } from '../../dataflow/uses.js';
import { Builder, type Names } from '../../ir/builder.js';
import { add, compare, get, int, iterationsOf, mul, toReal, ZERO } from '../../ir/expressions.js';
import { sameExpression } from '../../ir/interned.js';
import type { Block, Expr, Local, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { isKernelCall } from '../../ir/ops.js';
import { rootOf } from '../../ir/refs.js';
import { withBody, withTerms } from '../../ir/remake.js';
import {
  expressionsOf,
  mapBlocks,
  mapOwnNodes,
  mapStatements,
  someNode,
  visitExpression,
  visitStatements,
} from '../../ir/walk.js';
import { readableAnywhere } from './within-bounds.js';

type ForLoop = StatementOf<'for'>;

/**
 * Loop-invariant code motion of sums. A sum over an inner loop that is the same in every iteration of the loop around it is computed before
 * that loop, and costly terms of `target` that are the same in every iteration, except for a factor, are added after it, times the sum of the
 * factors or the number of iterations. So
 *
 *     for (r in 1:R) theta[r] ~ dirichlet(alpha);
 *
 * computes log Γ of `alpha` and of its sum once. Declines if a statement prints, calls, or reads `target`. Requires a block without exits.
 */
export function moveInvariantSums(names: Names, block: Block): Block {
  if (!block.some((statement) => statement.kind === 'for')) return block;
  const sums = new InvariantSums(names, usesOf(block));
  const moved = sums.block(block);
  return sums.hasMoved && isSilent(block) ? moved : block;
}

/** What the iterations of a loop add to `target`, without the factor that may differ between them. */
interface Term {
  readonly statement: Statement;
  readonly factor: Expr | null;
}

class InvariantSums {
  hasMoved = false;
  readonly #builder: Builder;
  readonly #uses: Uses;
  /** Locals of loops whose assignments have moved. */
  readonly #moved = new Set<Local>();

  constructor(names: Names, uses: Uses) {
    this.#builder = new Builder(names);
    this.#uses = uses;
  }

  block(block: Block): Block {
    return mapStatements(block, (statement) =>
      statement.kind === 'for' ? this.#loop(statement) : this.#inside(statement),
    );
  }

  #inside<S extends Statement>(statement: S): S | Statement {
    return mapBlocks(statement, (inner) => this.block(inner));
  }

  #loop(loop: ForLoop): Block {
    const sums = new Set(this.#sumsIn(loop));
    const terms = new Map<Statement, Term>();
    for (const statement of loop.body) {
      const term = sums.has(statement) ? null : this.#termOf(statement, loop);
      if (term !== null) terms.set(statement, term);
    }
    if (sums.size === 0 && terms.size === 0) return [this.#inside(loop)];
    this.hasMoved = true;
    const builder = this.#builder;
    return builder.capture(() => {
      for (const statement of sums) builder.emit(readable(statement));
      const number = builder.bind(iterationsOf(loop.from, loop.to), 'iterations');
      const factors = new Map<Statement, Expr>();
      const rest = loop.body.flatMap((statement): Block => {
        const term = terms.get(statement);
        if (term === undefined) return sums.has(statement) ? [] : [statement];
        if (term.factor === null) {
          factors.set(statement, toReal(number));
          return [];
        }
        const total = builder.newLocal('real', 'factors');
        builder.assign(total, ZERO);
        factors.set(statement, get(total));
        return [{ kind: 'assign', local: total, value: add(get(total), term.factor) }];
      });
      builder.emit(withBody(loop, this.block(rest)));
      if (terms.size === 0) return;
      builder.if(compare('gt', number, int(0)), () => {
        for (const [statement, factor] of factors)
          builder.emit(times(terms.get(statement)?.statement ?? statement, factor));
      });
    });
  }

  /** Pairs of statements that set a local to a constant and add to it in an inner loop, the same in every iteration of the loop. */
  #sumsIn(loop: ForLoop): Block {
    return loop.body.flatMap((start, k) => {
      const sum = loop.body[k + 1];
      if (start.kind !== 'assign' || sum?.kind !== 'for') return [];
      const { local } = start;
      const isSum =
        sum.body.every((s) => s.kind === 'assign' && s.local === local) &&
        this.#uses.isLocalToBody(local, loop) &&
        this.#uses.writesIn(local, loop).count === 1 + sum.body.length &&
        this.#uses.mentioning(loop.body, local)[0] === start;
      const own = new Set<Variable>([local, sum.index]);
      if (!isSum || !this.#isInvariant(start, loop, new Set()) || !this.#isInvariant(sum, loop, own)) return [];
      this.#moved.add(local);
      return [start, sum];
    });
  }

  /** What the statement adds to `target`, if it is costly and, except for a factor, the same in every iteration; null otherwise. */
  #termOf(statement: Statement, loop: ForLoop): Term | null {
    const own = this.#ownOf(statement);
    if (own === null) return null;
    if (this.#isSame(statement, loop, own)) return { statement, factor: null };
    const factor = factorOf(statement);
    if (factor === null || someNode(factor, (node) => mentionsAny(node, own))) return null;
    const divided = withoutFactor(statement, factor);
    return divided !== null && this.#isSame(divided, loop, own) ? { statement: divided, factor } : null;
  }

  /** The variables of an inner loop that only adds terms to `target`; none if the statement is such a term. Null for anything else. */
  #ownOf(statement: Statement): ReadonlySet<Variable> | null {
    const own = new Set<Variable>();
    if (statement.kind === 'target') return own;
    if (statement.kind !== 'for') return null;
    own.add(statement.index);
    for (const inner of statement.body) {
      if (inner.kind === 'assign' && this.#uses.isLocalToBody(inner.local, statement)) own.add(inner.local);
      else if (inner.kind !== 'target') return null;
    }
    return own;
  }

  #isSame(statement: Statement, loop: ForLoop, own: ReadonlySet<Variable>): boolean {
    const isWorth =
      statement.kind === 'for'
        ? statement.body.some((inner) => expressionsOf(inner).some(isCostly))
        : statement.kind === 'target' && isCostly(statement.value) && this.#readsMoved(statement.value);
    return isWorth && this.#isInvariant(statement, loop, own);
  }

  #readsMoved(e: Expr): boolean {
    return someNode(e, (node) => node.kind === 'get' && this.#moved.has(node.local));
  }

  /** Whether the statement reads nothing that the loop changes, except its own variables. */
  #isInvariant(statement: Statement, loop: ForLoop, own: ReadonlySet<Variable>): boolean {
    let isInvariant = true;
    const isChanged = (variable: Variable): boolean => {
      if (own.has(variable) || (variable.kind === 'local' && this.#moved.has(variable))) return false;
      if (this.#uses.isWrittenIn(variable.kind === 'ref' ? rootOf(variable) : variable, loop)) return true;
      return variable.kind === 'ref' && this.#uses.definitionsIn(variable, loop) > 0;
    };
    visitStatements([statement], (inner) => {
      for (const root of expressionsOf(inner)) {
        visitExpression(root, (node) => {
          if (node.kind === 'apply' && TRAPPING.has(node.op)) isInvariant = false;
          mentionsOfNode(node, (variable) => {
            if (isChanged(variable)) isInvariant = false;
          });
        });
      }
    });
    return isInvariant;
  }
}

const TRAPPING: ReadonlySet<string> = new Set(['div_int', 'rem_int']);

/** Whether no statement prints, calls or reads `target`. */
function isSilent(body: Block): boolean {
  let isSilent = true;
  visitStatements(body, (statement) => {
    if (statement.kind === 'print' || statement.kind === 'call') isSilent = false;
    for (const root of expressionsOf(statement)) if (someNode(root, ({ kind }) => kind === 'target')) isSilent = false;
  });
  return isSilent;
}

function isCostly(e: Expr): boolean {
  return someNode(e, isKernelCall);
}

/** The statement with every read confined to its container, even if a check of the loop would have failed before it. */
function readable(statement: Statement): Statement {
  const own = mapOwnNodes(statement, (node) => (node.kind === 'load' ? readableAnywhere(node) : node));
  return mapBlocks(own, (inner) => inner.map(readable));
}

/** The first factor of the first term of `target`; null if it has no factor. */
function factorOf(statement: Statement): Expr | null {
  const term = statement.kind === 'for' ? statement.body.find(({ kind }) => kind === 'target') : statement;
  if (term?.kind !== 'target' || term.value.kind !== 'apply' || term.value.op !== 'mul') return null;
  return term.value.args[0];
}

/** The statement with its terms of `target` divided by the factor; null if a term has a different factor. */
function withoutFactor(statement: Statement, factor: Expr): Statement | null {
  if (statement.kind === 'target') {
    const { value } = statement;
    const isProduct = value.kind === 'apply' && value.op === 'mul' && sameExpression(value.args[0], factor);
    return isProduct ? withTerms(statement, value.args[1]) : null;
  }
  if (statement.kind !== 'for') return statement;
  const body = statement.body.map((inner) => withoutFactor(inner, factor));
  const whole = body.filter((inner) => inner !== null);
  return whole.length === body.length ? withBody(statement, whole) : null;
}

function mentionsAny(node: Expr, variables: ReadonlySet<Variable>): boolean {
  let mentions = false;
  mentionsOfNode(node, (variable) => {
    if (variables.has(variable)) mentions = true;
  });
  return mentions;
}

/** The statement with its terms of `target` multiplied. */
function times(statement: Statement, number: Expr): Statement {
  if (statement.kind === 'target') return withTerms(statement, mul(number, statement.value));
  return mapBlocks(statement, (inner) => inner.map((s) => times(s, number)));
}
