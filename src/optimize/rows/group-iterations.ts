import { movableOf, usesOf } from '../../dataflow/cached.js';
import type { Movable } from '../../dataflow/movable.js';
import type { Uses } from '../../dataflow/uses.js';
import { Builder, type Names, pointer } from '../../ir/builder.js';
import {
  add,
  compare,
  get,
  int,
  iterationsOf,
  load,
  mul,
  neg,
  ONE,
  or,
  select,
  sub,
  ZERO,
} from '../../ir/expressions.js';
import { Interner } from '../../ir/interned.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, TargetTerm, Variable } from '../../ir/nodes.js';
import { withBody, withTerms } from '../../ir/remake.js';
import { termsOf } from '../../ir/sums.js';
import {
  expressionsOf,
  mapExpression,
  operandsOf,
  someNode,
  visitExpressions,
  visitStatements,
} from '../../ir/walk.js';
import { applied, type Decide, UNNOTED } from '../decisions.js';
import { expressionAt } from '../loops/iterations.js';
import { IterationValues, isCostly } from './iteration-values.js';
import { mapOuterLoops, type OuterLoop } from './outer-loops.js';

type ForLoop = StatementOf<'for'>;

/** A value that differs between iterations only by an integer, which `nodes` represent and `key` computes from the loop's index. */
interface Candidate {
  readonly value: Expr;
  readonly nodes: ReadonlySet<Expr>;
  readonly key: Expr;
  /** Costly operations that depend on the integer. */
  readonly costs: readonly Expr[];
}

/** A term of `target` that is such a value. */
interface Grouped extends Candidate {
  readonly negative: boolean;
  readonly term: TargetTerm;
}

/** Terms with the same integer. */
interface Group {
  readonly key: Expr;
  readonly terms: Grouped[];
}

/**
 * Computes costly terms of `target` once per distinct integer: if the iterations of a loop differ only by an integer of the data, as in
 * `for (n in 1:N) target += lgamma(y[n] + a)`, the terms move to a loop over the distinct y, and each is multiplied by the number of its
 * iterations. The list of values depends only on data and moves out of the log density. Terms stay in the loop if its other statements need
 * all of their costly operations. Checks remain in order.
 *
 * Applies to loops outside other loops, with data bounds, whose iterations do not read `target`. Requires a block without exits; must
 * precede `hoistData`.
 */
export function groupIterations(
  names: Names,
  block: Block,
  inputs: readonly Variable[],
  decide: Decide = UNNOTED,
): Block {
  let found = false;
  visitStatements(block, (statement) => {
    if (statement.kind === 'for' && hasCostlyTarget(statement)) found = true;
  });
  return found ? new Grouper(names, block, inputs, decide).block(block) : block;
}

class Grouper {
  readonly #builder: Builder;
  readonly #uses: Uses;
  readonly #movable: Movable;
  readonly #decide: Decide;

  constructor(names: Names, block: Block, inputs: readonly Variable[], decide: Decide) {
    this.#builder = new Builder(names);
    this.#decide = decide;
    this.#uses = usesOf(block);
    this.#movable = movableOf(block, inputs);
  }

  block(block: Block): Block {
    return mapOuterLoops(block, this.#movable, (outer) => this.#loop(outer));
  }

  #loop({ loop, condition, isKnown }: OuterLoop): { readonly before: Block; readonly statements: Block } | null {
    if (!hasCostlyTarget(loop) || readsTarget(loop)) return null;
    const grouping = new Grouping(loop, this.#uses, this.#movable, isKnown);
    const body = grouping.body();
    const { groups } = grouping;
    if (groups.length === 0) return null;
    this.#decide(
      applied(
        'groupIterations',
        loop,
        groups.map(({ key }) => key),
      ),
    );
    const before: Statement[] = [];
    const sums = this.#builder.capture(() => {
      for (const group of groups) {
        let list: List | null = null;
        before.push(
          ...this.#builder.capture(() => {
            list = writeList(this.#builder, loop, condition, group.key);
          }),
        );
        if (list !== null) writeSums(this.#builder, list, group.terms);
      }
    });
    return { before, statements: body.length === 0 ? sums : [withBody(loop, body), ...sums] };
  }
}

/** Whether the body has terms of `target` and costly operations that they may depend on. */
function hasCostlyTarget(loop: ForLoop): boolean {
  let costly = false;
  let adds = false;
  for (const statement of loop.body) {
    if (statement.kind === 'target') adds = true;
    else if (statement.kind !== 'assign') continue;
    visitExpressions(statement, (node) => {
      if (isCostly(node)) costly = true;
    });
  }
  return adds && costly;
}

