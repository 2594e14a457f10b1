import { Uses } from '../dataflow/effects.js';
import type { Names } from '../ir/builder.js';
import { int, isConst } from '../ir/expressions.js';
import type { Block, Local, Ref, Statement, StatementOf, Variable } from '../ir/nodes.js';
import {
  assignedLocals,
  blocksOf,
  definedRefs,
  mapBlocks,
  mapStatements,
  visitOwnExpressions,
  visitStatements,
} from '../ir/walk.js';
import { evaluateWith, propagateConstants, tripsOf } from './constants.js';
import { resolveSizes } from './known-sizes.js';
import { substituteVariables } from './substitute.js';

/** Longer loops stay: they are vectorized, and their containers lie in memory. */
const MOST_TRIPS = 8;
/** So many elements are moved one by one, which lets locals take the place of both containers. */
const MOST_COPIED = 16;
/** Nodes that a loop with everything inside it may become. */
const MOST_NODES = 6_000;
/** Nodes that all loops of a block may become together, so that long programs do not grow without bound. */
const MOST_NODES_TOGETHER = 20_000;
/** Nested loops are unrolled from the outside, one level at a time. */
const MOST_LEVELS = 8;

/**
 * Propagates constants and unrolls short loops whose ends they are, so that the elements of small containers are known by number.
 * Variables that an iteration has for itself are new ones in each copy.
 */
export function unrollShortLoops(names: Names, block: Block, keepsChecks = false): Block {
  let result = propagateConstants(block);
  const budget: Budget = { nodes: MOST_NODES_TOGETHER, paid: new Set() };
  for (let level = 0; level < MOST_LEVELS && hasShortLoop(result); level++) {
    const known = new UsesOfLast();
    const sized = resolveSizes(result, keepsChecks, known.of(result));
    result = propagateConstants(sized, known.of(sized));
    const unrolled = new Unroller(names, budget, known.of(result)).block(result);
    if (unrolled === result) return result;
    result = propagateConstants(unrolled);
  }
  return result;
}

/** What a block uses, found out again where a pass has changed it. */
class UsesOfLast {
  #last: { readonly block: Block; readonly uses: Uses } | null = null;

  of(block: Block): Uses {
    if (this.#last?.block !== block) this.#last = { block, uses: new Uses(block) };
    return this.#last.uses;
  }
}

function hasShortLoop(block: Block): boolean {
  return block.some((statement) => isBrief(statement) || blocksOf(statement).some(hasShortLoop));
}

/** Whether a loop has few iterations between constants. */
function isBrief(statement: Statement): boolean {
  if (statement.kind !== 'for' || !isConst(statement.from) || !isConst(statement.to)) return false;
  return tripsOf(statement.from.value, statement.to.value) <= (isCopy(statement) ? MOST_COPIED : MOST_TRIPS);
}

/** How many nodes loops may still become. `paid`: the indexes of loops inside others that have been counted with them. */
interface Budget {
  nodes: number;
  readonly paid: Set<Local>;
}

class Unroller {
  readonly #names: Names;
  readonly #budget: Budget;
  readonly #uses: Uses;

  constructor(names: Names, budget: Budget, uses: Uses) {
    this.#budget = budget;
    this.#names = names;
    this.#uses = uses;
  }

  block(block: Block): Block {
    return mapStatements(block, (statement) => {
      if (statement.kind === 'for' && this.#isShort(statement)) return this.#copies(statement);
      return mapBlocks(statement, (inner) => this.block(inner));
    });
  }

  #isShort(loop: StatementOf<'for'>): boolean {
    if (!isBrief(loop)) return false;
    if (this.#budget.paid.has(loop.index)) return true;
    const weight = weightOf([loop], new Map());
    if (weight > Math.min(MOST_NODES, this.#budget.nodes)) return false;
    this.#budget.nodes -= weight;
    return true;
  }

  #copies(loop: StatementOf<'for'>): Block {
    if (!isConst(loop.from) || !isConst(loop.to)) return [loop];
    const own = this.#ownVariables(loop);
    const copies: Statement[] = [];
    for (let k = 0; k < tripsOf(loop.from.value, loop.to.value); k++) {
      const replacements = this.#copiesOf(own);
      const index: Local = { ...loop.index, id: this.#names.fresh() };
      replacements.set(loop.index, index);
      copies.push({ kind: 'assign', local: index, value: int(loop.from.value + k) });
      copies.push(...substituteVariables(loop.body, replacements));
    }
    visitStatements(copies, (statement) => {
      if (statement.kind === 'for') this.#budget.paid.add(statement.index);
    });
    return copies;
  }

  /** For each variable a new one; a view of a container of the iteration is one of the new container. */
  #copiesOf(own: ReadonlySet<Variable>): Map<Variable, Variable> {
    const copies = new Map<Variable, Variable>();
    const copyOf = (ref: Ref): Ref => {
      const known = copies.get(ref);
      if (known?.kind === 'ref') return known;
      const parent = ref.parent === null ? null : copyOf(ref.parent);
      if (!own.has(ref) && parent === ref.parent) return ref;
      const copy: Ref = { ...ref, id: this.#names.fresh(), parent };
      copies.set(ref, copy);
      return copy;
    };
    for (const variable of own) {
      if (variable.kind === 'ref') copyOf(variable);
      else copies.set(variable, { ...variable, id: this.#names.fresh() });
    }
    return copies;
  }

  /** Variables that each iteration gives their values by itself. */
  #ownVariables(loop: StatementOf<'for'>): Set<Variable> {
    const own = new Set<Variable>();
    const consider = (variable: Variable): void => {
      if (variable.storage === 'local' && this.#uses.isLocalToBody(variable, loop)) own.add(variable);
    };
    visitStatements(loop.body, (statement) => {
      for (const local of assignedLocals(statement)) consider(local);
      for (const ref of definedRefs(statement)) consider(ref);
    });
    return own;
  }
}

/** Whether the loop only moves elements from one container to another. */
function isCopy({ body }: StatementOf<'for'>): boolean {
  return body.every(
    (statement) => statement.kind === 'store' && (statement.value.kind === 'load' || isConst(statement.value)),
  );
}

/** How many nodes a block has once its short loops are unrolled; Infinity beyond the limit. */
function weightOf(block: Block, indexes: ReadonlyMap<Local, number>): number {
  let weight = 0;
  for (const statement of block) {
    visitOwnExpressions(statement, () => weight++);
    if (statement.kind === 'for') weight += weightOfLoop(statement, indexes);
    else for (const inner of blocksOf(statement)) weight += weightOf(inner, indexes);
    if (weight > MOST_NODES) return Number.POSITIVE_INFINITY;
  }
  return weight;
}

function weightOfLoop(loop: StatementOf<'for'>, indexes: ReadonlyMap<Local, number>): number {
  const from = evaluateWith(loop.from, indexes);
  const to = evaluateWith(loop.to, indexes);
  if (!isConst(from) || !isConst(to)) return weightOf(loop.body, indexes);
  const trips = tripsOf(from.value, to.value);
  if (trips > (isCopy(loop) ? MOST_COPIED : MOST_TRIPS)) return weightOf(loop.body, indexes);
  let weight = 0;
  for (let k = 0; k < trips && weight <= MOST_NODES; k++) {
    weight += weightOf(loop.body, new Map([...indexes, [loop.index, from.value + k]]));
  }
  return weight;
}
