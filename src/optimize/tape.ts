import { isLoop, type LoopStatement, writesOf } from '../analysis/effects.js';
import { visitLiveness } from '../analysis/liveness.js';
import { Builder, type Names } from '../ir/builder.js';
import { get, iterationsOf, load, sub } from '../ir/expressions.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, Variable } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { rootOf } from '../ir/refs.js';
import { assignedLocals, blocksOf, definedRefs, expressionsOf, mapBlocks, visitExpression } from '../ir/walk.js';

type ForLoop = StatementOf<'for' | 'for_reverse'>;
type Push = StatementOf<'push'>;
type Pop = StatementOf<'pop'>;
type Assign = StatementOf<'assign'>;

/**
 * Takes values off the tape of a differentiated block. Differentiation saves a local before each assignment in a loop that
 * is reversed later, so that every iteration depends on the one before. Here
 *
 * - a local or an element that nothing reads after it was restored is no longer saved;
 * - a local that belongs to one iteration is computed again at the start of the reversed iteration where that is cheap and reads
 *   nothing that has changed;
 * - otherwise its values go to a container, an element per iteration; inside other loops the tape has the containers.
 *
 * The last two leave iterations independent of one another, so that they can run two at a time. Must come right after
 * differentiation: pushes are matched with pops by the order in which they stand in a loop and in its reverse.
 */