function readsTarget(loop: ForLoop): boolean {
  let reads = false;
  visitStatements([loop], (statement) =>
    visitExpressions(statement, (node) => {
      if (node.kind === 'target') reads = true;
    }),
  );
  return reads;
}

/** Removes the terms that can be grouped from one loop. */
class Grouping {
  readonly #interner = new Interner();
  readonly #groups = new Map<number, Group>();
  readonly #values: IterationValues;
  /** Whether the expression of the loop's index can be computed before the outermost statement around the loop. */
  readonly #isKnown: (e: Expr) => boolean;
  readonly #loop: ForLoop;
  readonly #movable: Movable;

  constructor(loop: ForLoop, uses: Uses, movable: Movable, isKnown: (e: Expr) => boolean) {
    this.#isKnown = isKnown;
    this.#loop = loop;
    this.#movable = movable;
    this.#values = new IterationValues(loop, uses, movable);
  }

  /** The terms that `body` has removed. Call it after `body`. */
  get groups(): readonly Group[] {
    return [...this.#groups.values()];
  }

  /** The remaining body of the loop. */
  body(): Block {
    const candidates = this.#candidates();
    const needed = this.#costsBeside(candidates);
    return this.#loop.body.flatMap((statement): readonly Statement[] => {
      if (statement.kind !== 'target') return [statement];
      const terms = termsOf(statement.value);
      const left = terms.filter(({ value, negative }) => {
        const candidate = candidates.get(value);
        if (candidate?.costs.some((node) => !needed.has(this.#interner.numberOf(node))) !== true) return true;
        this.#add({ ...candidate, negative, term: statement.term });
        return false;
      });
      if (left.length === terms.length) return [statement];
      return left.map(({ value, negative }) => withTerms(statement, negative ? neg(value) : value));
    });
  }

  #add(term: Grouped): void {
    const number = this.#interner.numberOf(term.key);
    const group = this.#groups.get(number);
    if (group === undefined) this.#groups.set(number, { key: term.key, terms: [term] });
    else group.terms.push(term);
  }

  /** Candidates, by their values as written in the program. */
  #candidates(): ReadonlyMap<Expr, Candidate> {
    const candidates = new Map<Expr, Candidate>();
    for (const statement of this.#loop.body) {
      if (statement.kind !== 'target') continue;
      for (const { value } of termsOf(statement.value)) {
        const candidate = this.#candidate(this.#values.inline(value));
        if (candidate !== null) candidates.set(value, candidate);
      }
    }
    return candidates;
  }

