/** Sorting and quantiles, by kernels that compute permutations. */
import type { Builder } from '../ir/builder.js';
import { container, pointer, scalar } from '../ir/builder.js';
import { add, and, call1, compare, int, load, mul, real, select, sub, toReal } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { arrayOf, INT } from '../language/types.js';
import { isInt } from './accumulations.js';
import type { Call, FunctionEntry } from './entry.js';
import { rowsOf as rowsFor } from './row.js';
import { checkNotEmpty, length, reusable, stored } from './shapes.js';

const row = rowsFor('reductions');

/** The sample quantile of type 7 (Hyndman & Fan 1996), which interpolates linearly between order statistics. */
function quantileOf(x: ContainerValue, order: (i: Expr) => Expr, p: Expr): Expr {
  const n = length(x);
  const place = mul(p, sub(n, int(1)));
  const below = call1('floor', place);
  const low: Expr = { kind: 'apply', type: 'int', op: 'to_int', args: [below] };
  const high = select(compare('lt', low, sub(n, int(1))), add(low, int(1)), low);
  const first = x.flat(order(low));
  return add(first, mul(sub(place, below), sub(x.flat(order(high)), first)));
}

export function quantile(builder: Builder, [value, probability]: readonly Value[], call: Call): Value {
  const x = stored(builder, value);
  const n = length(x);
  checkNotEmpty(builder, 'quantile', 'samples_vec', n);
  builder.each(n, (i) =>
    builder.check(compare('eq', x.flat(i), x.flat(i)), 'quantile: samples_vec[{0}] is nan, but must not be nan!', [
      add(i, int(1)),
    ]),
  );
  const order = builder.allocate('int', [n], 'order');
  builder.kernel('sort_indices_asc', [pointer(order), pointer(x.ref), n]);
  const orderAt = (i: Expr): Expr => sub(load(order, i), int(1));
  const checked = (p: Expr): Expr => {
    builder.check(
      and(compare('ge', p, real(0)), compare('le', p, real(1))),
      'quantile: p is {0}, but must be in the interval [0, 1]',
      [p],
    );
    return p;
  };
  if (probability.kind === 'scalar') {
    return scalar(quantileOf(x, orderAt, checked(builder.bind(toReal(probability.value)))), value.level);
  }
  const p = reusable(builder, probability);
  const out = builder.allocate('real', [length(p)], 'quantiles');
  builder.each(length(p), (k) =>
    builder.store(out, k, quantileOf(x, orderAt, checked(builder.bind(toReal(p.flat(k)))))),
  );
  return container(call.result, value.level, out);
}

/** A function that sorts with a kernel. NaN is rejected. */
export function sorting(name: string, direction: 'ascending' | 'descending', indexes: boolean): FunctionEntry {
  const kernel = name;
  const patterns = indexes
    ? ['(array[] int | array[] real | vector | row_vector) => array[] int']
    : [
        '(array[] int) => array[] int',
        '(array[] real) => array[] real',
        '(vector) => vector',
        '(row_vector) => row_vector',
      ];
  return row(
    name,
    indexes ? `One-based positions of the elements in ${direction} order.` : `The elements in ${direction} order.`,
    patterns,
    (builder, [value], call) => {
      const x = stored(builder, value);
      const n = length(x);
      if (!isInt(x)) {
        builder.each(n, (i) =>
          builder.check(compare('eq', x.flat(i), x.flat(i)), `${name}: xs[{0}] is nan, but must not be nan!`, [
            add(i, int(1)),
          ]),
        );
      }
      const suffix = isInt(x) ? '_int' : '';
      if (indexes || isInt(x)) {
        const out = builder.allocate('int', [n], 'order');
        builder.kernel(`${kernel}${suffix}`, [pointer(out), pointer(x.ref), n]);
        return container(indexes ? arrayOf(INT) : call.result, 'data', out);
      }
      // The kernel computes a permutation. Values are read through it and so stay differentiable.
      const order = builder.allocate('int', [n], 'order');
      builder.kernel(`sort_indices_${direction === 'ascending' ? 'asc' : 'desc'}`, [pointer(order), pointer(x.ref), n]);
      return {
        ...x,
        ref: null,
        flat: (i) => x.flat(sub(load(order, i), int(1))),
        at: (i) => x.flat(sub(load(order, i), int(1))),
      };
    },
  );
}
