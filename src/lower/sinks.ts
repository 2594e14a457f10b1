import type { Sink } from '../functions/entry.js';
import { add, get, neg } from '../ir/expressions.js';
import type { Local } from '../ir/nodes.js';
import type { Lowering } from './lowering.js';

/** Terms go to the log density. */
export const TARGET: Sink = {
  add: (builder, value, term) => builder.target(value, term),
};

/** Terms with the opposite sign. */
export function negated(sink: Sink): Sink {
  return { add: (builder, value, term) => sink.add(builder, neg(value), term) };
}

/** Terms are summed in a local; constant ones only while the host keeps constants. */
export function constantSink(lowering: Lowering, total: Local): Sink {
  return {
    add: (builder, value, term) => {
      const accumulate = (): void => builder.assign(total, add(get(total), value));
      if (term === 'constant') builder.if(get(lowering.keepConstants), accumulate);
      else accumulate();
    },
  };
}
