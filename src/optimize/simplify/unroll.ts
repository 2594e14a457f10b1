import { usesOf } from '../../dataflow/cached.js';
import type { Uses } from '../../dataflow/uses.js';
import type { Names } from '../../ir/builder.js';
import { int, isConst } from '../../ir/expressions.js';
import type { Block, Expr, Local, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { SmallSet } from '../../ir/small.js';
import {
  assignedLocals,
  blocksOf,
  definedRefs,
  mapExpression,
  visitOwnExpressions,
  visitStatements,
} from '../../ir/walk.js';
import { Propagation, tripsOf } from './constants.js';
import { resolveSizes } from './known-sizes.js';
import { Substitution } from './substitute.js';
import { copiesOf } from './variable-copies.js';

/** Maximum number of iterations of an unrolled loop. Longer loops are vectorized, and their containers are in memory. */
const MOST_TRIPS = 8;
/** Maximum number of elements that are copied one by one: locals can then replace both containers. */
const MOST_COPIED = 16;
/** Maximum number of nodes of an unrolled loop, including inner loops. */
const MOST_NODES = 6_000;
/** Maximum number of nodes of all unrolled loops of a block, which limits the growth of long programs. */
const MOST_NODES_TOGETHER = 20_000;
/** Maximum number of passes over a block: unrolling determines sizes, which can make more loops short. */
const MOST_ROUNDS = 9;

/**
 * Propagates constants and unrolls short loops with constant bounds, so that the indexes of small containers become constants. Each copy of an
 * iteration has new variables for those that belong to one iteration.
 */
export function unrollShortLoops(names: Names, block: Block, keepsChecks = false): Block {
  const budget: Budget = { nodes: MOST_NODES_TOGETHER, paid: new Set() };
  let result = block;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const unrolling = new Unrolling(names, budget, usesOf(result));
    const unrolled = unrolling.block(result);
    if (!unrolling.hasUnrolled) return unrolled;
    result = resolveSizes(unrolled, keepsChecks);
  }
  return result;
}

interface Range {
  readonly first: number;
  readonly trips: number;
}

/** The range of a loop's index; undefined if its bounds are not constants, or it has too many iterations. */
function shortRangeOf(loop: StatementOf<'for'>): Range | undefined {
  const { from, to } = loop;
  if (!isConst(from) || !isConst(to)) return undefined;
  const trips = tripsOf(from.value, to.value);
  return trips <= (isCopy(loop) ? MOST_COPIED : MOST_TRIPS) ? { first: from.value, trips } : undefined;
}

/** The number of nodes that may still be added. `paid`: indexes of inner loops that have been counted with the outer ones. */
interface Budget {
  nodes: number;
  readonly paid: Set<Local>;
}

/** Propagates constants through a block, and through each iteration of its short loops. */
class Unrolling extends Propagation {
  hasUnrolled = false;
  readonly #names: Names;
  readonly #budget: Budget;
  /** The variables of the iteration that is being copied. */
  #iteration: Iteration | null = null;

  constructor(names: Names, budget: Budget, uses: Uses) {
    super(uses);
    this.#names = names;
    this.#budget = budget;
  }

  protected override own(statement: Statement): Statement {
    const own = super.own(statement);
    return this.#iteration === null ? own : this.#iteration.substitution.own(own);
  }

