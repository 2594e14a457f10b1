import type { Builder } from '../ir/builder.js';
import { lazyFlat } from '../ir/builder.js';
import { add, div, exp, mul, sub } from '../ir/expressions.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { unwindArray } from '../language/types.js';
import { logSharesOf, shiftedTotal } from './accumulations.js';
import type { FunctionEntry } from './entry.js';
import { rowsOf } from './row.js';
import { fresh, reusable } from './shapes.js';

const row = rowsOf('reductions');

const SAME_VECTORS = ['(T) => T where T = vector | row_vector | array[] vector | array[] row_vector'];

/**
 * The softmax of a vector or row vector. Divides by the sum, because with the rounded logarithm of the sum some elements could exceed 1.
 */
export function softmaxOf(builder: Builder, value: Value): ContainerValue {
  const x = reusable(builder, value);
  const { shift, total } = shiftedTotal(builder, x);
  const sum = builder.bind(total, 'sum');
  return lazyFlat(x.type, x.level, x.sizes, (i) => div(exp(sub(x.flat(i), shift)), sum), true);
}

function logSoftmaxOf(builder: Builder, value: Value): ContainerValue {
  const x = reusable(builder, value);
  return lazyFlat(x.type, x.level, x.sizes, logSharesOf(builder, x));
}

/** A function of vectors and row vectors that is applied to each element of an array of them. */
function ofEachVector(
  of: (builder: Builder, x: Value) => ContainerValue,
): (builder: Builder, args: readonly Value[]) => Value {
  return (builder, [value]) => {
    const { element, depth } = unwindArray(value.type);
    if (depth === 0) return of(builder, value);
    const array = reusable(builder, value);
    const [many, size] = array.sizes;
    const out = fresh(builder, value.type, [many, size], value);
    builder.each(many, (n) => {
      const result = of(
        builder,
        lazyFlat(element, value.level, [size], (k) => array.at(n, k)),
      );
      const start = builder.bind(mul(n, size));
      builder.each(size, (k) => builder.store(out.ref, add(start, k), result.flat(k)));
    });
    return out;
  };
}

export const SOFTMAX: readonly FunctionEntry[] = [
  row('softmax', 'exp(x) over the sum of exp(x).', SAME_VECTORS, ofEachVector(softmaxOf)),
  row('log_softmax', 'The logarithm of softmax.', SAME_VECTORS, ofEachVector(logSoftmaxOf)),
];
