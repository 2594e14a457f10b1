import type { Builder } from '../../ir/builder.js';
import { get, iterationsOf, load, ONE, sub } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { expressionAt } from '../loops/iterations.js';
import { type Definitions, type Frame, piecesOf } from './lasting.js';
import type { Rows } from './row-sums.js';

/** The rows of the loop around a term (see `Site`); null if they cannot be summed after the loop. */
export function rowsOf(
  builder: Builder,
  definitions: Definitions,
  frame: Frame | null,
  coefficient: Expr,
  indexes: readonly Expr[],
): Rows | null {
  if (frame === null || !frame.isSimple || !definitions.hasLastingBounds(frame)) return null;
  const lasting = new Map<Expr, Expr>();
  for (const e of indexes) {
    const found = definitions.lasting(e, frame);
    if (found === null) return null;
    lasting.set(e, found);
  }
  const whole = definitions.lasting(coefficient, frame);
  const pieces = whole && piecesOf(whole, frame.index);
  return {
    pieces: pieces ?? [{ factor: ONE, data: held(builder, coefficient, frame) }],
    after: (write) => frame.after.push(write),
    each: (body) => {
      builder.for(frame.from, frame.to, (i) => body((e) => expressionAt(lasting.get(e) ?? e, frame.index, i)));
    },
  };
}

/** The value of each iteration in a container. */
function held(builder: Builder, value: Expr, { before, from, index, to }: Frame): Expr {
  const values = builder.newRef('real', 1, 'coefficients');
  before.push(() => builder.allocateRef(values, [iterationsOf(from, to)]));
  const at = sub(get(index), from);
  builder.store(values, at, value);
  return load(values, at);
}
