import { append } from '../../base/multimap.js';
import type { LoopStatement } from '../../dataflow/effects.js';
import { visitLiveness } from '../../dataflow/liveness.js';
import { type Pair, Reversal } from '../../dataflow/reversal.js';
import { Builder, type Names } from '../../ir/builder.js';
import { get, iterationsOf, load, sub } from '../../ir/expressions.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { OPS } from '../../ir/ops.js';
import { rootOf } from '../../ir/refs.js';
import { copyOf } from '../../ir/remake.js';
import { assignedLocals, blocksOf, everyNode, mapBlocks } from '../../ir/walk.js';

type Push = StatementOf<'push'>;
type Pop = StatementOf<'pop'>;
type Assign = StatementOf<'assign'>;

/**
 * Removes values from the tape of a differentiated block. Differentiation saves a local before each assignment in a loop that is reversed later, so
 * every iteration depends on the previous one. This pass distinguishes three cases:
 *
 * - A local or an element that is not read after it is restored is no longer saved.
 * - A local that belongs to one iteration is recomputed at the start of the reversed iteration if that is cheap and reads only unchanged values.
 * - Otherwise its values are stored in a container, one element per iteration; in nested loops the tape holds the containers.
 *
 * The last two make iterations independent, so that they can run two at a time. Must run directly after differentiation: pushes are matched with pops
 * by the order of the statements in a loop and in its reverse.
 */
export function thinTape(names: Names, block: Block): Block {
  if (!block.some(savesValue) || block.some(hasExit)) return block;
  const spread = edit(block, new Thinner(names, block).plan());
  const live = new Set<Statement>();
  visitLiveness(spread, [], (statement, isLive) => {
    if (statement.kind === 'pop' && isLive(statement.local)) live.add(statement);
  });
  const dead: Edits = emptyEdits();
  const within: Saved[] = [];
  addSavedWithin(spread, within);
  for (const { push, pop } of within) {
    if (live.has(pop)) continue;
    dead.removed.add(push);
    dead.removed.add(pop);
  }
  const reversal = new Reversal(spread);
  for (const pair of reversal.pairs()) {
    for (const { push, pop } of matched(pair.forward.body, pair.reverse.body)) {
      const restore = reversal.deadRestore(pair, push, pop);
      if (restore !== null) dead.removed.add(restore);
      else if (live.has(pop)) continue;
      dead.removed.add(push);
      dead.removed.add(pop);
    }
  }
  return edit(spread, dead);
}

interface Edits {
  readonly removed: Set<Statement>;
  readonly before: Map<Statement, Statement[]>;
  readonly after: Map<Statement, Statement[]>;
  /** Statements to insert at the start of a loop's body. */
  readonly inside: Map<Statement, Statement[]>;
  /** Loops whose iterations now allocate memory. */
  readonly arenas: Set<Statement>;
}

function emptyEdits(): Edits {
  return { removed: new Set(), before: new Map(), after: new Map(), inside: new Map(), arenas: new Set() };
}

function edit(block: Block, edits: Edits): Block {
  return block.flatMap((statement): Statement[] => {
    if (edits.removed.has(statement)) return [];
    const start = edits.inside.get(statement) ?? [];
    const edited = mapBlocks(statement, (inner) => {
      const body = [...start, ...edit(inner, edits)];
      return edits.arenas.has(statement) ? [{ kind: 'arena', body }] : body;
    });
    return [...(edits.before.get(statement) ?? []), edited, ...(edits.after.get(statement) ?? [])];
  });
}

interface Saved {
  readonly push: Push;
  readonly pop: Pop;
}

/** The matching pushes and pops, if the reverse pops everything that the loop pushes, in the opposite order. */
function matched(forward: Block, reverse: Block): Saved[] {
  const saves = forward.filter(touchesTape);
  const restores = reverse.filter(touchesTape).reverse();
  if (saves.length !== restores.length) return [];
  const found: Saved[] = [];
  for (const [k, save] of saves.entries()) {
    const restore = restores[k];
    if (save.kind === 'push' && restore.kind === 'pop') found.push({ push: save, pop: restore });
    else if (save.kind === 'if' && restore.kind === 'if') {
      found.push(...matched(save.then, restore.then), ...matched(save.otherwise, restore.otherwise));
    } else if (save.kind === 'push' || restore.kind === 'pop') return [];
    else if ((save.kind === 'push_ref') !== (restore.kind === 'pop_ref')) return [];
  }
  return found;
}

