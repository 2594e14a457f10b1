import type { Block, Local, Statement } from '../ir/nodes.js';
import { assignedLocals, blocksOf, visitOwnExpressions } from '../ir/walk.js';
import { LocalSet } from './local-set.js';

/** Locals whose value a statement reads before it sets them, and locals that it certainly sets. */
interface Summary {
  readonly uses: LocalSet;
  readonly kills: ReadonlySet<Local>;
}

type Visit = (statement: Statement, isLive: (local: Local) => boolean) => void;

/**
 * Backward liveness analysis over the structured program: reports, for each statement of a block and of the blocks inside it, which locals
 * are read after it. `atEnd` are the locals read after the block. `visit` must query immediately. An `exit` counts as reading everything.
 */
export function visitLiveness(block: Block, atEnd: Iterable<Local>, visit: Visit): void {
  new Liveness(block, atEnd, visit).run();
}

class Liveness {
  readonly #block: Block;
  readonly #atEnd: readonly Local[];
  readonly #visit: Visit;
  readonly #summaries = new Map<Statement, Summary>();
  readonly #all: Set<Local>;
  readonly #live: LocalSet;

  constructor(block: Block, atEnd: Iterable<Local>, visit: Visit) {
    this.#block = block;
    this.#atEnd = [...atEnd];
    this.#all = new Set(this.#atEnd);
    this.#live = new LocalSet(this.#all);
    this.#visit = visit;
  }

  run(): void {
    if (hasExit(this.#block)) this.#collect(this.#block);
    this.#summarise(this.#block);
    for (const local of this.#atEnd) this.#live.add(local);
    this.#walk(this.#block);
  }

  #collect(block: Block): void {
    for (const statement of block) {
      visitReads(statement, (local) => this.#all.add(local));
      for (const inner of blocksOf(statement)) this.#collect(inner);
    }
  }

  #summarise(block: Block): Summary {
    const uses = new LocalSet(this.#all);
    const kills = new Set<Local>();
    for (let k = block.length - 1; k >= 0; k--) {
      const statement = block[k];
      if (isSimple(statement)) {
        for (const local of assignedLocals(statement)) kills.add(local);
        applySimple(statement, uses);
        continue;
      }
      const own = this.#summariseCompound(statement);
      apply(own, uses);
      for (const local of own.kills) kills.add(local);
    }
    return { uses, kills };
  }

  /** For a statement with blocks inside it, or an `exit`. */
  #summariseCompound(statement: Statement): Summary {
    const inner = blocksOf(statement).map((block) => this.#summarise(block));
    const [first, ...others] = inner;
    // Nothing else reads the set of the first block.
    const uses = first?.uses ?? new LocalSet(this.#all);
    if (statement.kind === 'exit') uses.addEverything();
    if (statement.kind === 'for' || statement.kind === 'for_reverse') uses.delete(statement.index);
    visitReads(statement, (local) => uses.add(local));
    for (const summary of others) uses.addAll(summary.uses);
    const summary = { uses, kills: killsOf(statement, inner) };
    this.#summaries.set(statement, summary);
    return summary;
  }

  #walk(block: Block): void {
    const live = this.#live;
    const isLive = (local: Local): boolean => live.has(local);
    for (let k = block.length - 1; k >= 0; k--) {
      const statement = block[k];
      this.#visit(statement, isLive);
      const summary = this.#summaries.get(statement);
      if (summary === undefined) {
        applySimple(statement, live);
        continue;
      }
      const isLoop = statement.kind === 'for' || statement.kind === 'for_reverse' || statement.kind === 'while';
      for (const inner of blocksOf(statement)) {
        const behind = live.changes;
        if (isLoop) live.addAll(summary.uses);
        this.#walk(inner);
        live.undo(behind);
      }
      apply(summary, live);
    }
  }
}

function visitReads(statement: Statement, visit: (local: Local) => void): void {
  visitOwnExpressions(statement, (node) => {
    if (node.kind === 'get') visit(node.local);
  });
}

/** Whether reads after an exit count: the sets then list the locals that they lack. */
function hasExit(block: Block): boolean {
  return block.some((statement) => statement.kind === 'exit' || blocksOf(statement).some(hasExit));
}

/** Whether the statement only reads locals and then sets some. */
function isSimple(statement: Statement): boolean {
  return statement.kind !== 'exit' && blocksOf(statement).length === 0;
}

function applySimple(statement: Statement, live: LocalSet): void {
  for (const local of assignedLocals(statement)) live.delete(local);
  visitReads(statement, (local) => live.add(local));
}

/** Transfers liveness from after a statement to before it. */
function apply({ uses, kills }: Summary, live: LocalSet): void {
  for (const local of kills) live.delete(local);
  live.addAll(uses);
}

function killsOf(statement: Statement, inner: readonly Summary[]): ReadonlySet<Local> {
  switch (statement.kind) {
    case 'if': {
      const [then, otherwise] = inner;
      return new Set([...then.kills].filter((local) => otherwise.kills.has(local)));
    }
    case 'arena':
      return inner[0].kills;
    case 'for':
    case 'for_reverse':
    case 'while':
    case 'labelled':
      return new Set();
    default:
      return new Set(assignedLocals(statement));
  }
}
