import { append } from '../../base/multimap.js';
import { mentionsOfNode, writesOf } from '../../dataflow/effects.js';
import { KERNELS } from '../../functions/kernels.js';
import type { Block, Ref, Statement, Variable } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { blocksOf, mapBlocks, mapStatements, visitOwnExpressions } from '../../ir/walk.js';

/**
 * Removes assignments, stores, kernels and allocations whose results no statement with an effect (target, checks,
 * messages, `roots`) reads. Flow-insensitive: a variable is alive everywhere or nowhere.
 */
export function removeDead(block: Block, roots: Iterable<Variable> = []): Block {
  const marking = new Marking();
  const places = marking.block(block, null);
  for (const root of roots) marking.revive(root);
  return sweep(block, places);
}

/** A statement, and the blocks inside it. */
interface Place {
  readonly statement: Statement;
  readonly around: Place | null;
  /** For the statements of each block directly inside it. */
  inside: readonly (readonly Place[])[];
  isKept: boolean;
}

const NOTHING_INSIDE: readonly (readonly Place[])[] = [];

/** The block without dead statements; the block itself if it has none. */
function sweep(block: Block, places: readonly Place[]): Block {
  return mapStatements(block, (statement, k) => {
    const { inside, isKept } = places[k];
    if (!isKept) return NONE;
    let next = 0;
    return inside.length === 0 ? statement : mapBlocks(statement, (inner) => sweep(inner, inside[next++]));
  });
}

const NONE: readonly Statement[] = [];

/** Marks the statements with an effect and everything that they read, visiting each statement once. */
class Marking {
  readonly #live = new Set<Variable>();
  /** Statements that are kept once the variable is alive. */
  readonly #waiting = new Map<Variable, Place[]>();

  block(block: Block, around: Place | null): readonly Place[] {
    return block.map((statement) => {
      const place: Place = { statement, around, inside: NOTHING_INSIDE, isKept: false };
      if (statement.kind === 'assign') this.#await(statement.local, place);
      else if (hasEffect(statement)) this.#keep(place);
      else for (const variable of resultsOf(statement)) this.#await(variable, place);
      const inner = blocksOf(statement);
      if (inner.length > 0) place.inside = inner.map((one) => this.block(one, place));
      return place;
    });
  }

  #await(variable: Variable, place: Place): void {
    if (this.#live.has(variable)) this.#keep(place);
    else append(this.#waiting, variable, place);
  }

  /** Marks a variable as read, and with it the statements that define it and the variables that they read. */
  revive(variable: Variable): void {
    const fresh = [variable];
    for (let next = fresh.pop(); next !== undefined; next = fresh.pop()) {
      if (this.#live.has(next)) continue;
      this.#live.add(next);
      for (const place of this.#waiting.get(next) ?? []) this.#mark(place, fresh);
      this.#waiting.delete(next);
    }
  }

  #keep(place: Place): void {
    const read: Variable[] = [];
    this.#mark(place, read);
    for (const variable of read) this.revive(variable);
  }

  /** Keeps a statement and the enclosing ones. Appends the variables that they read to `read`. */
  #mark(place: Place, read: Variable[]): void {
    for (let at: Place | null = place; at !== null && !at.isKept; at = at.around) {
      at.isKept = true;
      readsOf(at.statement, (variable) => {
        if (!this.#live.has(variable)) read.push(variable);
      });
    }
  }
}

/** Calls `visit` for each variable that the statement reads. */
function readsOf(statement: Statement, visit: (variable: Variable) => void): void {
  visitOwnExpressions(statement, (node) => mentionsOfNode(node, visit));
  const contents = (ref: Ref): void => {
    visit(ref);
    visit(rootOf(ref));
  };
  switch (statement.kind) {
    case 'store':
    case 'add_adjoint':
    case 'set_adjoint':
    case 'push_ref':
      visit(statement.ref);
      break;
    case 'view':
      for (let ref = statement.ref.parent; ref !== null; ref = ref.parent) visit(ref);
      break;
    case 'kernel':
      for (const argument of statement.args) if (argument.kind === 'pointer') contents(argument.ref);
      break;
    case 'call':
      for (const argument of statement.args) if (argument.kind === 'ref') contents(argument);
      break;
    case 'print':
    case 'reject':
      for (const part of statement.parts) if (part.kind === 'container') contents(part.ref);
      break;
    default:
      break;
  }
}

/** Whether the statement itself has an effect, apart from the statements in its blocks. */
function hasEffect(statement: Statement): boolean {
  switch (statement.kind) {
    case 'assign':
    case 'store':
    case 'allocate':
    case 'view':
    case 'for':
    case 'for_reverse':
    case 'if':
    case 'arena':
    case 'labeled':
      return false;
    case 'kernel':
      return (
        !KERNELS.has(statement.name) ||
        statement.args.some(
          (argument) => argument.kind === 'random_state' || (argument.kind === 'pointer' && argument.adjoint),
        )
      );
    default:
      return true;
  }
}

/** The variables that make a statement without an effect necessary. */
function resultsOf(statement: Statement): readonly Variable[] {
  switch (statement.kind) {
    case 'assign':
      return [statement.local];
    case 'store':
      return [rootOf(statement.ref)];
    case 'allocate':
    case 'view':
      return [statement.ref];
    case 'kernel':
      return writesOf(statement);
    default:
      return [];
  }
}
