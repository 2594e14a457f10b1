import { type Builder, container, count, lazyFlat } from '../../ir/builder.js';
import { add, apply, compare, int, mul, select, sub, toReal } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { VECTOR } from '../../language/types.js';
import { containerOf, scalarOf } from '../broadcast.js';
import { nonnegative, require } from '../checks.js';
import type { FunctionEntry } from '../entry.js';
import { rowsOf as family } from '../row.js';
import { checkNonNegative, checkRange, matrixOf, rowVectorOf, vectorOf } from '../shapes.js';

const row = family('containers');
const one = int(1);
const zero = int(0);

/** Checks that an index is between 1 and n, with the messages of `segment`. */
function checkPlace(builder: Builder, name: string, argument: string, place: Expr, n: Expr): void {
  const must = `${name}: ${argument} is {0}, but must be`;
  builder.check(compare('gt', place, zero), `${must} greater than 0.000000`, [place]);
  builder.check(compare('le', place, n), `${must} less than or equal to {1:f}`, [place, toReal(n)]);
}

/** Number of scalars per index of the first axis. */
function stride(value: ContainerValue): Expr {
  return count(value.sizes.slice(1));
}

/** `total` elements of the first axis, starting at the zero-based index `first`. A view if the elements are in memory. */
function slice(builder: Builder, value: ContainerValue, first: Expr, total: Expr): ContainerValue {
  const sizes = [total, ...value.sizes.slice(1)];
  const offset = builder.bind(mul(first, stride(value)), 'offset');
  if (value.ref !== null) return container(value.type, value.level, builder.view(value.ref, offset, sizes));
  return lazyFlat(value.type, value.level, sizes, (i) => value.flat(add(offset, i)), value.costly);
}

function headTailSegment(builder: Builder, name: 'head' | 'tail' | 'segment', args: readonly Value[]): Value {
  const value = containerOf(args[0]);
  const n = value.sizes[0];
  const numbers = args.slice(1).map((arg) => builder.bind(scalarOf(arg)));
  const isArray = value.type.kind === 'array';
  if (name === 'segment') {
    const [start, total] = numbers;
    checkPlace(builder, 'segment', isArray ? 'i' : 'n', start, n);
    builder.if(compare('gt', total, zero), () =>
      checkPlace(builder, 'segment', isArray ? 'i+n-1' : 'n', builder.bind(sub(add(start, total), one)), n),
    );
    checkNonNegative(builder, 'segment', 'n', total);
    return slice(builder, value, sub(start, one), total);
  }
  const [total] = numbers;
  // Stan compares with the size, but prints the number of rows, which is 1 for a row vector.
  const shown = value.type.kind === 'row_vector' ? one : n;
  builder.if(compare('ne', total, zero), () =>
    checkRange(builder, name, total, n, isArray ? ' for n' : ' for size of n', shown),
  );
  return slice(builder, value, name === 'head' ? zero : sub(n, total), total);
}

function reversed(value: ContainerValue): ContainerValue {
  const n = value.sizes[0];
  const width = stride(value);
  const last = sub(n, one);
  if (value.sizes.length === 1)
    return { ...value, ref: null, flat: (i) => value.flat(sub(last, i)), at: (i) => value.at(sub(last, i)) };
  return {
    ...value,
    ref: null,
    nested: true,
    flat: (i) => {
      const outer = apply('div_int', 'int', i, width);
      return value.flat(add(mul(sub(last, outer), width), apply('rem_int', 'int', i, width)));
    },
    at: (first, ...rest) => value.at(sub(last, first), ...rest),
  };
}

/** The signatures of functions of a container and a number of elements. */
const COUNTED = [
  '(vector, int) => vector',
  '(row_vector, int) => row_vector',
  '(array[N] T, int) => array[N] T where T = int | real | matrices; N = 1..3',
];

