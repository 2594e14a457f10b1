/** Decisions of passes about loops over rows of data, for reports on the cost of a program's statements. */
import { append } from '../base/multimap.js';
import type { Block, Expr, Local, StatementOf } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { visitExpression, visitStatements } from '../ir/walk.js';
import type { Span } from '../source/span.js';

interface OfLoop {
  readonly pass: 'mergeRows' | 'groupIterations' | 'tabulateValues' | 'sufficientStatistics';
  /** Statements of the program whose terms the loop adds. */
  readonly statements: readonly Span[];
}

/** The loop has been replaced for data that permit it. Rows with equal values of `by` are merged. */
export interface Applied extends OfLoop {
  readonly isApplied: true;
  /** Names of variables. */
  readonly by: readonly string[];
}

/** The loop is kept. */
export interface Declined extends OfLoop {
  readonly isApplied: false;
  /** The reason, as a sentence without a period. */
  readonly reason: string;
}

export type Decision = Applied | Declined;

/** Records a decision. */
export type Decide = (decision: Decision) => void;

export const UNNOTED: Decide = () => {};

/** The statements that add terms to `target` in a block, each once. Jacobians of transforms belong to no statement. */
export function addingStatements(block: Block): readonly Span[] {
  const spans = new Set<Span>();
  visitStatements(block, (statement) => {
    if (statement.kind === 'target' && statement.span !== null && statement.term !== 'jacobian')
      spans.add(statement.span);
  });
  return [...spans];
}

export function applied(pass: Decision['pass'], loop: StatementOf<'for'>, by: readonly Expr[]): Applied {
  return { pass, statements: addingStatements(loop.body), isApplied: true, by: namesIn(by, loop.body) };
}

export function declined(pass: Decision['pass'], loop: StatementOf<'for'>, reason: string): Declined {
  return { pass, statements: addingStatements(loop.body), isApplied: false, reason };
}

/** The names of containers that expressions of a row read, themselves or through what the row assigns. */
function namesIn(expressions: readonly Expr[], row: Block): readonly string[] {
  const assigned = new Map<Local, Expr[]>();
  visitStatements(row, (statement) => {
    if (statement.kind === 'assign') append(assigned, statement.local, statement.value);
  });
  const names = new Set<string>();
  const seen = new Set<Local>();
  const left = [...expressions];
  for (let root = left.pop(); root !== undefined; root = left.pop()) {
    visitExpression(root, (node) => {
      if (node.kind === 'load') names.add(rootOf(node.ref).name);
      if (node.kind !== 'get' || seen.has(node.local)) return;
      seen.add(node.local);
      left.push(...(assigned.get(node.local) ?? []));
    });
  }
  return [...names].sort();
}
