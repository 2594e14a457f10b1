import type { Block, Expr, Local, Statement } from './nodes.js';
import { assignedLocals, blocksOf, expressionsOf, visitExpression } from './walk.js';

/** Locals whose value a statement reads before it sets them, and locals that it certainly sets. */
interface Summary {
  readonly uses: ReadonlySet<Local>;
  readonly kills: ReadonlySet<Local>;
}

/**
 * Tells for each statement of a block, and of the blocks inside it, which locals hold a value behind it that is still read:
 * backward data flow over the structured program. `atEnd` are the locals read after the block. `visit` must copy the set if
 * it keeps it. An `exit` counts as reading everything.
 */
export function visitLiveness(
  block: Block,
  atEnd: Iterable<Local>,
  visit: (statement: Statement, live: ReadonlySet<Local>) => void,
): void {
  new Liveness(block, atEnd, visit).run();
}

class Liveness {
  readonly #block: Block;
  readonly #atEnd: ReadonlySet<Local>;
  readonly #visit: (statement: Statement, live: ReadonlySet<Local>) => void;
  readonly #summaries = new Map<Statement, Summary>();
  readonly #all: Set<Local>;

  constructor(block: Block, atEnd: Iterable<Local>, visit: (statement: Statement, live: ReadonlySet<Local>) => void) {
    this.#block = block;
    this.#atEnd = new Set(atEnd);
    this.#all = new Set(this.#atEnd);
    this.#visit = visit;
  }

  run(): void {
    this.#collect(this.#block);
    this.#summarise(this.#block);
    this.#walk(this.#block, new Set(this.#atEnd));
  }

  #collect(block: Block): void {
    for (const statement of block) {
      addReads(statement, this.#all);
      for (const inner of blocksOf(statement)) this.#collect(inner);
    }
  }

  #summarise(block: Block): Summary {
    const uses = new Set<Local>();
    const kills = new Set<Local>();
    for (let k = block.length - 1; k >= 0; k--) {
      const own = this.#summariseStatement(block[k]);
      apply(own, uses);
      for (const local of own.kills) kills.add(local);
    }
    return { uses, kills };
  }

  #summariseStatement(statement: Statement): Summary {
    const inner = blocksOf(statement).map((block) => this.#summarise(block));
    const uses = new Set<Local>(statement.kind === 'exit' ? this.#all : []);
    addReads(statement, uses);
    const index = statement.kind === 'for' || statement.kind === 'for_reverse' ? statement.index : null;
    for (const summary of inner) for (const local of summary.uses) if (local !== index) uses.add(local);
    const summary = { uses, kills: killsOf(statement, inner) };
    this.#summaries.set(statement, summary);
    return summary;
  }

  #walk(block: Block, live: Set<Local>): void {
    for (let k = block.length - 1; k >= 0; k--) {
      const statement = block[k];
      this.#visit(statement, live);
      const summary = this.#summaries.get(statement);
      if (summary === undefined) continue;
      const isLoop = statement.kind === 'for' || statement.kind === 'for_reverse' || statement.kind === 'while';
      for (const inner of blocksOf(statement)) {
        const end = new Set(live);
        if (isLoop) for (const local of summary.uses) end.add(local);
        this.#walk(inner, end);
      }
      apply(summary, live);
    }
  }
}

function addReads(statement: Statement, reads: Set<Local>): void {
  const seen = new Set<Expr>();
  for (const root of expressionsOf(statement)) {
    visitExpression(
      root,
      (node) => {
        if (node.kind === 'get') reads.add(node.local);
      },
      seen,
    );
  }
}

/** Goes from what is live behind a statement to what is live before it. */
function apply({ uses, kills }: Summary, live: Set<Local>): void {
  for (const local of kills) live.delete(local);
  for (const local of uses) live.add(local);
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
