import { movableOf, usesOf } from '../../dataflow/cached.js';
import { isLoop, writesOf } from '../../dataflow/effects.js';
import type { Movable } from '../../dataflow/movable.js';
import type { Uses } from '../../dataflow/uses.js';
import { Builder, type Names } from '../../ir/builder.js';
import { add, get, int, iterationsOf, load, not } from '../../ir/expressions.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { OPS, type OpName } from '../../ir/ops.js';
import { rootOf } from '../../ir/refs.js';
import { withTerms } from '../../ir/remake.js';
import { mapBlocks, visitExpression, visitStatements } from '../../ir/walk.js';
import { atIndex, ownVariables } from '../loops/iterations.js';
import { substituteVariables } from '../simplify/substitute.js';

type ForLoop = StatementOf<'for'>;

/** The two alternatives of a statement. */
interface Choice {
  readonly condition: Expr;
  readonly then: Block;
  readonly otherwise: Block;
}

/** Iterations are split into at most 2 ** MOST_SPLITS groups. */
const MOST_SPLITS = 3;

/**
 * Splits the iterations of a loop by a condition on data: `for (n in 1:N) if (y[n] == 0) A else B` becomes a loop over the n for which the
 * condition holds and one over the others, each without the condition, so that its iterations have no branches. A term of `target` that a
 * condition selects also counts as a branch if one alternative costs more than the other, because otherwise both would be computed. The
 * lists of iterations depend on data alone and move out of the log density with `hoistData`. If a check fails in such a loop, the host
 * evaluates the unoptimized log density, because a different check may be the first to fail in program order.
 *
 * Applies only to outermost loops with data bounds, whose iterations share nothing but sums into `target`. Requires a block without exits;
 * must precede `hoistData`.
 */
export function partitionIterations(names: Names, block: Block, inputs: readonly Variable[]): Block {
  let current = block;
  for (let split = 0; split < MOST_SPLITS; split++) {
    const next = splitOnce(names, current, inputs);
    if (next === current) return current;
    current = next;
  }
  return current;
}

function splitOnce(names: Names, block: Block, inputs: readonly Variable[]): Block {
  if (!block.some((statement) => statement.kind === 'for')) return block;
  const uses = usesOf(block);
  const movable = movableOf(block, inputs);
  let changed = false;
  const result = block.flatMap((statement): readonly Statement[] => {
    if (statement.kind !== 'for') return [statement];
    const place = findCondition(statement, uses, movable);
    if (place === null) return [statement];
    changed = true;
    return split(names, statement, place, uses, movable);
  });
  return changed ? result : block;
}

/** The position in the body of the first condition on data; null if the loop must not be split. */
function findCondition(loop: ForLoop, uses: Uses, movable: Movable): number | null {
  if (!movable.isDataExpr(loop.from) || !movable.isDataExpr(loop.to)) return null;
  if (movable.isData(loop) || !hasIndependentIterations(loop, uses)) return null;
  const place = loop.body.findIndex((statement) => {
    const choice = choiceOf(statement);
    if (choice === null || !movable.isDataExpr(choice.condition) || movable.isData(statement)) return false;
    return readsOnlyIteration(choice.condition, statement, loop, uses, movable);
  });
  return place < 0 ? null : place;
}

function choiceOf(statement: Statement): Choice | null {
  if (statement.kind === 'if') return statement;
  if (statement.kind !== 'target' || statement.value.kind !== 'apply' || statement.value.op !== 'select') return null;
  const [condition, first, second] = statement.value.args;
  if (!differInCost(first, second)) return null;
  return { condition, then: [withTerms(statement, first)], otherwise: [withTerms(statement, second)] };
}

/** Expensive functions that cost no more than splitting the iterations saves. */
const CHEAP: ReadonlySet<OpName> = new Set<OpName>(['exp', 'log']);

/** Whether one of the expressions calls a costly function that the other does not call. */
function differInCost(first: Expr, second: Expr): boolean {
  const [inFirst, inSecond] = [costlyOf(first), costlyOf(second)];
  return [...inFirst].some((op) => !inSecond.has(op)) || [...inSecond].some((op) => !inFirst.has(op));
}