export const PARTS: readonly FunctionEntry[] = [
  row('head', 'The first n elements.', COUNTED, (b, args) => headTailSegment(b, 'head', args)),
  row('tail', 'The last n elements.', COUNTED, (b, args) => headTailSegment(b, 'tail', args)),
  row(
    'segment',
    'The n elements that start at a position.',
    [
      '(vector, int, int) => vector',
      '(row_vector, int, int) => row_vector',
      `(array[N] T, int, int) => array[N] T where T = int | real | matrices; N = 1..3`,
    ],
    (b, args) => headTailSegment(b, 'segment', args),
  ),
  row(
    'reverse',
    'The elements from last to first.',
    [
      '(vector) => vector',
      '(row_vector) => row_vector',
      '(array[N] T) => array[N] T where T = int | real | matrices; N = 1..7',
    ],
    (_, [x]) => reversed(containerOf(x)),
  ),
  row('col', 'A column of a matrix.', ['(matrix, int) => vector'], (b, [x, index]) => {
    const m = containerOf(x);
    const j = b.bind(scalarOf(index));
    checkRange(b, 'col', j, m.sizes[1], ' for columns of j');
    if (m.ref !== null) return container(VECTOR, x.level, b.view(m.ref, mul(sub(j, one), m.sizes[0]), [m.sizes[0]]));
    return vectorOf(m.sizes[0], x, (i) => m.at(i, sub(j, one)), m.costly);
  }),
  row('row', 'A row of a matrix.', ['(matrix, int) => row_vector'], (b, [x, index]) => {
    const m = containerOf(x);
    const i = b.bind(scalarOf(index));
    checkRange(b, 'row', i, m.sizes[0], ' for rows of i');
    return rowVectorOf(m.sizes[1], x, (j) => m.at(sub(i, one), j), m.costly);
  }),
  row('block', 'A rectangular block of a matrix.', ['(matrix, int, int, int, int) => matrix'], (b, [x, ...numbers]) => {
    const m = containerOf(x);
    const [i, j, rows, columns] = numbers.map((arg) => b.bind(scalarOf(arg)));
    checkRange(b, 'block', i, m.sizes[0], ' for rows of i');
    checkRange(b, 'block', sub(add(i, rows), one), m.sizes[0], ' for rows of i+nrows-1');
    checkRange(b, 'block', j, m.sizes[1], ' for columns of j');
    checkRange(b, 'block', sub(add(j, columns), one), m.sizes[1], ' for columns of j+ncols-1');
    require(b, nonnegative, rows, { function: 'block', argument: 'nrows' });
    require(b, nonnegative, columns, { function: 'block', argument: 'ncols' });
    return matrixOf(rows, columns, x, (r, c) => m.at(add(sub(i, one), r), add(sub(j, one), c)), m.costly);
  }),
  row('sub_col', 'A segment of a column.', ['(matrix, int, int, int) => vector'], (b, [x, ...numbers]) => {
    const m = containerOf(x);
    const [i, j, rows] = numbers.map((arg) => b.bind(scalarOf(arg)));
    checkRange(b, 'sub_col', i, m.sizes[0], ' for rows of i');
    b.if(compare('ne', rows, zero), () =>
      checkRange(b, 'sub_col', sub(add(i, rows), one), m.sizes[0], ' for rows of i+nrows-1'),
    );
    checkRange(b, 'sub_col', j, m.sizes[1], ' for columns of j');
    require(b, nonnegative, rows, { function: 'sub_col', argument: 'nrows' });
    return vectorOf(rows, x, (r) => m.at(add(sub(i, one), r), sub(j, one)), m.costly);
  }),
  row('sub_row', 'A segment of a row.', ['(matrix, int, int, int) => row_vector'], (b, [x, ...numbers]) => {
    const m = containerOf(x);
    const [i, j, columns] = numbers.map((arg) => b.bind(scalarOf(arg)));
    checkRange(b, 'sub_row', i, m.sizes[0], ' for rows of i');
    checkRange(b, 'sub_row', j, m.sizes[1], ' for columns of j');
    // Stan's message names the wrong function here.
    b.if(compare('ne', columns, zero), () =>
      checkRange(b, 'sub_col', sub(add(j, columns), one), m.sizes[1], ' for columns of j+ncols-1'),
    );
    require(b, nonnegative, columns, { function: 'sub_row', argument: 'ncols' });
    return rowVectorOf(columns, x, (c) => m.at(sub(i, one), add(sub(j, one), c)), m.costly);
  }),
  row('diagonal', 'The diagonal of a matrix.', ['(matrix) => vector'], (_, [x]) => {
    const m = containerOf(x);
    const [rows, columns] = m.sizes;
    return vectorOf(select(compare('lt', rows, columns), rows, columns), x, (i) => m.at(i, i), m.costly);
  }),
];
