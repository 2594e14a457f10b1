import { common, difference, ItemSets, type SharedMap, unionBeyond, unionOf } from '../base/shared-map.js';
import type { Block, Local, Statement } from '../ir/nodes.js';
import { assignedLocals, blocksOf, visitOwnExpressions } from '../ir/walk.js';
import { isLoop } from './effects.js';

type Locals = SharedMap<Local>;

/** The locals that a statement may read before it sets them (`uses`), and those that it always sets (`kills`). */
interface Summary {
  readonly uses: Locals;
  readonly kills: Locals;
}

type Visit = (statement: Statement, isLive: (local: Local) => boolean) => void;

/**
 * Backward liveness analysis: reports the locals that are live after each statement of a block and of the blocks inside it. `atEnd` are the
 * locals that are live after the block. `visit` must query the result immediately. An `exit` counts as reading all locals.
 */
export function visitLiveness(block: Block, atEnd: Iterable<Local>, visit: Visit): void {
  new Liveness(block, atEnd, visit).run();
}

class Liveness {
  readonly #block: Block;
  readonly #visit: Visit;
  readonly #sets = new ItemSets<Local>();
  readonly #atEnd: Locals;
  readonly #summaries = new Map<Statement, Summary>();
  /** The locals that an `exit` counts as reading. */
  #all: Locals;

  constructor(block: Block, atEnd: Iterable<Local>, visit: Visit) {
    this.#block = block;
    this.#visit = visit;
    this.#atEnd = this.#sets.of(atEnd);
    this.#all = this.#atEnd;
  }

  run(): void {
    if (hasExit(this.#block)) this.#collect(this.#block);
    this.#summarize(this.#block);
    this.#walk(this.#block, this.#atEnd, [undefined, undefined]);
  }

  #collect(block: Block): void {
    for (const statement of block) {
      this.#all = this.#withReads(this.#all, statement);
      for (const inner of blocksOf(statement)) this.#collect(inner);
    }
  }

  #summarize(block: Block): Summary {
    let uses: Locals;
    let kills: Locals;
    for (let k = block.length - 1; k >= 0; k--) {
      const statement = block[k];
      if (isSimple(statement)) {
        for (const local of assignedLocals(statement)) kills = this.#sets.with(kills, local);
        uses = this.#beforeSimple(statement, uses);
        continue;
      }
      const own = this.#summarizeCompound(statement);
      kills = unionOf(kills, own.kills);
      uses = before(own, uses);
    }
    return { uses, kills };
  }

  /** For a statement with blocks inside it, or an `exit`. */
  #summarizeCompound(statement: Statement): Summary {
    const inner = blocksOf(statement).map((block) => this.#summarize(block));
    let uses = statement.kind === 'exit' ? this.#all : undefined;
    for (const summary of inner) uses = unionOf(uses, summary.uses);
    if (statement.kind === 'for' || statement.kind === 'for_reverse') uses = this.#sets.without(uses, statement.index);
    const summary = { uses: this.#withReads(uses, statement), kills: this.#killsOf(statement, inner) };
    this.#summaries.set(statement, summary);
    return summary;
  }

  /**
   * `around`: the locals that are live at the end of the body of the innermost loop around the block, and the subset that the loop itself
   * uses.
   */
  #walk(block: Block, atEnd: Locals, around: readonly [Locals, Locals]): void {
    let live = atEnd;
    const isLive = (local: Local): boolean => this.#sets.has(live, local);
    for (let k = block.length - 1; k >= 0; k--) {
      const statement = block[k];
      this.#visit(statement, isLive);
      const summary = this.#summaries.get(statement);
      if (summary === undefined) {
        live = this.#beforeSimple(statement, live);
        continue;
      }
      if (isLoop(statement)) {
        live = unionBeyond(around, live, summary.uses);
        for (const inner of blocksOf(statement)) this.#walk(inner, live, [live, summary.uses]);
      } else {
        for (const inner of blocksOf(statement)) this.#walk(inner, live, around);
        live = before(summary, live);
      }
    }
  }

  #withReads(locals: Locals, statement: Statement): Locals {
    let all = locals;
    visitOwnExpressions(statement, (node) => {
      if (node.kind === 'get') all = this.#sets.with(all, node.local);
    });
    return all;
  }

  #beforeSimple(statement: Statement, live: Locals): Locals {
    let rest = live;
    for (const local of assignedLocals(statement)) rest = this.#sets.without(rest, local);
    return this.#withReads(rest, statement);
  }

  #killsOf(statement: Statement, inner: readonly Summary[]): Locals {
    switch (statement.kind) {
      case 'if': {
        const [then, otherwise] = inner;
        return common(then.kills, otherwise.kills, () => true);
      }
      case 'arena':
        return inner[0].kills;
      case 'for':
      case 'for_reverse':
      case 'while':
      case 'labeled':
        return undefined;
      default:
        return this.#sets.of(assignedLocals(statement));
    }
  }
}

/** The locals that are live before a statement, from those that are live after it. */
function before({ uses, kills }: Summary, live: Locals): Locals {
  return unionOf(uses, difference(live, kills));
}

/** Whether the block contains an exit. */
function hasExit(block: Block): boolean {
  return block.some((statement) => statement.kind === 'exit' || blocksOf(statement).some(hasExit));
}

/** Whether the statement reads locals first and then sets some. */
function isSimple(statement: Statement): boolean {
  return statement.kind !== 'exit' && blocksOf(statement).length === 0;
}