/**
 * Adds the pushes and pops of iterations that are reversed immediately, matched like brackets. Returns whether the block is known to leave
 * the tape unchanged: functions that it calls may use the tape.
 */
function addSavedWithin(block: Block, found: Saved[]): boolean {
  const open: Statement[] = [];
  const own: Saved[] = [];
  let isBalanced = true;
  for (const statement of block) {
    const { kind } = statement;
    if (kind === 'push' || kind === 'push_ref') open.push(statement);
    else if (kind === 'pop' || kind === 'pop_ref') {
      const last = open.pop();
      if (last?.kind === 'push' && kind === 'pop') own.push({ push: last, pop: statement });
      else if (last?.kind !== 'push_ref' || kind !== 'pop_ref') isBalanced = false;
    } else if (kind === 'call') isBalanced = false;
    else if (blocksOf(statement).filter((inner) => !addSavedWithin(inner, found)).length > 0) {
      // The second of two such statements restores what the first has saved.
      if (open.at(-1)?.kind === kind) open.pop();
      else open.push(statement);
    }
  }
  if (!isBalanced || open.length > 0) return false;
  for (const saved of own) found.push(saved);
  return true;
}

export function touchesTape(statement: Statement): boolean {
  switch (statement.kind) {
    case 'push':
    case 'pop':
    case 'push_ref':
    case 'pop_ref':
    case 'call':
      return true;
    default:
      return blocksOf(statement).some((block) => block.some(touchesTape));
  }
}

/** An assignment that the reverse of a loop runs again at the start of each iteration. */
interface Repetition {
  readonly pair: Pair;
  readonly assign: Assign;
}

class Thinner {
  readonly #builder: Builder;
  readonly #reversal: Reversal;
  readonly #pairs: readonly Pair[];
  /** Locals that reversed iterations recompute at their start, which other locals may depend on. */
  readonly #repeated = new Set<Local>();
  /** Loops with containers for the values of each iteration. */
  readonly #saved: Pair[] = [];
  readonly #edits = emptyEdits();

  constructor(names: Names, block: Block) {
    this.#builder = new Builder(names);
    this.#reversal = new Reversal(block);
    this.#pairs = this.#reversal.pairs();
  }

