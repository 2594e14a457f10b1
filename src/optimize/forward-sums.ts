import { add, isValue, neg, sub, toReal } from '../ir/expressions.js';
import type { Block, Expr, Local, Statement } from '../ir/nodes.js';
import { termsOf } from '../ir/sums.js';
import { blocksOf, expressionsOf, mapBlocks, visitExpression, visitStatements } from '../ir/walk.js';

/**
 * Sends what is collected in a local straight to `target`: with `lp = 0; for (…) lp += f(n); target += lp`, each `f(n)` becomes
 * a term of `target`, whose adjoint is known, so that the loop can be reversed at once. For locals that are set once,
 * otherwise only added to, and read once, as a term of a sum in a `target` statement of the same block behind all that.
 */
export function forwardSums(block: Block): Block {
  let current = block;
  for (;;) {
    const candidate = findCollector(current);
    if (candidate === null) return current;
    current = forward(current, candidate);
  }
}

interface Collector {
  readonly local: Local;
  /** The statement that reads it, and the sign with which it counts. */
  readonly reader: Statement;
  readonly negative: boolean;
}

interface Usage {
  readonly sets: Statement[];
  readonly increments: Statement[];
  readonly readers: Statement[];
  /** Times that statements other than its own increments read it. */
  reads: number;
}

function findCollector(block: Block): Collector | null {
  const usages = new Map<Local, Usage>();
  const usageOf = (local: Local): Usage => {
    const known = usages.get(local) ?? { sets: [], increments: [], readers: [], reads: 0 };
    usages.set(local, known);
    return known;
  };
  visitStatements(block, (statement) => {
    const own = incrementOf(statement);
    if (own !== null) usageOf(own.local).increments.push(statement);
    else if (statement.kind === 'assign') usageOf(statement.local).sets.push(statement);
    else if (statement.kind === 'kernel' && statement.result !== null)
      usageOf(statement.result).sets.push(statement, statement);
    else if (statement.kind === 'call') {
      for (const result of statement.results)
        if (result.kind === 'local') usageOf(result).sets.push(statement, statement);
    } else if (statement.kind === 'for' || statement.kind === 'for_reverse')
      usageOf(statement.index).sets.push(statement, statement);
    for (const root of own === null ? expressionsOf(statement) : [own.value]) {
      visitOccurrences(root, (local) => {
        const usage = usageOf(local);
        usage.reads++;
        usage.readers.push(statement);
      });
    }
  });
  return search(block, usages);
}

function search(block: Block, usages: ReadonlyMap<Local, Usage>): Collector | null {
  for (const statement of block) {
    if (statement.kind === 'target' && statement.term === 'always') {
      for (const { value, negative } of termsOf(statement.value)) {
        if (value.kind !== 'get') continue;
        const { local } = value;
        const usage = usages.get(local);
        if (usage !== undefined && isCollector(usage, statement, block)) return { local, reader: statement, negative };
      }
    }
    for (const inner of blocksOf(statement)) {
      const found = search(inner, usages);
      if (found !== null) return found;
    }
  }
  return null;
}

function isCollector(usage: Usage, reader: Statement, block: Block): boolean {
  if (usage.sets.length !== 1 || usage.reads !== 1 || usage.readers[0] !== reader || usage.increments.length === 0)
    return false;
  const start = block.indexOf(usage.sets[0]);
  const end = block.indexOf(reader);
  if (start < 0 || start > end) return false;
  const between = new Set<Statement>();
  visitStatements(block.slice(start, end), (statement) => between.add(statement));
  return usage.increments.every((statement) => between.has(statement));
}

/** `v = v + e`, `v = e + v` or `v = v - e`, where `e` does not read `v`. */
function incrementOf(statement: Statement): { readonly local: Local; readonly value: Expr } | null {
  if (statement.kind !== 'assign' || statement.local.type !== 'real') return null;
  const { local, value } = statement;
  const rest = without(value, local);
  if (rest === null || reads(rest, local)) return null;
  return { local, value: rest };
}

/** The sum without its one positive term `local`; null where there is no such term. */
function without(e: Expr, local: Local): Expr | null {
  if (e.kind !== 'apply' || (e.op !== 'add' && e.op !== 'sub')) return null;
  const [left, right] = e.args;
  if (left.kind === 'get' && left.local === local) return e.op === 'add' ? right : neg(right);
  if (e.op === 'add' && right.kind === 'get' && right.local === local) return left;
  const inLeft = without(left, local);
  if (inLeft !== null) return e.op === 'add' ? add(inLeft, right) : sub(inLeft, right);
  if (e.op === 'sub') return null;
  const inRight = without(right, local);
  return inRight === null ? null : add(left, inRight);
}

function reads(e: Expr, local: Local): boolean {
  let found = false;
  visitExpression(e, (node) => {
    if (node.kind === 'get' && node.local === local) found = true;
  });
  return found;
}

/** Every place where a local stands, shared nodes as often as they are used. */
function visitOccurrences(e: Expr, visit: (local: Local) => void, seen = new Map<Expr, number>()): void {
  const times = seen.get(e) ?? 0;
  // A node met twice already says that its locals are read more than once.
  if (times > 1) return;
  seen.set(e, times + 1);
  if (e.kind === 'get') visit(e.local);
  else if (e.kind === 'apply') for (const argument of e.args) visitOccurrences(argument, visit, seen);
  else if (e.kind === 'load' || e.kind === 'load_adjoint') visitOccurrences(e.index, visit, seen);
}

function forward(block: Block, { local, reader, negative }: Collector): Block {
  return block.flatMap((statement): readonly Statement[] => {
    if (statement === reader && statement.kind === 'target') {
      const rest = removeTerm(statement.value, local);
      return rest === null || isValue(rest, 0) ? [] : [{ ...statement, value: toReal(rest) }];
    }
    if (statement.kind === 'assign' && statement.local === local) {
      const value = incrementOf(statement)?.value ?? statement.value;
      if (isValue(value, 0)) return [];
      return [{ kind: 'target', value: negative ? neg(value) : value, term: 'always' }];
    }
    return [mapBlocks(statement, (inner) => forward(inner, { local, reader, negative }))];
  });
}

/** The sum without the term; null where nothing is left. */
function removeTerm(e: Expr, local: Local): Expr | null {
  if (e.kind === 'get' && e.local === local) return null;
  if (e.kind !== 'apply') return e;
  if (e.op === 'neg') {
    const inner = removeTerm(e.args[0], local);
    return inner === null ? null : neg(inner);
  }
  if (e.op !== 'add' && e.op !== 'sub') return e;
  const left = removeTerm(e.args[0], local);
  const right = removeTerm(e.args[1], local);
  if (left === null) return right === null || e.op === 'add' ? right : neg(right);
  if (right === null) return left;
  return e.op === 'add' ? add(left, right) : sub(left, right);
}
