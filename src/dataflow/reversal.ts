import { append } from '../base/multimap.js';
import type { Block, Local, Ref, Statement, StatementOf } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { blocksOf, visitOwnExpressions } from '../ir/walk.js';
import { usesOf } from './cached.js';
import type { LoopStatement } from './effects.js';
import type { Uses } from './uses.js';

type ForLoop = StatementOf<'for' | 'for_reverse'>;
type Push = StatementOf<'push'>;
type Pop = StatementOf<'pop'>;

/** A loop and the loop that reverses it. */
export interface Pair {
  readonly forward: ForLoop;
  readonly reverse: ForLoop;
  /** The loops around both. */
  readonly common: readonly LoopStatement[];
  /** The indexes of the two loops, and of the loops around one of them that are reversed together with them. */
  readonly indexes: ReadonlySet<Local>;
  /** The outermost of these loops. */
  readonly outermost: { readonly forward: LoopStatement; readonly reverse: LoopStatement };
}

/** The positions of all statements in a differentiated block, and the pairs of loops that reverse each other. */
export class Reversal {
  readonly uses: Uses;
  readonly #forwards = new Map<Local, ForLoop[]>();
  readonly #reverses = new Map<Local, ForLoop[]>();
  readonly #places = new Map<Statement, { readonly block: Block; readonly index: number }>();
  /** The positions at which the contents of a container are read, ascending. */
  readonly #reads = new Map<Ref, number[]>();
  /** Containers that called functions use. The reverse of a call reads them without mentioning them. */
  readonly #called = new Set<Ref>();

  constructor(block: Block) {
    this.uses = usesOf(block);
    this.#visit(block);
  }

  #visit(block: Block): void {
    for (let index = 0; index < block.length; index++) {
      const statement = block[index];
      this.#places.set(statement, { block, index });
      if (statement.kind === 'for') append(this.#forwards, statement.index, statement);
      if (statement.kind === 'for_reverse') append(this.#reverses, statement.index, statement);
      const position = this.uses.position(statement);
      visitOwnExpressions(statement, (node) => {
        if (node.kind === 'load') append(this.#reads, rootOf(node.ref), position);
      });
      for (const ref of passedRefs(statement)) append(this.#reads, rootOf(ref), position);
      if (statement.kind === 'call') {
        for (const passed of [...statement.args, ...statement.results]) {
          if (passed.kind === 'ref') this.#called.add(rootOf(passed));
        }
      }
      for (const inner of blocksOf(statement)) this.#visit(inner);
    }
  }

  mentionsOnlyIn(local: Local, statements: readonly Statement[]): boolean {
    const inside = statements.reduce((sum, statement) => sum + this.uses.countIn(local, statement), 0);
    return inside === this.uses.count(local);
  }

  /** The local's only assignment, with its block, before any statement there reads the local. */
  onlyAssignment(local: Local): { readonly assign: StatementOf<'assign'>; readonly block: Block } | null {
    const [site, ...others] = this.uses.writes(local);
    if (site?.statement.kind !== 'assign' || others.length > 0) return null;
    const assign = site.statement;
    const block = this.blockOf(assign);
    if (block === undefined) return null;
    const [first] = this.uses.mentioning(block, local);
    return first === assign && this.uses.countIn(local, assign) === 1 ? { assign, block } : null;
  }

  /** The block that contains the statement. */
  blockOf(statement: Statement): Block | undefined {
    return this.#places.get(statement)?.block;
  }

  /**
   * The store that restores the old value of an element, if nothing reads that value: no statement reads the container after the start of
   * the reverse loop, and the container does not outlive an iteration of the loops around both.
   */
  deadRestore({ common, outermost }: Pair, push: Push, pop: Pop): Statement | null {
    const place = this.#places.get(pop);
    const store = place?.block[place.index + 1];
    if (push.value.kind !== 'load' || store?.kind !== 'store') return null;
    if (store.value.kind !== 'get' || store.value.local !== pop.local) return null;
    if (!this.mentionsOnlyIn(pop.local, [pop, store])) return null;
    const root = rootOf(store.ref);
    const start = this.uses.position(outermost.reverse);
    if (root.storage === 'global' || this.#called.has(root) || rootOf(push.value.ref) !== root) return null;
    const reads = this.#reads.get(root) ?? [];
    if ((reads.at(-1) ?? -1) >= start) return null;
    const around = common.at(-1);
    if (around === undefined) return store;
    // Positions ascend, and those of the statements inside a statement are contiguous.
    const accesses = [this.uses.writes(root), this.uses.definitions(root)].flatMap((sites) => [
      sites.at(0)?.position,
      sites.at(-1)?.position,
    ]);
    const isInside = [reads.at(0), ...accesses].every(
      (position) => position === undefined || this.uses.contains(around, position),
    );
    return isInside ? store : null;
  }

  /** Loops with the loops that reverse them, outer loops first. */
  pairs(): Pair[] {
    const pairs: Pair[] = [];
    for (const [index, forwards] of this.#forwards) {
      const reverses = this.#reverses.get(index) ?? [];
      if (forwards.length !== 1 || reverses.length !== 1) continue;
      const pair = this.#pairOf(forwards[0], reverses[0]);
      if (pair !== null) pairs.push(pair);
    }
    return pairs.sort((a, b) => this.uses.position(a.forward) - this.uses.position(b.forward));
  }

  #pairOf(forward: ForLoop, reverse: ForLoop): Pair | null {
    const ours = [...this.uses.loops(forward), forward];
    const theirs = [...this.uses.loops(reverse), reverse];
    if (ours.length !== theirs.length) return null;
    const depth = ours.findIndex((loop, k) => loop !== theirs[k]);
    const isMirrored = ours.slice(depth).every((loop, k) => {
      const other = theirs[depth + k];
      return loop.kind === 'for' && other.kind === 'for_reverse' && loop.index === other.index;
    });
    if (!isMirrored) return null;
    const indexes = new Set(ours.slice(depth).flatMap((loop) => (loop.kind === 'for' ? [loop.index] : [])));
    return {
      forward,
      reverse,
      common: ours.slice(0, depth),
      indexes,
      outermost: { forward: ours[depth], reverse: theirs[depth] },
    };
  }
}

/** The refs whose contents a statement passes to a function. */
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
