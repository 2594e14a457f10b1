import { usesOf } from '../../dataflow/cached.js';
import type { Uses } from '../../dataflow/uses.js';
import { Builder, type Names } from '../../ir/builder.js';
import {
  add,
  and,
  call1,
  compare,
  exp,
  get,
  int,
  load,
  mul,
  not,
  ONE,
  select,
  sub,
  ZERO,
} from '../../ir/expressions.js';
import type { Block, Expr, Local, Statement, StatementOf } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { mapBlocks, mapExpression, mapStatements } from '../../ir/walk.js';
import { expressionAt } from '../loops/iterations.js';

type ForLoop = StatementOf<'for'>;
type Store = StatementOf<'store'>;
type Load = Extract<Expr, { kind: 'load' }>;

/**
 * Shortens the recurrence of a running `log_sum_exp`, such as `s[n] = log_sum_exp(s[n - 1], x[n])`. The loop carries the maximum m of the
 * numbers so far and the sum q of the other exponentials relative to it instead:
 *
 *     e = exp(-|x - m|),  q = x > m ? (1 + q) e : q + e,  m = max(x, m),  s = m + log(1 + q)
 *
 * An exponential and a logarithm then do not depend on those of the previous iteration, and the reverse sweep does not compute them again.
 * Applies to elements that the previous iteration has stored, which linear forms of the indexes determine.
 */
export function runningLogSums(names: Names, block: Block): Block {
  if (!block.some((statement) => statement.kind === 'for')) return block;
  return new RunningLogSums(names, block).block(block);
}

interface Recurrence {
  readonly store: Store;
  /** The element that the previous iteration has stored. */
  readonly previous: Load;
  readonly next: Expr;
  /** The index of `previous` in terms of variables that the loop does not change, and of its index. */
  readonly index: Expr;
}

class RunningLogSums {
  readonly #builder: Builder;
  readonly #uses: Uses;

  constructor(names: Names, block: Block) {
    this.#builder = new Builder(names);
    this.#uses = usesOf(block);
  }

  block(block: Block): Block {
    return mapStatements(block, (statement) => {
      const recurrence = statement.kind === 'for' ? this.#recurrenceOf(statement) : null;
      if (statement.kind === 'for' && recurrence !== null) return this.#rewrite(statement, recurrence);
      return mapBlocks(statement, (inner) => this.block(inner));
    });
  }

  #recurrenceOf(loop: ForLoop): Recurrence | null {
    for (const store of loop.body) {
      if (store.kind !== 'store' || store.value.kind !== 'apply' || store.value.op !== 'log_sum_exp') continue;
      if (this.#uses.definitionsIn(store.ref, loop) > 0) continue;
      const writes = this.#uses.writes(rootOf(store.ref)).filter(({ loops }) => loops.includes(loop));
      if (writes.length !== 1) continue;
      const [a, b] = store.value.args;
      for (const [previous, next] of [
        [a, b],
        [b, a],
      ]) {
        if (previous.kind !== 'load' || previous.ref !== store.ref) continue;
        const index = this.#indexOfPrevious(loop, store, previous);
        if (index !== null) return { store, previous, next, index };
      }
    }
    return null;
  }

  /** The index, if the previous iteration has stored the element. */
  #indexOfPrevious(loop: ForLoop, store: Store, previous: Load): Expr | null {
    const at = loop.body.indexOf(store);
    const read = this.#written(previous.index, loop, at);
    const stored = linearForm(this.#written(store.index, loop, at));
    const form = linearForm(expressionAt(read, loop.index, add(get(loop.index), int(1))));
    if (stored === null || form === null || !isEqual(stored, form)) return null;
    const variables = [...stored.keys()].filter((local) => local !== null && local !== loop.index);
    return variables.some((local) => local !== null && this.#uses.isWrittenIn(local, loop)) ? null : read;
  }

  /** The expression with locals replaced by their values, if the body of the loop assigns them once, before the statement at the position. */
  #written(e: Expr, loop: ForLoop, at: number): Expr {
    return mapExpression(e, (node) => {
      if (node.kind !== 'get' || node.type !== 'int' || node.local === loop.index) return node;
      const [site, ...others] = this.#uses.writes(node.local);
      const assign = site?.statement;
      if (assign?.kind !== 'assign' || others.length > 0) return node;
      const position = loop.body.indexOf(assign);
      return position >= 0 && position < at ? this.#written(assign.value, loop, position) : node;
    });
  }

  #rewrite(loop: ForLoop, { store, previous, next, index }: Recurrence): readonly Statement[] {
    const builder = this.#builder;
    const largest = builder.newLocal('real', 'largest');
    const rest = builder.newLocal('real', 'rest');
    const before = builder.capture(() => {
      builder.assign(largest, ZERO);
      builder.if(compare('lt', loop.from, loop.to), () =>
        builder.assign(largest, load(previous.ref, expressionAt(index, loop.index, loop.from))),
      );
      builder.assign(rest, ZERO);
    });
    const step = builder.capture(() => {
      this.#step(largest, rest, next);
      builder.store(store.ref, store.index, add(get(largest), call1('log1p', get(rest))));
    });
    const body = loop.body.flatMap((statement) => (statement === store ? step : [statement]));
    return [...before, { ...loop, body }];
  }

  /**
   * Equal arguments have the derivatives of the branch that is taken. The exponential of two equal infinities is NaN, as are their
   * derivatives; the sum continues with 1.
   */
  #step(largest: Local, rest: Local, next: Expr): void {
    const builder = this.#builder;
    const [m, q] = [get(largest), get(rest)];
    const x = this.#named(next, 'x');
    const isLarger = this.#named(compare('gt', x, m), 'is_larger');
    const ratio = this.#named(exp(select(isLarger, sub(m, x), sub(x, m))), 'ratio');
    const isInfinite = this.#named(and(compare('eq', x, m), not(compare('eq', ratio, ratio))), 'is_infinite');
    const e = select(isInfinite, ONE, ratio);
    builder.assign(rest, select(isLarger, mul(add(ONE, q), e), add(q, e)));
    builder.assign(largest, select(isLarger, x, m));
  }

  #named(value: Expr, name: string): Expr {
    const local = this.#builder.newLocal(value.type, name);
    this.#builder.assign(local, value);
    return get(local);
  }
}

/** Coefficients of locals and, under the key null, the constant; modulo 2³², like int arithmetic. */
type LinearForm = ReadonlyMap<Local | null, number>;

function linearForm(e: Expr): LinearForm | null {
  if (e.kind === 'const') return new Map([[null, e.value | 0]]);
  if (e.kind === 'get') return new Map([[e.local, 1]]);
  if (e.kind !== 'apply' || (e.op !== 'add_int' && e.op !== 'sub_int')) return null;
  const [first, second] = e.args.map(linearForm);
  if (first === null || second === null) return null;
  const sum = new Map(first);
  const sign = e.op === 'add_int' ? 1 : -1;
  for (const [local, coefficient] of second) sum.set(local, ((sum.get(local) ?? 0) + sign * coefficient) | 0);
  return sum;
}

function isEqual(a: LinearForm, b: LinearForm): boolean {
  return [...a.keys(), ...b.keys()].every((local) => (a.get(local) ?? 0) === (b.get(local) ?? 0));
}