  protected override node(node: Expr): Expr {
    return super.node(this.#iteration?.substitution.node(node) ?? node);
  }

  protected override isAssignedOnce(local: Local): boolean {
    return super.isAssignedOnce(local) && this.#iteration?.isOwn(local) !== false;
  }

  protected override originalOf(local: Local): Local {
    return this.#iteration?.originalOf(local) ?? local;
  }

  protected override loop(loop: StatementOf<'for'>, original: Statement): Statement | readonly Statement[] {
    const range = shortRangeOf(loop);
    if (original.kind !== 'for' || range === undefined || !this.#isPaid(loop, original)) return this.inside(loop);
    return this.#iterations(range, loop.index, original);
  }

  /** Whether the nodes of the unrolled loop are within the budget; deducts them from it. */
  #isPaid(loop: StatementOf<'for'>, original: StatementOf<'for'>): boolean {
    if (this.#budget.paid.has(original.index)) return true;
    const weights = new Weights((e) => this.node(e));
    const weight = weights.of([{ ...original, from: loop.from, to: loop.to }]);
    if (weight > Math.min(MOST_NODES, this.#budget.nodes)) return false;
    this.#budget.nodes -= weight;
    for (const index of weights.counted) this.#budget.paid.add(index);
    return true;
  }

  #iterations({ first, trips }: Range, index: Local, original: StatementOf<'for'>): readonly Statement[] {
    this.hasUnrolled = true;
    const around = this.#iteration;
    const own = this.#ownVariables(original);
    const copies: Statement[] = [];
    for (let k = 0; k < trips; k++) {
      this.#iteration = new Iteration(this.#names, own, around);
      this.known.set(index, int(first + k));
      for (const statement of this.block(original.body)) copies.push(statement);
    }
    this.#iteration = around;
    // Several loops may share an index.
    this.known.delete(index);
    return copies;
  }

  /** Variables that each iteration sets before it reads them. */
  #ownVariables(loop: StatementOf<'for'>): Set<Variable> {
    const own = new Set<Variable>();
    const consider = (variable: Variable): void => {
      if (variable.storage === 'local' && this.uses.isLocalToBody(variable, loop)) own.add(variable);
    };
    visitStatements(loop.body, (statement) => {
      for (const local of assignedLocals(statement)) consider(local);
      for (const ref of definedRefs(statement)) consider(ref);
    });
    return own;
  }
}

/** An iteration of a loop, inside one of the enclosing loop, with new variables for those that belong to the iteration. */
class Iteration {
  readonly substitution: Substitution;
  readonly #copies: ReadonlyMap<Variable, Variable>;
  readonly #replacements: ReadonlyMap<Variable, Variable>;
  readonly #originals: ReadonlyMap<Variable, Variable>;

  constructor(names: Names, own: ReadonlySet<Variable>, around: Iteration | null) {
    const outer: ReadonlyMap<Variable, Variable> = around === null ? new Map() : around.#replacements;
    this.#copies = copiesOf(names, own, outer);
    this.#replacements = new Map([...outer, ...this.#copies]);
    this.#originals = new Map([...this.#replacements].map(([original, copy]) => [copy, original]));
    this.substitution = new Substitution(this.#replacements);
  }

  /** Whether the variable of the loop belongs to this iteration. */
  isOwn(original: Variable): boolean {
    return this.#copies.has(original);
  }

  /** The local of the loop that this one replaces. */
  originalOf(local: Local): Local {
    const original = this.#originals.get(local);
    return original?.kind === 'local' ? original : local;
  }
}

/** Whether the loop only copies elements from one container to another. */
function isCopy({ body }: StatementOf<'for'>): boolean {
  return body.every(
    (statement) => statement.kind === 'store' && (statement.value.kind === 'load' || isConst(statement.value)),
  );
}

/** Counts the nodes of blocks after unrolling of their short loops. */
class Weights {
  /** The indexes of the loops that are counted as unrolled. */
  readonly counted = new Set<Local>();
  readonly #evaluate: (node: Expr) => Expr;
  /** Values of the indexes of the enclosing loops in the current iteration. */
  readonly #indexes = new Map<Local, number>();

  constructor(evaluate: (node: Expr) => Expr) {
    this.#evaluate = evaluate;
  }

  /** The number of nodes, or Infinity above the limit. */
  of(block: Block): number {
    let weight = 0;
    for (const statement of block) {
      const constants = new SmallSet<Expr>();
      visitOwnExpressions(statement, (node) => {
        if (node.kind !== 'const' || constants.add(node)) weight++;
      });
      if (statement.kind === 'for') weight += this.#ofLoop(statement);
      else for (const inner of blocksOf(statement)) weight += this.of(inner);
      if (weight > MOST_NODES) return Number.POSITIVE_INFINITY;
    }
    return weight;
  }

  #ofLoop(loop: StatementOf<'for'>): number {
    const evaluated = (e: Expr): Expr =>
      mapExpression(e, (node) => {
        const value = node.kind === 'get' ? this.#indexes.get(node.local) : undefined;
        return value === undefined ? this.#evaluate(node) : int(value);
      });
    const range = shortRangeOf({ ...loop, from: evaluated(loop.from), to: evaluated(loop.to) });
    if (range === undefined) return this.of(loop.body);
    this.counted.add(loop.index);
    const around = this.#indexes.get(loop.index);
    let weight = 0;
    for (let k = 0; k < range.trips && weight <= MOST_NODES; k++) {
      this.#indexes.set(loop.index, range.first + k);
      weight += this.of(loop.body);
    }
    if (around === undefined) this.#indexes.delete(loop.index);
    else this.#indexes.set(loop.index, around);
    return weight;
  }
}
