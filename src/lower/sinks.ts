import type { Sink } from '../functions/entry.js';
import { add, get, neg, ZERO } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { Lowering } from './lowering.js';

/** Terms go to the log density. */
export const TARGET: Sink = {
  add: (builder, value, term) => builder.target(value, term),
};

/** Terms with the opposite sign. */
export function negated(sink: Sink): Sink {
  return { add: (builder, value, term) => sink.add(builder, neg(value), term) };
}

/**
 * Sums the terms that `write` adds into a value. Constant ones are summed apart and join only while the host keeps
 * constants, so that their sum, which depends on data alone, can be computed once.
 */
export function sumOfTerms(lowering: Lowering, write: (sink: Sink) => void): Expr {
  const { builder } = lowering;
  const total = builder.newLocal('real', 'log_density');
  const constants = builder.newLocal('real', 'constants');
  builder.assign(total, ZERO);
  builder.assign(constants, ZERO);
  let hasConstants = false;
  write({
    add: (inner, value, term) => {
      const sum = term === 'constant' ? constants : total;
      hasConstants ||= term === 'constant';
      inner.assign(sum, add(get(sum), value));
    },
  });
  if (hasConstants) {
    builder.if(get(lowering.keepConstants), () => builder.assign(total, add(get(total), get(constants))));
  }
  return get(total);
}