  plan(): Edits {
    for (const pair of this.#pairs) {
      for (const { push, pop } of matched(pair.forward.body, pair.reverse.body)) this.#replace(pair, push, pop);
    }
    for (const { common } of this.#saved) {
      const around = common.at(-1);
      if (around !== undefined && !this.#keepsMemory(around)) this.#edits.arenas.add(around);
    }
    return this.#edits;
  }

  /** Whether memory that an iteration of the loop allocates may be needed when the loop itself is reversed. */
  #keepsMemory(around: LoopStatement): boolean {
    if (around.body.some(takesMemory)) return true;
    return this.#saved.some(
      ({ forward, common }) => !common.includes(around) && this.#reversal.uses.loops(forward).includes(around),
    );
  }

  #replace(pair: Pair, push: Push, pop: Pop): void {
    const { local } = pop;
    if (push.value.kind !== 'get' || push.value.local !== local) return;
    const assign = this.#iterationAssignment(pair, push, pop);
    if (assign === null) return;
    const needed = new Map<Local, Repetition | null>();
    if (this.#isRepeatable(assign.value, pair, needed)) {
      for (const repetition of needed.values()) if (repetition !== null) this.#repeat(repetition);
      this.#repeat({ pair, assign });
    } else this.#saveByIteration(pair, assign);
    this.#edits.removed.add(push);
    this.#edits.removed.add(pop);
  }

  #repeat({ pair, assign }: Repetition): void {
    if (this.#repeated.has(assign.local)) return;
    this.#repeated.add(assign.local);
    append(this.#edits.inside, pair.reverse, copyOf(assign));
  }

  /** The assignment that sets the local in each iteration, if the local is not used outside of the iteration. */
  #iterationAssignment(pair: Pair, push: Push, pop: Pop): Assign | null {
    const { forward, reverse } = pair;
    const { local } = pop;
    if (!this.#reversal.mentionsOnlyIn(local, [forward, reverse])) return null;
    const [assign, ...readers] = this.#reversal.uses.mentioning(forward.body, local).filter((s) => s !== push);
    if (assign?.kind !== 'assign' || assign.local !== local) return null;
    if (this.#reversal.uses.countIn(local, assign) !== 1) return null;
    if (readers.some((s) => this.#assigns(s, local))) return null;
    if (this.#reversal.blockOf(pop) !== reverse.body || this.#reversal.blockOf(push) !== forward.body) return null;
    const reversed = this.#reversal.uses.mentioning(reverse.body, local);
    if (reversed.at(-1) !== pop || reversed.slice(0, -1).some((s) => this.#assigns(s, local))) return null;
    return assign;
  }

  #assigns(statement: Statement, local: Local): boolean {
    if (assignedLocals(statement).includes(local)) return true;
    return blocksOf(statement).some((block) => block.some((inner) => this.#assigns(inner, local)));
  }

  /**
   * Whether the value can be recomputed in the reversed iteration: it is cheap, and everything that it reads is unchanged or can itself be
   * recomputed. Adds the required recomputations to `needed`, in order; null while an expression is being analyzed.
   */
  #isRepeatable(value: Expr, pair: Pair, needed: Map<Local, Repetition | null>): boolean {
    const { indexes, outermost } = pair;
    const unchanged = (variable: Variable): boolean =>
      !this.#reversal.uses.isChangedBetween(variable, outermost.forward, outermost.reverse);
    return everyNode(
      value,
      (node) =>
        this.#isFixedNode(node, unchanged, indexes) ||
        (node.kind === 'get' && this.#isRepeatableLocal(node.local, pair, needed)),
    );
  }

  #isFixedNode(node: Expr, unchanged: (variable: Variable) => boolean, indexes: ReadonlySet<Local>): boolean {
    switch (node.kind) {
      case 'const':
        return true;
      case 'get':
        return this.#repeated.has(node.local) || indexes.has(node.local) || unchanged(node.local);
      case 'load':
        for (let ref: Ref | null = node.ref; ref !== null; ref = ref.parent) if (!unchanged(ref)) return false;
        return unchanged(rootOf(node.ref));
      case 'size':
        return unchanged(node.ref);
      case 'apply':
        return OPS[node.op].cost === 'cheap';
      default:
        return false;
    }
  }

  #isRepeatableLocal(local: Local, inner: Pair, needed: Map<Local, Repetition | null>): boolean {
    const known = needed.get(local);
    if (known !== undefined) return known !== null;
    const only = this.#reversal.onlyAssignment(local);
    if (only === null) return false;
    const pair = this.#pairs.find(({ forward }) => forward.body === only.block && inner.indexes.has(forward.index));
    if (pair === undefined) return false;
    needed.set(local, null);
    if (!this.#isRepeatable(only.assign.value, pair, needed)) return false;
    // After the recomputations that it needs.
    needed.delete(local);
    needed.set(local, { pair, assign: only.assign });
    return true;
  }

  #saveByIteration(pair: Pair, assign: Assign): void {
    const { forward, reverse, outermost } = pair;
    const { local } = assign;
    this.#saved.push(pair);
    const builder = this.#builder;
    const saved = builder.newRef(local.type, 1, `${local.name}_iterations`);
    const at = sub(get(forward.index), forward.from);
    if (outermost.forward !== forward) {
      append(this.#edits.before, forward, { kind: 'push_ref', ref: saved });
      this.#edits.after.set(reverse, [{ kind: 'pop_ref', ref: saved }, ...(this.#edits.after.get(reverse) ?? [])]);
    }
    append(this.#edits.before, forward, {
      kind: 'allocate',
      ref: saved,
      sizes: [iterationsOf(forward.from, forward.to)],
      fill: 'none',
    });
    append(this.#edits.after, assign, { kind: 'store', ref: saved, index: at, value: get(local) });
    append(this.#edits.inside, reverse, { kind: 'assign', local, value: load(saved, at) });
  }
}

function takesMemory(statement: Statement): boolean {
  return (
    statement.kind === 'allocate' ||
    statement.kind === 'call' ||
    blocksOf(statement).some((block) => block.some(takesMemory))
  );
}

function savesValue(statement: Statement): boolean {
  return statement.kind === 'push' || blocksOf(statement).some((block) => block.some(savesValue));
}

function hasExit(statement: Statement): boolean {
  return statement.kind === 'exit' || blocksOf(statement).some((block) => block.some(hasExit));
}
