import { writesOf } from '../../dataflow/effects.js';
import type { Movable } from '../../dataflow/movable.js';
import { Builder, type Names } from '../../ir/builder.js';
import { add, apply, compare, get, int, iterationsOf, mul, select } from '../../ir/expressions.js';
import type { Block, Expr, Local, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { everyNode, mapExpression, visitStatements } from '../../ir/walk.js';
import { MOST_ROWS } from './distinct-rows.js';

type ForLoop = StatementOf<'for'>;

/** Nested loops over a rectangle as one loop. */
export interface RowSpace {
  /** Statements before the loop that assign the numbers of iterations. */
  readonly sizes: Block;
  readonly loop: ForLoop;
  /** The indexes of the nested loops, which an iteration computes from its number. */
  readonly indexes: ReadonlySet<Local>;
}

/**
 * Loop coalescing: `for (i in a:b) for (j in c:d) …` as one loop over all (i, j), in the order of the nested loops. Null if the body of the
 * loop is not a single loop, or if bounds depend on more than data or differ between iterations.
 */
export function rowSpaceOf(names: Names, outer: ForLoop, movable: Movable): RowSpace | null {
  const nest = nestOf(outer, movable);
  if (nest === null) return null;
  const { loops, sunk, body } = nest;

  const builder = new Builder(names);
  const counts: Expr[] = [];
  let total: Expr = int(1);
  const sizes = builder.capture(() => {
    for (const { from, to } of loops) {
      const count = builder.bind(iterationsOf(from, to), 'extent');
      counts.push(count);
      // Above this number of rows, none are listed. The limit also keeps the product from overflowing.
      const isSmall = compare(
        'le',
        total,
        apply('div_int', 'int', int(MOST_ROWS), select(compare('gt', count, int(1)), count, int(1))),
      );
      total = builder.bind(
        select(compare('le', count, int(0)), int(0), select(isSmall, mul(total, count), int(MOST_ROWS + 1))),
        'total',
      );
    }
  });
  const row = builder.newLocal('int', 'row');
  const positions = builder.capture(() => {
    let rest: Expr = get(row);
    for (const [k, { from, index }] of [...loops.entries()].reverse()) {
      const place = k === 0 ? rest : apply('rem_int', 'int', rest, counts[k]);
      builder.assign(index, add(place, from));
      if (k === 0) continue;
      const quotient = apply('div_int', 'int', rest, counts[k]);
      rest = k > 1 ? builder.bind(quotient, 'rest') : quotient;
    }
  });
  return {
    sizes,
    loop: { ...outer, index: row, from: int(0), to: total, body: [...positions, ...sunk, ...body] },
    indexes: new Set(loops.map(({ index }) => index)),
  };
}

interface Nest {
  readonly loops: readonly Level[];
  /** Assignments in front of inner loops whose locals the bounds read: each iteration of the innermost loop may run them. */
  readonly sunk: Block;
  /** The body of the innermost loop. */
  readonly body: Block;
}

/** A loop whose bounds are known before the outermost one. */
type Level = Pick<ForLoop, 'index' | 'from' | 'to'>;

function nestOf(outer: ForLoop, movable: Movable): Nest | null {
  const written = new Map<Variable, number>([[outer.index, 1]]);
  visitStatements(outer.body, (statement) => {
    for (const variable of writesOf(statement)) written.set(variable, (written.get(variable) ?? 0) + 1);
  });
  const values = new Map<Expr, Expr>();
  const known = new Map<Local, Expr>();
  /** The expression in terms of what is known before the nest; null if it depends on more than data or may differ between iterations. */
  const invariant = (root: Expr): Expr | null => {
    const value = mapExpression(root, (node) => (node.kind === 'get' ? (known.get(node.local) ?? node) : node), values);
    const isInvariant = everyNode(
      value,
      (node) => node.kind !== 'load' && (node.kind !== 'get' || !written.has(node.local)),
    );
    return isInvariant && movable.isDataExpr(value) ? value : null;
  };
  const loops: Level[] = [outer];
  const sunk: Statement[] = [];
  for (let body = outer.body; ; ) {
    const inner = body.at(-1);
    const from = inner?.kind === 'for' ? body.slice(0, -1) : [];
    for (const statement of from) {
      const value = statement.kind === 'assign' && statement.local.type === 'int' ? invariant(statement.value) : null;
      if (statement.kind !== 'assign' || value === null || written.get(statement.local) !== 1) break;
      known.set(statement.local, value);
      values.clear();
    }
    const isNested = from.every((statement) => statement.kind === 'assign' && known.has(statement.local));
    const bounds = inner?.kind === 'for' && isNested ? [invariant(inner.from), invariant(inner.to)] : [];
    const [first, behind] = bounds;
    if (inner?.kind !== 'for' || !first || !behind) return loops.length === 1 ? null : { loops, sunk, body };
    sunk.push(...from);
    loops.push({ index: inner.index, from: first, to: behind });
    body = inner.body;
  }
}