function costlyOf(e: Expr): ReadonlySet<OpName> {
  const ops = new Set<OpName>();
  visitExpression(e, (node) => {
    if (node.kind === 'apply' && OPS[node.op].cost === 'expensive' && !CHEAP.has(node.op)) ops.add(node.op);
  });
  return ops;
}

function hasIndependentIterations(loop: ForLoop, uses: Uses): boolean {
  let independent = true;
  visitStatements(loop.body, (statement) => {
    if (statement.kind === 'print' || statement.kind === 'call' || statement.kind === 'kernel') independent = false;
    if (isLoop(statement) && statement.kind === 'while') independent = false;
    for (const variable of writesOf(statement)) {
      const key = variable.kind === 'ref' ? rootOf(variable) : variable;
      if (!uses.isLocalToBody(key, loop)) independent = false;
    }
  });
  return independent;
}

/** The condition changes with the iteration, and what it reads of the iteration is computed by data-only statements before it. */
function readsOnlyIteration(
  condition: Expr,
  statement: Statement,
  loop: ForLoop,
  uses: Uses,
  movable: Movable,
): boolean {
  const read = movable.dependencies(condition, statement);
  if (!read.has(loop.index)) return false;
  const place = loop.body.indexOf(statement);
  for (const variable of read) {
    if (variable.kind !== 'local' || variable === loop.index || !uses.isLocalToBody(variable, loop)) continue;
    const writers = uses.writes(variable);
    if (writers.length !== 1) return false;
    const at = loop.body.indexOf(writers[0].statement);
    if (at < 0 || at > place || !movable.isData(loop.body[at])) return false;
  }
  return true;
}

function split(names: Names, loop: ForLoop, place: number, uses: Uses, movable: Movable): readonly Statement[] {
  const builder = new Builder(names);
  const choice = choiceOf(loop.body[place]);
  if (choice === null) return [loop];
  const read = movable.dependencies(choice.condition, loop.body[place]);
  const before = loop.body.slice(0, place);
  const sorting = before.filter(
    (statement) => statement.kind === 'assign' && read.has(statement.local) && movable.isData(statement),
  );
  const own = (statements: Block): Map<Variable, Variable> => ownVariables(builder, statements, loop, uses);

  return builder.capture(() => {
    const total = builder.bind(loop.to, 'end');
    const first = builder.bind(loop.from, 'first');
    const holds = listOf(builder, first, total);
    const fails = listOf(builder, first, total);
    builder.for(first, total, (n) => {
      const copy = own(sorting);
      for (const statement of atIndex(substituteVariables(sorting, copy), loop.index, n)) builder.emit(statement);
      const [test] = atIndex(
        substituteVariables([{ kind: 'check', condition: choice.condition, failure: NO_FAILURE, values: [] }], copy),
        loop.index,
        n,
      );
      if (test.kind !== 'check') return;
      const taken = builder.bind(test.condition, 'taken');
      append(builder, holds, n, taken);
      append(builder, fails, n, not(taken));
    });
    for (const [list, branch] of [
      [holds, choice.then],
      [fails, choice.otherwise],
    ] as const) {
      const body = [...before, ...branch, ...loop.body.slice(place + 1)].map(reordered);
      const copy = substituteVariables(body, own(body));
      builder.each(get(list.count), (k) => {
        for (const statement of atIndex(copy, loop.index, load(list.iterations, k))) builder.emit(statement);
      });
    }
  });
}

/** The statement with its checks and rejections marked as out of program order. */
function reordered(statement: Statement): Statement {
  switch (statement.kind) {
    case 'check':
      return { ...statement, failure: { ...statement.failure, isReordered: true } };
    case 'reject':
      return { ...statement, isReordered: true };
    default:
      return mapBlocks(statement, (inner) => inner.map(reordered));
  }
}

const NO_FAILURE = { kind: 'error', template: '', span: null } as const;

interface List {
  readonly iterations: Ref;
  readonly count: Local;
}

function listOf(builder: Builder, first: Expr, end: Expr): List {
  const iterations = builder.allocate('int', [iterationsOf(first, end)], 'iterations');
  const count = builder.newLocal('int', 'count');
  builder.assign(count, int(0));
  return { iterations, count };
}

function append(builder: Builder, list: List, iteration: Expr, condition: Expr): void {
  builder.if(condition, () => {
    builder.store(list.iterations, get(list.count), iteration);
    builder.assign(list.count, add(get(list.count), int(1)));
  });
}
