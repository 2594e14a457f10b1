import type { Block, Expr, Local, Statement } from '../ir/nodes.js';
import { assignedLocals, blocksOf, expressionsOf, visitExpression } from '../ir/walk.js';

/** Locals whose value a statement or block uses, and locals that it certainly overwrites. */
interface Summary {
  readonly uses: ReadonlySet<Local>;
  readonly kills: ReadonlySet<Local>;
}

/** The `pop` statements whose restored value is read before it is overwritten. Nothing is read after the block. */
export function liveAfterPops(block: Block): ReadonlySet<Statement> {
  const live = new Set<Statement>();
  const summaries = new Map<Statement | Block, Summary>();
  summarise(block, summaries);
  visit(block, new Set(), summaries, live);
  return live;
}

function summarise(block: Block, summaries: Map<Statement | Block, Summary>): Summary {
  let uses: ReadonlySet<Local> = new Set();
  const kills = new Set<Local>();
  for (const statement of [...block].reverse()) {
    const own = summariseStatement(statement, summaries);
    uses = before(own, uses);
    for (const local of own.kills) kills.add(local);
  }
  const summary = { uses, kills };
  summaries.set(block, summary);
  return summary;
}

function summariseStatement(statement: Statement, summaries: Map<Statement | Block, Summary>): Summary {
  const uses = new Set<Local>();
  const seen = new Set<Expr>();
  for (const root of expressionsOf(statement)) {
    visitExpression(root, (node) => node.kind === 'get' && uses.add(node.local), seen);
  }
  const inner = blocksOf(statement).map((block) => summarise(block, summaries));
  const index = statement.kind === 'for' || statement.kind === 'for_reverse' ? statement.index : null;
  for (const summary of inner) for (const local of summary.uses) if (local !== index) uses.add(local);
  const summary = { uses, kills: killsOf(statement, inner) };
  summaries.set(statement, summary);
  return summary;
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

function before({ uses, kills }: Summary, after: ReadonlySet<Local>): ReadonlySet<Local> {
  const live = new Set(uses);
  for (const local of after) if (!kills.has(local)) live.add(local);
  return live;
}

function visit(
  block: Block,
  after: ReadonlySet<Local>,
  summaries: ReadonlyMap<Statement | Block, Summary>,
  live: Set<Statement>,
): void {
  let now = after;
  for (const statement of [...block].reverse()) {
    if (statement.kind === 'pop' && now.has(statement.local)) live.add(statement);
    const isRepeated = statement.kind === 'for' || statement.kind === 'for_reverse' || statement.kind === 'while';
    for (const inner of blocksOf(statement)) {
      const again = isRepeated ? (summaries.get(statement)?.uses ?? []) : [];
      visit(inner, new Set([...now, ...again]), summaries, live);
    }
    const summary = summaries.get(statement);
    if (summary !== undefined) now = before(summary, now);
  }
}