export function thinTape(names: Names, block: Block): Block {
  if (block.some(hasExit)) return block;
  const spread = edit(block, new Thinner(names, block).plan());
  const live = new Set<Statement>();
  visitLiveness(spread, [], (statement, isLive) => {
    if (statement.kind === 'pop' && isLive(statement.local)) live.add(statement);
  });
  const dead: Edits = emptyEdits();
  const layout = new Layout(spread);
  for (const pair of layout.pairs()) {
    for (const { push, pop } of matched(pair.forward.body, pair.reverse.body)) {
      const restore = layout.deadRestore(pair, push, pop);
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
  /** At the start of a loop's body. */
  readonly inside: Map<Statement, Statement[]>;
  /** Loops whose iterations now take memory. */
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

interface Placed<Loop> {
  readonly loop: Loop;
  readonly enclosing: readonly LoopStatement[];
}

interface Pair {
  readonly forward: ForLoop;
  readonly reverse: ForLoop;
  /** Loops around both. */
  readonly common: readonly LoopStatement[];
  /** Indexes of the loops that are run and reversed with the two inside, their own too. */
  readonly indexes: ReadonlySet<Local>;
  /** The outermost loops that are run and reversed with the two inside. */
  readonly outermost: { readonly forward: LoopStatement; readonly reverse: LoopStatement };
}

/** Where everything in a block stands. */
class Layout {
  readonly #forwards = new Map<Local, Placed<ForLoop>[]>();
  readonly #reverses = new Map<Local, Placed<ForLoop>[]>();
  readonly #ranges = new Map<Statement, { readonly start: number; readonly end: number }>();
  readonly #writes = new Map<Variable, number[]>();
  readonly #mentions = new Map<Statement, Map<Local, number>>();
  readonly #parents = new Map<Statement, Block>();
  /** Where the contents of a container are read. */
  readonly #reads = new Map<Ref, number[]>();
  /** Containers that called functions work on: the reverse of a call reads them without naming them. */
  readonly #called = new Set<Ref>();
  readonly #assignments = new Map<Local, Statement[]>();
  readonly #totals = new Map<Local, number>();
  #next = 0;

  constructor(block: Block) {
    for (const statement of block) {
      this.#visit(statement, []);
      for (const [local, count] of this.mentions(statement)) bump(this.#totals, local, count);
    }
  }

  #visit(statement: Statement, enclosing: readonly LoopStatement[]): void {
    const start = this.#next++;
    if (statement.kind === 'for') add(this.#forwards, statement.index, { loop: statement, enclosing });
    if (statement.kind === 'for_reverse') add(this.#reverses, statement.index, { loop: statement, enclosing });
    for (const variable of [...writesOf(statement), ...definedRefs(statement)]) add(this.#writes, variable, start);
    const mentions = new Map<Local, number>();
    for (const local of assignedLocals(statement)) {
      bump(mentions, local, 1);
      add(this.#assignments, local, statement);
    }
    const seen = new Set<Expr>();
    for (const root of expressionsOf(statement)) {
      visitExpression(
        root,
        (node) => {
          if (node.kind === 'get') bump(mentions, node.local, 1);
          else if (node.kind === 'load') add(this.#reads, rootOf(node.ref), start);
        },
        seen,
      );
    }
    for (const ref of passedRefs(statement)) add(this.#reads, rootOf(ref), start);
    if (statement.kind === 'call') {
      for (const passed of [...statement.args, ...statement.results]) {
        if (passed.kind === 'ref') this.#called.add(rootOf(passed));
      }
    }
    const inner = isLoop(statement) ? [...enclosing, statement] : enclosing;
    for (const block of blocksOf(statement)) {
      for (const child of block) {
        this.#parents.set(child, block);
        this.#visit(child, inner);
        for (const [local, count] of this.mentions(child)) bump(mentions, local, count);
      }
    }
    this.#mentions.set(statement, mentions);
    this.#ranges.set(statement, { start, end: this.#next });
  }

  mentions(statement: Statement): ReadonlyMap<Local, number> {
    return this.#mentions.get(statement) ?? new Map();
  }

  mentionsOnlyIn(local: Local, statements: readonly Statement[]): boolean {
    const inside = statements.reduce((sum, statement) => sum + (this.mentions(statement).get(local) ?? 0), 0);
    return inside === this.#totals.get(local);
  }

  /** The local's only assignment, with the block that it stands in, before anything there reads the local. */
  onlyAssignment(local: Local): { readonly assign: Assign; readonly block: Block } | null {
    const [assign, ...others] = this.#assignments.get(local) ?? [];
    if (assign?.kind !== 'assign' || others.length > 0) return null;
    const block = this.#parents.get(assign);
    if (block === undefined) return null;
    const earlier = block.slice(0, block.indexOf(assign));
    if (earlier.some((s) => this.mentions(s).has(local)) || this.mentions(assign).get(local) !== 1) return null;
    return { assign, block };
  }

  /**
   * The store that gives an element back its old value, when nothing reads that: no read of the container follows the start
   * of the reverse, and the container does not outlive an iteration of the loops around both.
   */
  deadRestore({ common, outermost }: Pair, push: Push, pop: Pop): Statement | null {
    const block = this.#parents.get(pop);
    const store = block?.[block.indexOf(pop) + 1];
    if (push.value.kind !== 'load' || store?.kind !== 'store') return null;
    if (store.value.kind !== 'get' || store.value.local !== pop.local) return null;
    if (!this.mentionsOnlyIn(pop.local, [pop, store])) return null;
    const root = rootOf(store.ref);
    const start = this.#start(outermost.reverse);
    if (root.storage === 'global' || this.#called.has(root) || rootOf(push.value.ref) !== root) return null;
    if ((this.#reads.get(root) ?? []).some((position) => position >= start)) return null;
    const around = common.at(-1);
    if (around === undefined) return store;
    const { start: first, end: last } = this.#ranges.get(around) ?? { start: 0, end: 0 };
    const isInside = (position: number): boolean => position >= first && position < last;
    const accesses = [...(this.#reads.get(root) ?? []), ...(this.#writes.get(root) ?? [])];
    return accesses.every(isInside) ? store : null;
  }

  /** Whether nothing writes the variable from the start of the first statement to the end of the second. */
  isUnchanged(variable: Variable, from: Statement, to: Statement): boolean {
    const start = this.#ranges.get(from)?.start ?? 0;
    const end = this.#ranges.get(to)?.end ?? this.#next;
    return (this.#writes.get(variable) ?? []).every((position) => position < start || position >= end);
  }

  /** Loops with the loops that reverse them, outer ones first. */
  pairs(): Pair[] {
    const pairs: Pair[] = [];
    for (const [index, forwards] of this.#forwards) {
      const reverses = this.#reverses.get(index) ?? [];
      if (forwards.length !== 1 || reverses.length !== 1) continue;
      const pair = pairOf(forwards[0], reverses[0]);
      if (pair !== null) pairs.push(pair);
    }
    return pairs.sort((a, b) => this.#start(a.forward) - this.#start(b.forward));
  }

  #start(statement: Statement): number {
    return this.#ranges.get(statement)?.start ?? 0;
  }
}

function pairOf(forward: Placed<ForLoop>, reverse: Placed<ForLoop>): Pair | null {
  if (forward.enclosing.length !== reverse.enclosing.length) return null;
  const ours = [...forward.enclosing, forward.loop];
  const theirs = [...reverse.enclosing, reverse.loop];
  const depth = ours.findIndex((loop, k) => loop !== theirs[k]);
  const isMirrored = ours.slice(depth).every((loop, k) => {
    const other = theirs[depth + k];
    return loop.kind === 'for' && other.kind === 'for_reverse' && loop.index === other.index;
  });
  if (!isMirrored) return null;
  const indexes = new Set(ours.slice(depth).flatMap((loop) => (loop.kind === 'for' ? [loop.index] : [])));
  return {
    forward: forward.loop,
    reverse: reverse.loop,
    common: ours.slice(0, depth),
    indexes,
    outermost: { forward: ours[depth], reverse: theirs[depth] },
  };
}

function add<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

/** Refs whose contents a statement hands over. */
function passedRefs(statement: Statement): readonly Ref[] {
  switch (statement.kind) {
    case 'kernel':
      return statement.args.flatMap((arg) => (arg.kind === 'pointer' && !arg.adjoint ? [arg.ref] : []));
    case 'call':
      return statement.args.filter((arg): arg is Ref => arg.kind === 'ref');
    case 'print':
    case 'reject':
      return statement.parts.flatMap((part) => (part.kind === 'container' ? [part.ref] : []));
    default:
      return [];
  }
}

function bump(counts: Map<Local, number>, local: Local, by: number): void {
  counts.set(local, (counts.get(local) ?? 0) + by);
}

/** The pushes and pops that belong together, when the reverse takes back in the opposite order all that the loop saves. */
function matched(forward: Block, reverse: Block): { readonly push: Push; readonly pop: Pop }[] {
  const saves = forward.filter(touchesTape);
  const restores = reverse.filter(touchesTape).reverse();
  if (saves.length !== restores.length) return [];
  const found: { readonly push: Push; readonly pop: Pop }[] = [];
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

function touchesTape(statement: Statement): boolean {
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
  readonly #layout: Layout;
  readonly #pairs: readonly Pair[];
  /** Locals that reversed iterations set at their start, so that others may rest on them. */
  readonly #repeated = new Set<Local>();
  readonly #edits = emptyEdits();

  constructor(names: Names, block: Block) {
    this.#builder = new Builder(names);
    this.#layout = new Layout(block);
    this.#pairs = this.#layout.pairs();
  }

  plan(): Edits {
    for (const pair of this.#pairs) {
      for (const { push, pop } of matched(pair.forward.body, pair.reverse.body)) this.#replace(pair, push, pop);
    }
    return this.#edits;
  }

  #replace(pair: Pair, push: Push, pop: Pop): void {
    const { local } = pop;
    if (push.value.kind !== 'get' || push.value.local !== local) return;
    const assign = this.#iterationAssignment(pair, push, pop);
    if (assign === null) return;
    const needed = this.#repetitions(assign.value, pair, []);
    if (needed !== null) for (const repetition of [...needed, { pair, assign }]) this.#repeat(repetition);
    else this.#saveByIteration(pair, assign);
    this.#edits.removed.add(push);
    this.#edits.removed.add(pop);
  }

  #repeat({ pair, assign }: Repetition): void {
    if (this.#repeated.has(assign.local)) return;
    this.#repeated.add(assign.local);
    add(this.#edits.inside, pair.reverse, assign);
  }

  /** The assignment that gives the local its value in each iteration, when nothing outside the iteration sees the local. */
  #iterationAssignment(pair: Pair, push: Push, pop: Pop): Assign | null {
    const { forward, reverse } = pair;
    const { local } = pop;
    if (!this.#layout.mentionsOnlyIn(local, [forward, reverse])) return null;
    const mentioning = forward.body.filter((s) => s !== push && this.#layout.mentions(s).has(local));
    const [assign, ...readers] = mentioning;
    if (assign?.kind !== 'assign' || assign.local !== local) return null;
    if (this.#layout.mentions(assign).get(local) !== 1) return null;
    if (readers.some((s) => this.#assigns(s, local))) return null;
    const at = reverse.body.indexOf(pop);
    if (at < 0 || !forward.body.includes(push)) return null;
    if (reverse.body.slice(at + 1).some((s) => this.#layout.mentions(s).has(local))) return null;
    if (reverse.body.slice(0, at).some((s) => this.#assigns(s, local))) return null;
    return assign;
  }

  #assigns(statement: Statement, local: Local): boolean {
    if (assignedLocals(statement).includes(local)) return true;
    return blocksOf(statement).some((block) => block.some((inner) => this.#assigns(inner, local)));
  }

  /**
   * What must be repeated so that the value can be computed in the reversed iteration: it is cheap, and all that it reads is
   * unchanged or repeatable itself. Null if it is not so.
   */
  #repetitions(value: Expr, pair: Pair, visiting: readonly Local[]): readonly Repetition[] | null {
    const { indexes, outermost } = pair;
    const unchanged = (variable: Variable): boolean =>
      this.#layout.isUnchanged(variable, outermost.forward, outermost.reverse);
    let repetitions: readonly Repetition[] | null = [];
    visitExpression(value, (node) => {
      if (repetitions === null || this.#isFixedNode(node, unchanged, indexes)) return;
      const more = node.kind === 'get' ? this.#repetitionsOf(node.local, pair, visiting) : null;
      repetitions = more === null ? null : [...repetitions, ...more];
    });
    return repetitions;
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

  #repetitionsOf(local: Local, inner: Pair, visiting: readonly Local[]): readonly Repetition[] | null {
    if (visiting.includes(local)) return null;
    const only = this.#layout.onlyAssignment(local);
    if (only === null) return null;
    const pair = this.#pairs.find(({ forward }) => forward.body === only.block && inner.indexes.has(forward.index));
    if (pair === undefined) return null;
    const needed = this.#repetitions(only.assign.value, pair, [...visiting, local]);
    return needed === null ? null : [...needed, { pair, assign: only.assign }];
  }

  #saveByIteration(pair: Pair, assign: Assign): void {
    const { forward, reverse, common, outermost } = pair;
    const { local } = assign;
    const builder = this.#builder;
    const saved = builder.newRef(local.type, 1, `${local.name}_iterations`);
    const at = sub(get(forward.index), forward.from);
    if (outermost.forward !== forward) {
      add(this.#edits.before, forward, { kind: 'push_ref', ref: saved });
      this.#edits.after.set(reverse, [{ kind: 'pop_ref', ref: saved }, ...(this.#edits.after.get(reverse) ?? [])]);
    }
    add(this.#edits.before, forward, {
      kind: 'allocate',
      ref: saved,
      sizes: [iterationsOf(forward.from, forward.to)],
      fill: 'none',
    });
    add(this.#edits.after, assign, { kind: 'store', ref: saved, index: at, value: get(local) });
    add(this.#edits.inside, reverse, { kind: 'assign', local, value: load(saved, at) });
    const around = common.at(-1);
    // Other memory that an iteration takes may be needed when the loop around is reversed.
    if (around !== undefined && !around.body.some(takesMemory)) this.#edits.arenas.add(around);
  }
}

function takesMemory(statement: Statement): boolean {
  return (
    statement.kind === 'allocate' ||
    statement.kind === 'call' ||
    blocksOf(statement).some((block) => block.some(takesMemory))
  );
}

function hasExit(statement: Statement): boolean {
  return statement.kind === 'exit' || blocksOf(statement).some((block) => block.some(hasExit));
}
