import type { Sink } from '../functions/entry.js';
import { add, get, neg, toReal, ZERO } from '../ir/expressions.js';
import type { Expr, Local } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import type { Lowering } from './lowering.js';

/** Terms go to the log density. */
export const TARGET: Sink = {
  add: (builder, value, term) => builder.target(value, term),
};

/** Terms with the opposite sign. */
export function negated(sink: Sink): Sink {
  return { add: (builder, value, term) => sink.add(builder, neg(value), term) };
}

/** Adds the elements of a value to a sink one by one. */
export function addElements({ builder }: Lowering, value: Value, sink: Sink): void {
  if (value.kind === 'composite') throw new Error('A tuple is never added to the log density');
  if (value.kind === 'scalar') sink.add(builder, toReal(value.value), 'always');
  else builder.elements(value, (element) => sink.add(builder, toReal(element), 'always'));
}

/**
 * Sums the terms that `write` adds into a value: those added once as an expression, those added in loops in a local. Constant terms are
 * summed separately and added only while the host keeps constants, so that their sum, which depends on data alone, can be computed once.
 */
export function sumOfTerms(lowering: Lowering, write: (sink: Sink) => void): Expr {
  const { builder } = lowering;
  const always = builder.newLocal('real', 'log_density');
  const constants = builder.newLocal('real', 'constants');
  const used = new Set<Local>();
  const once = new Map<Local, Expr>();
  const start = builder.capture(() => {
    builder.assign(always, ZERO);
    builder.assign(constants, ZERO);
  });
  const body = builder.capture(() => {
    const { block } = builder;
    write({
      add: (inner, value, term) => {
        const sum = term === 'constant' ? constants : always;
        if (builder.block === block) {
          once.set(sum, add(once.get(sum) ?? ZERO, value));
          return;
        }
        used.add(sum);
        inner.assign(sum, add(get(sum), value));
      },
    });
  });
  for (const statement of start) {
    if (statement.kind === 'assign' && used.has(statement.local)) builder.emit(statement);
  }
  for (const statement of body) builder.emit(statement);
  const joined = (sum: Local): Expr => add(once.get(sum) ?? ZERO, used.has(sum) ? get(sum) : ZERO);
  const constant = joined(constants);
  if (constant.kind === 'const' && constant.value === 0) return joined(always);
  const total = builder.newLocal('real', 'total');
  builder.assign(total, joined(always));
  const kept = builder.bind(constant, 'constant');
  builder.if(get(lowering.keepConstants), () => builder.assign(total, add(get(total), kept)));
  return get(total);
}