  #candidate(value: Expr): Candidate | null {
    if (this.#movable.isDataExpr(value)) return null;
    const found = new Set<Expr>();
    if (!this.#collect(value, found, new Set())) return null;
    const nodes = this.#common([...found]);
    const [key] = nodes;
    if (key === undefined || !this.#values.looksUp(key) || !this.#isKnown(key)) return null;
    const costs = costsIn(value, nodes);
    return costs.length === 0 ? null : { value, nodes, key, costs };
  }

  /** The integer by which all of them differ: g for g + 1 and limit[g] > 0. Empty if no common integer exists. */
  #common(found: readonly Expr[]): ReadonlySet<Expr> {
    const chains = found.map((e) => new Map(this.#chain(e).map((node) => [this.#interner.numberOf(node), node])));
    for (const [number, node] of chains[0] ?? []) {
      const same = chains.map((chain) => chain.get(number)).filter((other) => other !== undefined);
      if (node.type === 'int' && same.length === chains.length) return new Set(same);
    }
    return new Set();
  }

  /** The expression, its only operand that differs between iterations, the only such operand of that operand, and so on. */
  #chain(e: Expr): readonly Expr[] {
    const [part, ...others] = operandsOf(e).filter((operand) => this.#values.differs(operand));
    return part === undefined || others.length > 0 || this.#values.readsWritten(e) ? [e] : [e, ...this.#chain(part)];
  }

  /** The value numbers of costly operations in statements that always stay. */
  #costsBeside(candidates: ReadonlyMap<Expr, Candidate>): ReadonlySet<number> {
    const needed = new Set<number>();
    if (candidates.size === 0) return needed;
    const seen = new Set<Expr>();
    const need = (e: Expr): void => {
      if (seen.has(e)) return;
      seen.add(e);
      if (isCostly(e)) needed.add(this.#interner.numberOf(e));
      operandsOf(e).forEach(need);
    };
    // A definition is needed if the variable is read.
    const stays = this.#loop.body.filter(
      (statement) => statement.kind !== 'assign' || this.#values.definition(statement.local) === null,
    );
    visitStatements(stays, (statement) => {
      for (const root of expressionsOf(statement)) {
        const parts = statement.kind === 'target' ? termsOf(root).map(({ value }) => value) : [root];
        for (const part of parts) if (!candidates.has(part)) need(this.#values.inline(part));
      }
    });
    return needed;
  }

  /**
   * Collects the largest subexpressions that are integers of the data and differ between iterations; false if the value depends on the
   * iteration in any other way.
   */
  #collect(e: Expr, nodes: Set<Expr>, seen: Set<Expr>): boolean {
    if (seen.has(e) || !this.#values.differs(e)) return true;
    seen.add(e);
    if (e.type === 'int' && this.#movable.isDataExpr(e)) {
      if (someNode(e, (node) => this.#values.readsWritten(node))) return false;
      nodes.add(e);
      return true;
    }
    if (this.#values.readsWritten(e)) return false;
    if (e.kind === 'load') return this.#collect(e.index, nodes, seen);
    return e.kind === 'apply' && e.args.every((argument) => this.#collect(argument, nodes, seen));
  }
}

/** The costly operations that depend on one of the nodes. */
function costsIn(e: Expr, nodes: ReadonlySet<Expr>): readonly Expr[] {
  const costs: Expr[] = [];
  const known = new Map<Expr, boolean>();
  const dependsOn = (node: Expr): boolean => {
    if (nodes.has(node)) return true;
    const before = known.get(node);
    if (before !== undefined) return before;
    const depends = operandsOf(node).map(dependsOn).includes(true);
    if (depends && isCostly(node)) costs.push(node);
    known.set(node, depends);
    return depends;
  };
  dependsOn(e);
  return costs;
}

interface List {
  readonly values: Ref;
  readonly weights: Ref;
  readonly count: Local;
}

function writeSums(builder: Builder, { values, weights, count }: List, terms: readonly Grouped[]): void {
  builder.each(get(count), (k) => {
    const [value, weight] = [load(values, k), load(weights, k)];
    for (const term of terms) {
      const each = replaced(term.value, term.nodes, value);
      builder.target(mul(term.negative ? neg(weight) : weight, each), term.term);
    }
  });
}

/** The distinct values of `key` over the iterations of the loop, in ascending order, and the number of iterations with each. */
function writeList(builder: Builder, loop: ForLoop, condition: Expr, key: Expr): List {
  const first = builder.bind(loop.from, 'first');
  const extent = builder.bind(select(condition, iterationsOf(first, loop.to), int(0)), 'extent');
  const sorted = builder.allocate('int', [extent], 'sorted');
  builder.each(extent, (i) => {
    const iteration = add(i, first);
    const at = expressionAt(key, loop.index, iteration);
    builder.store(sorted, i, at);
  });
  builder.kernel('sort_asc_int', [pointer(sorted), pointer(sorted), extent]);
  const count = builder.newLocal('int', 'count');
  const previous = builder.newLocal('int', 'previous');
  const eachSorted = (visit: (value: Expr, isNew: Expr) => void): void => {
    builder.assign(count, int(0));
    builder.assign(previous, int(0));
    builder.each(extent, (i) => {
      const value = builder.bind(load(sorted, i), 'value');
      visit(value, or(compare('eq', i, int(0)), compare('ne', value, get(previous))));
      builder.assign(previous, value);
    });
  };
  eachSorted((_, isNew) => builder.assign(count, add(get(count), isNew)));
  const values = builder.allocate('int', [get(count)], 'values');
  const weights = builder.allocate('real', [get(count)], 'weights');
  eachSorted((value, isNew) => {
    builder.if(isNew, () => {
      builder.store(values, get(count), value);
      builder.store(weights, get(count), ZERO);
      builder.assign(count, add(get(count), int(1)));
    });
    const last = builder.bind(sub(get(count), int(1)), 'last');
    builder.store(weights, last, add(load(weights, last), ONE));
  });
  return { values, weights, count };
}

function replaced(e: Expr, nodes: ReadonlySet<Expr>, value: Expr): Expr {
  return mapExpression(e, (node) => node, new Map([...nodes].map((node) => [node, value])));
}
