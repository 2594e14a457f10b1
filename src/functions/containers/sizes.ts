import { container, scalar } from '../../ir/builder.js';
import { compare, int, select } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue } from '../../ir/value.js';
import { arrayOf, INT, unwindArray } from '../../language/types.js';
import { containerOf } from '../broadcast.js';
import type { FunctionEntry } from '../entry.js';
import { rowsOf as family } from '../row.js';
import { columnsOf, length, rowsOf } from '../shapes.js';

const row = family('containers');
const one = int(1);

/** All types that have sizes. */
const CONTAINERS = ['int', 'real', 'vector', 'row_vector', 'matrix'].map((element) => `array[N] ${element}`);

/** All sizes as `dims` returns them: a vector has one column, and a row vector one row. */
function dimensionsOf(value: ContainerValue): readonly Expr[] {
  const { element, depth } = unwindArray(value.type);
  if (element.kind === 'vector') return [...value.sizes, one];
  if (element.kind === 'row_vector') return [...value.sizes.slice(0, depth), one, value.sizes[depth]];
  return value.sizes;
}

export const SIZES: readonly FunctionEntry[] = [
  row('rows', 'The number of rows.', ['(matrices) => int'], (_, [x]) => scalar(rowsOf(containerOf(x)), 'data')),
  row('cols', 'The number of columns.', ['(matrices) => int'], (_, [x]) => scalar(columnsOf(containerOf(x)), 'data')),
  row(
    'size',
    'The number of elements of the outermost container; 1 for a scalar.',
    [`(${CONTAINERS.join(' | ')}) => int`],
    (_, [x]) => scalar(x.kind === 'container' ? (x.type.kind === 'array' ? x.sizes[0] : length(x)) : one, 'data'),
  ),
  row(
    'num_elements',
    'The number of scalars in a container.',
    ['(matrices) => int', `(${CONTAINERS.map((c) => c.replace('[N]', '[N+1]')).join(' | ')}) => int where N = 0..8`],
    (_, [x]) => scalar(length(containerOf(x)), 'data'),
  ),
  row(
    'dims',
    'All sizes, up to the first array dimension of size 0.',
    [`(${CONTAINERS.join(' | ')}) => array[] int where N = 0..8`],
    (b, [x]) => {
      const sizes = x.kind === 'container' ? dimensionsOf(x) : [];
      const { depth } = unwindArray(x.type);
      const count = b.bind(
        sizes
          .slice(0, depth)
          .reduceRight<Expr>((rest, s, k) => select(compare('eq', s, int(0)), int(k + 1), rest), int(sizes.length)),
        'count',
      );
      const out = b.allocate('int', [count], 'dims');
      for (const [k, s] of sizes.entries()) b.if(compare('lt', int(k), count), () => b.store(out, int(k), s));
      return container(arrayOf(INT), 'data', out);
    },
  ),
];
