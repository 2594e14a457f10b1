import type { Builder } from '../ir/builder.js';
import { container, count, lazyAt, lazyFlat, levelOf, scalar } from '../ir/builder.js';
import { add, and, apply, compare, div, int, load, maxInt, mul, real, select, sub, toReal } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { arrayOf, INT, MATRIX, REAL, ROW_VECTOR, type Type, unwindArray, VECTOR } from '../language/types.js';
import { containerOf, scalarOf } from './broadcast.js';
import type { Call, FunctionEntry } from './entry.js';
import { rowsOf as family } from './row.js';
import {
  checkMatch,
  checkRange,
  checkSquare,
  columnsOf,
  entry,
  length,
  matrixOf,
  reusable,
  rowsOf,
  rowVectorOf,
  vectorOf,
} from './shapes.js';

const row = family('containers');

/** Anything with sizes. */
const CONTAINERS = ['int', 'real', 'vector', 'row_vector', 'matrix'].map((element) => `array[N] ${element}`);

const one = int(1);
const zero = int(0);

const INCONSISTENT =
  '; a function was called with arguments of different scalar, array, vector, or matrix types, and they were not consistently sized;  all arguments must be scalars or multidimensional values of the same shape.';

function checkNonNegative(builder: Builder, name: string, argument: string, n: Expr): void {
  builder.check(compare('ge', n, zero), `${name}: ${argument} is {0}, but must be nonnegative!`, [n], 'error');
}

/** That a place lies in a container of n elements, in the words of `segment`. */
function checkPlace(builder: Builder, name: string, argument: string, place: Expr, n: Expr): void {
  const must = `${name}: ${argument} is {0}, but must be`;
  builder.check(compare('gt', place, zero), `${must} greater than 0.000000`, [place]);
  builder.check(compare('le', place, n), `${must} less than or equal to {1:f}`, [place, toReal(n)]);
}

/** Number of scalars behind one index of the first axis. */
function stride(value: ContainerValue): Expr {
  return count(value.sizes.slice(1));
}

/** `total` elements of the first axis from the zero-based `first`; a window on memory where the elements lie in memory. */
export function slice(
  builder: Builder,
  value: ContainerValue,
  first: Expr,
  total: Expr,
  type: Type = value.type,
): ContainerValue {
  const sizes = [total, ...value.sizes.slice(1)];
  const offset = builder.bind(mul(first, stride(value)), 'offset');
  if (value.ref !== null) return container(type, value.level, builder.view(value.ref, offset, sizes));
  return lazyFlat(type, value.level, sizes, (i) => value.flat(add(offset, i)), value.costly);
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
  // Stan counts the rows, of which a row vector has one, but compares with the size.
  const told = value.type.kind === 'row_vector' ? one : n;
  builder.if(compare('ne', total, zero), () =>
    checkRange(builder, name, total, n, isArray ? ' for n' : ' for size of n', told),
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

/** One after another along the first axis. */
function appended(builder: Builder, type: Type, args: readonly Value[], sizes: readonly Expr[]): ContainerValue {
  const level = levelOf(args);
  const out = builder.allocate(unwindArray(type).element.kind === 'int' ? 'int' : 'real', sizes, 'appended');
  let offset: Expr = zero;
  for (const arg of args) {
    const at = offset;
    if (arg.kind === 'scalar') {
      builder.store(out, at, arg.value);
      offset = builder.bind(add(at, one), 'offset');
    } else {
      const value = containerOf(arg);
      builder.elements(value, (element, linear) => builder.store(out, add(at, linear), element));
      offset = builder.bind(add(at, length(value)), 'offset');
    }
  }
  return container(type, level, out);
}

function sideSize(value: Value, of: (c: ContainerValue) => Expr): Expr {
  return value.kind === 'scalar' ? one : of(containerOf(value));
}

/** Columns side by side: memory is column-major, so matrices follow one another. */
function appendColumns(builder: Builder, args: readonly Value[], call: Call): Value {
  const [a, b] = args;
  checkMatch(builder, 'append_col', 'rows of A', sideSize(a, rowsOf), 'rows of B', sideSize(b, rowsOf));
  const columns = add(sideSize(a, columnsOf), sideSize(b, columnsOf));
  const sizes = call.result.kind === 'matrix' ? [sideSize(a, rowsOf), columns] : [columns];
  return appended(builder, call.result, args, sizes);
}

function appendRows(builder: Builder, args: readonly Value[], call: Call): Value {
  const [a, b] = args;
  checkMatch(builder, 'append_row', 'columns of A', sideSize(a, columnsOf), 'columns of B', sideSize(b, columnsOf));
  const rows = add(sideSize(a, rowsOf), sideSize(b, rowsOf));
  if (call.result.kind === 'vector') return appended(builder, call.result, args, [rows]);
  const [top, bottom] = args.map(containerOf);
  const columns = columnsOf(top);
  const above = rowsOf(top);
  const out = builder.allocate('real', [rows, columns], 'appended');
  const place = (i: Expr, j: Expr): Expr => add(mul(j, rows), i);
  builder.each(columns, (j) => {
    builder.each(above, (i) => builder.store(out, place(i, j), entry(top, i, j)));
    builder.each(rowsOf(bottom), (i) => builder.store(out, place(add(above, i), j), entry(bottom, i, j)));
  });
  return container(MATRIX, levelOf(args), out);
}

function appendArrays(builder: Builder, args: readonly Value[], call: Call): Value {
  const [a, b] = args.map(containerOf);
  const bothFilled = and(compare('gt', a.sizes[0], zero), compare('gt', b.sizes[0], zero));
  if (a.sizes.length > 1) {
    builder.if(bothFilled, () => {
      for (let axis = 1; axis < a.sizes.length; axis++) {
        checkMatch(builder, 'append_array', 'shape of x', a.sizes[axis], 'shape of y', b.sizes[axis]);
      }
    });
  }
  const rest = a.sizes.slice(1).map((s, k) => select(compare('gt', a.sizes[0], zero), s, b.sizes[k + 1]));
  return appended(builder, call.result, args, [add(a.sizes[0], b.sizes[0]), ...rest]);
}

/** `args[0]` repeated over new leading axes. */
function repeated(
  builder: Builder,
  name: string,
  args: readonly Value[],
  call: Call,
  labels: readonly string[],
): Value {
  const [value, ...counts] = args;
  const sizes = counts.map((arg) => builder.bind(scalarOf(arg), 'n'));
  for (const [k, n] of sizes.entries()) checkNonNegative(builder, name, labels[k], n);
  if (value.kind === 'scalar') {
    const once =
      unwindArray(call.result).element.kind === 'int' ? builder.bind(value.value) : builder.bind(toReal(value.value));
    return lazyFlat(call.result, value.level, sizes, () => once);
  }
  const item = reusable(builder, value);
  return {
    ...lazyAt(call.result, value.level, [...sizes, ...item.sizes], (...indexes) =>
      item.at(...indexes.slice(sizes.length)),
    ),
  };
}

function repeatMatrix(builder: Builder, args: readonly Value[]): Value {
  const [value, ...counts] = args;
  const sizes = counts.map((arg) => builder.bind(scalarOf(arg), 'n'));
  if (value.kind === 'scalar') {
    checkNonNegative(builder, 'rep_matrix', 'rows', sizes[0]);
    checkNonNegative(builder, 'rep_matrix', 'cols', sizes[1]);
    const once = builder.bind(toReal(value.value));
    return lazyFlat(MATRIX, value.level, sizes, () => once);
  }
  const item = reusable(builder, value);
  if (item.type.kind === 'row_vector') {
    checkNonNegative(builder, 'rep_matrix', 'rows', sizes[0]);
    return matrixOf(sizes[0], item.sizes[0], value, (_, j) => item.at(j));
  }
  checkNonNegative(builder, 'rep_matrix', 'cols', sizes[0]);
  return matrixOf(item.sizes[0], sizes[0], value, (i) => item.at(i));
}

/** Evenly spaced values; one value is the upper end. */
function linspaced(name: string, result: Type): FunctionEntry {
  const type = result.kind === 'array' ? 'array[] real' : result.kind;
  return row(
    name,
    'n evenly spaced values from lower to upper.',
    [`(data int, data real, data real) => ${type}`],
    (b, args) => {
      const [n, low, high] = args.map((arg) => b.bind(scalarOf(arg)));
      checkNonNegative(b, name, 'size', n);
      b.check(
        compare('ge', high, low),
        `${name}: high is {0}, but must be greater than or equal to {1:f}`,
        [high, low],
        'error',
      );
      const step = b.bind(div(sub(toReal(high), low), maxInt(sub(n, one), one)), 'step');
      return lazyFlat(result, 'data', [n], (i) =>
        select(compare('eq', i, sub(n, one)), toReal(high), add(toReal(low), mul(toReal(i), step))),
      );
    },
  );
}

function filled(name: string, result: Type, value: Expr): FunctionEntry {
  const type = result.kind === 'array' ? `array[] ${result.element.kind}` : result.kind;
  return row(name, `A ${type} of n equal values.`, [`(int) => ${type}`], (b, [size]) => {
    const n = b.bind(scalarOf(size), 'n');
    checkNonNegative(b, name, 'size', n);
    return lazyFlat(result, 'data', [n], () => value);
  });
}

function oneHot(name: string, result: Type, unit: Expr, nothing: Expr): FunctionEntry {
  const type = result.kind === 'array' ? `array[] ${result.element.kind}` : result.kind;
  return row(name, 'Zeros but for a one at a position.', [`(int, int) => ${type}`], (b, args) => {
    const [n, k] = args.map((arg) => b.bind(scalarOf(arg)));
    b.check(compare('gt', n, zero), `${name}: size is {0}, but must be positive!`, [n], 'error');
    b.check(
      and(compare('ge', k, one), compare('le', k, n)),
      `${name}: k is {0}, but must be in the interval [1, {1}]`,
      [k, n],
      'error',
    );
    return lazyFlat(result, 'data', [n], (i) => select(compare('eq', i, sub(k, one)), unit, nothing));
  });
}

/** Elements of any container in Stan's order of conversion: matrices by column, nested arrays by row. */
function flattened(type: Type, value: Value): ContainerValue {
  const c = containerOf(value);
  const isInt = unwindArray(c.type).element.kind === 'int' && unwindArray(type).element.kind !== 'int';
  const flat = (i: Expr): Expr => (isInt ? toReal(c.flat(i)) : c.flat(i));
  if (c.ref !== null && !isInt && c.sizes.length === 1) return { ...container(type, c.level, c.ref), flat, at: flat };
  return lazyFlat(type, c.level, [length(c)], flat, c.costly);
}

/** All sizes as Stan counts them: a vector has rows and one column, a row vector one row and columns. */
function dimensionsOf(value: ContainerValue): readonly Expr[] {
  const { element, depth } = unwindArray(value.type);
  if (element.kind === 'vector') return [...value.sizes, one];
  if (element.kind === 'row_vector') return [...value.sizes.slice(0, depth), one, value.sizes[depth]];
  return value.sizes;
}

function toMatrix(builder: Builder, args: readonly Value[]): Value {
  const value = containerOf(args[0]);
  const [, rowsArg, columnsArg, columnMajor] = args;
  const asReal = (e: Expr): Expr => toReal(e);
  if (rowsArg !== undefined && columnsArg !== undefined) {
    const rows = builder.bind(scalarOf(rowsArg), 'rows');
    const columns = builder.bind(scalarOf(columnsArg), 'columns');
    const source = value.type.kind === 'array' ? 'array' : 'matrix';
    checkMatch(builder, `to_matrix(${source})`, 'rows * columns', mul(rows, columns), 'vector size', length(value));
    const linear = builder.materialize(value);
    if (columnMajor === undefined) return lazyFlat(MATRIX, value.level, [rows, columns], (i) => asReal(linear.flat(i)));
    const byColumn = builder.bind(scalarOf(columnMajor));
    return matrixOf(rows, columns, value, (i, j) =>
      asReal(linear.flat(select(compare('ne', byColumn, zero), add(mul(j, rows), i), add(mul(i, columns), j)))),
    );
  }
  switch (value.type.kind) {
    case 'matrix':
      return value;
    case 'vector':
      return lazyFlat(MATRIX, value.level, [value.sizes[0], one], value.flat, value.costly);
    case 'row_vector':
      return lazyFlat(MATRIX, value.level, [one, value.sizes[0]], value.flat, value.costly);
    default: {
      // An array of rows; with no rows the number of columns is lost, as in Stan.
      return matrixOf(value.sizes[0], value.sizes[1], value, (i, j) => asReal(value.at(i, j)), value.costly);
    }
  }
}

export const CONTAINER_FUNCTIONS: readonly FunctionEntry[] = [
  row('rows', 'The number of rows.', ['(vector | row_vector | matrix) => int'], (_, [x]) =>
    scalar(rowsOf(containerOf(x)), 'data'),
  ),
  row('cols', 'The number of columns.', ['(vector | row_vector | matrix) => int'], (_, [x]) =>
    scalar(columnsOf(containerOf(x)), 'data'),
  ),
  row(
    'size',
    'The number of elements of the outermost container; 1 for a scalar.',
    [`(${CONTAINERS.join(' | ')}) => int`],
    (_, [x]) => scalar(x.kind === 'container' ? (x.type.kind === 'array' ? x.sizes[0] : length(x)) : one, 'data'),
  ),
  row(
    'num_elements',
    'The number of scalars in a container.',
    [
      '(vector | row_vector | matrix) => int',
      `(${CONTAINERS.map((c) => c.replace('[N]', '[N+1]')).join(' | ')}) => int where N = 0..8`,
    ],
    (_, [x]) => scalar(length(containerOf(x)), 'data'),
  ),
  row('dims', 'All sizes.', [`(${CONTAINERS.join(' | ')}) => array[] int where N = 0..8`], (b, [x]) => {
    const sizes = x.kind === 'container' ? dimensionsOf(x) : [];
    const out = b.allocate('int', [int(sizes.length)], 'dims');
    for (const [k, s] of sizes.entries()) b.store(out, int(k), s);
    return container(arrayOf(INT), 'data', out);
  }),
  row('rep_vector', 'A vector of n equal values.', ['(real, int) => vector'], (b, args, call) =>
    repeated(b, 'rep_vector', args, call, ['n']),
  ),
  row('rep_row_vector', 'A row vector of n equal values.', ['(real, int) => row_vector'], (b, args, call) =>
    repeated(b, 'rep_row_vector', args, call, ['n']),
  ),
  row(
    'rep_matrix',
    'A matrix of equal values, rows or columns.',
    ['(real, int, int) => matrix', '(vector | row_vector, int) => matrix'],
    (b, args) => repeatMatrix(b, args),
  ),
  row(
    'rep_array',
    'An array of equal values.',
    [1, 2, 3].map(
      (extra) =>
        `(array[N] T${', int'.repeat(extra)}) => array[N+${extra}] T where T = int | real | vector | row_vector | matrix; N = 0..2`,
    ),
    (b, args, call) =>
      repeated(
        b,
        'rep_array',
        args,
        call,
        args.length === 2 ? ['n'] : args.length === 3 ? ['rows', 'cols'] : ['shelfs', 'rows', 'cols'],
      ),
  ),
  row(
    'append_row',
    'One above the other.',
    [
      '(matrix | row_vector, matrix | row_vector) => matrix',
      '(vector | real, vector) => vector',
      '(vector, real) => vector',
    ],
    appendRows,
  ),
  row(
    'append_col',
    'Side by side.',
    [
      '(matrix | vector, matrix | vector) => matrix',
      '(row_vector | real, row_vector) => row_vector',
      '(row_vector, real) => row_vector',
    ],
    appendColumns,
  ),
  row(
    'append_array',
    'Two arrays, one after the other.',
    ['(array[N] T, array[N] T) => array[N] T where T = int | real | vector | row_vector | matrix; N = 1..7'],
    appendArrays,
  ),
  row(
    'to_vector',
    'The elements as a vector, matrices by column.',
    ['(vector | row_vector | matrix | array[] int | array[] real) => vector'],
    (_, [x]) => flattened(VECTOR, x),
  ),
  row(
    'to_row_vector',
    'The elements as a row vector, matrices by column.',
    ['(vector | row_vector | matrix | array[] int | array[] real) => row_vector'],
    (_, [x]) => flattened(ROW_VECTOR, x),
  ),
  row(
    'to_array_1d',
    'The elements as an array, matrices by column, nested arrays by row.',
    ['(vector | row_vector | matrix) => array[] real', '(array[N] T) => array[] T where T = int | real; N = 1..9'],
    (_, [x], call) => flattened(call.result, x),
  ),
  row('to_array_2d', 'The rows of a matrix as arrays.', ['(matrix) => array[,] real'], (_, [x]) => {
    const m = containerOf(x);
    return lazyAt(arrayOf(REAL, 2), x.level, m.sizes, (i, j) => m.at(i, j), m.costly);
  }),
  row(
    'to_matrix',
    'A matrix of the elements.',
    [
      '(vector | row_vector | matrix | array[] row_vector | array[,] int | array[,] real) => matrix',
      '(vector | row_vector | matrix | array[] int | array[] real, int, int) => matrix',
      '(vector | row_vector | matrix | array[] int | array[] real, int, int, int) => matrix',
    ],
    toMatrix,
  ),
  row(
    'transpose',
    'Rows become columns.',
    ['(vector) => row_vector', '(row_vector) => vector', '(matrix) => matrix'],
    (_, [x], call) => transposed(containerOf(x), call.result),
  ),
  row('diagonal', 'The diagonal of a matrix.', ['(matrix) => vector'], (_, [x]) => {
    const m = containerOf(x);
    const [rows, columns] = m.sizes;
    return vectorOf(select(compare('lt', rows, columns), rows, columns), x, (i) => m.at(i, i), m.costly);
  }),
  row('diag_matrix', 'The matrix with a diagonal and zeros beside it.', ['(vector) => matrix'], (b, [x]) => {
    const v = reusable(b, x);
    return matrixOf(v.sizes[0], v.sizes[0], x, (i, j) => select(compare('eq', i, j), v.at(i), real(0)));
  }),
  row(
    'add_diag',
    'A matrix with something added to its diagonal.',
    ['(matrix, real | vector | row_vector) => matrix'],
    (b, [matrix, diagonal]) => {
      const m = containerOf(matrix);
      const [rows, columns] = m.sizes;
      const level = levelOf([matrix, diagonal]);
      if (diagonal.kind === 'container') {
        const n = select(compare('lt', rows, columns), rows, columns);
        b.check(
          compare('eq', length(diagonal), n),
          `add_diag: number of elements of to_add has dimension = {0}, expecting dimension = {1}${INCONSISTENT}`,
          [length(diagonal), n],
          'error',
        );
      }
      const out = b.materialize({ ...m, level, ref: null }, 'with_diagonal');
      const n = b.bind(select(compare('lt', rows, columns), rows, columns));
      b.each(n, (i) => {
        const place = add(mul(i, rows), i);
        const term = diagonal.kind === 'container' ? diagonal.flat(i) : scalarOf(diagonal);
        b.store(out.ref, place, add(load(out.ref, place), toReal(term)));
      });
      return out;
    },
  ),
  row(
    'head',
    'The first n elements.',
    [
      '(vector, int) => vector',
      '(row_vector, int) => row_vector',
      `(array[N] T, int) => array[N] T where T = int | real | vector | row_vector | matrix; N = 1..3`,
    ],
    (b, args) => headTailSegment(b, 'head', args),
  ),
  row(
    'tail',
    'The last n elements.',
    [
      '(vector, int) => vector',
      '(row_vector, int) => row_vector',
      `(array[N] T, int) => array[N] T where T = int | real | vector | row_vector | matrix; N = 1..3`,
    ],
    (b, args) => headTailSegment(b, 'tail', args),
  ),
  row(
    'segment',
    'n elements from a position.',
    [
      '(vector, int, int) => vector',
      '(row_vector, int, int) => row_vector',
      `(array[N] T, int, int) => array[N] T where T = int | real | vector | row_vector | matrix; N = 1..3`,
    ],
    (b, args) => headTailSegment(b, 'segment', args),
  ),
  row(
    'reverse',
    'The elements from last to first.',
    [
      '(vector) => vector',
      '(row_vector) => row_vector',
      '(array[N] T) => array[N] T where T = int | real | vector | row_vector | matrix; N = 1..7',
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
  row('block', 'A rectangle of a matrix.', ['(matrix, int, int, int, int) => matrix'], (b, [x, ...numbers]) => {
    const m = containerOf(x);
    const [i, j, rows, columns] = numbers.map((arg) => b.bind(scalarOf(arg)));
    checkRange(b, 'block', i, m.sizes[0], ' for rows of i');
    checkRange(b, 'block', sub(add(i, rows), one), m.sizes[0], ' for rows of i+nrows-1');
    checkRange(b, 'block', j, m.sizes[1], ' for columns of j');
    checkRange(b, 'block', sub(add(j, columns), one), m.sizes[1], ' for columns of j+ncols-1');
    return matrixOf(rows, columns, x, (r, c) => m.at(add(sub(i, one), r), add(sub(j, one), c)), m.costly);
  }),
  row('sub_col', 'Part of a column.', ['(matrix, int, int, int) => vector'], (b, [x, ...numbers]) => {
    const m = containerOf(x);
    const [i, j, rows] = numbers.map((arg) => b.bind(scalarOf(arg)));
    checkRange(b, 'sub_col', i, m.sizes[0], ' for rows of i');
    b.if(compare('gt', rows, zero), () =>
      checkRange(b, 'sub_col', sub(add(i, rows), one), m.sizes[0], ' for rows of i+nrows-1'),
    );
    checkRange(b, 'sub_col', j, m.sizes[1], ' for columns of j');
    return vectorOf(rows, x, (r) => m.at(add(sub(i, one), r), sub(j, one)), m.costly);
  }),
  row('sub_row', 'Part of a row.', ['(matrix, int, int, int) => row_vector'], (b, [x, ...numbers]) => {
    const m = containerOf(x);
    const [i, j, columns] = numbers.map((arg) => b.bind(scalarOf(arg)));
    checkRange(b, 'sub_col', i, m.sizes[0], ' for rows of i');
    checkRange(b, 'sub_col', j, m.sizes[1], ' for columns of j');
    b.if(compare('gt', columns, zero), () =>
      checkRange(b, 'sub_col', sub(add(j, columns), one), m.sizes[1], ' for columns of j+ncols-1'),
    );
    return rowVectorOf(columns, x, (c) => m.at(sub(i, one), add(sub(j, one), c)), m.costly);
  }),
  row('symmetrize_from_lower_tri', 'The symmetric matrix with a lower triangle.', ['(matrix) => matrix'], (b, [x]) => {
    const m = reusable(b, x);
    checkSquare(b, 'symmetrize_from_lower_tri', 'm', m);
    return matrixOf(m.sizes[0], m.sizes[0], x, (i, j) =>
      m.at(select(compare('lt', i, j), j, i), select(compare('lt', i, j), i, j)),
    );
  }),
  linspaced('linspaced_vector', VECTOR),
  linspaced('linspaced_row_vector', ROW_VECTOR),
  linspaced('linspaced_array', arrayOf(REAL)),
  row(
    'linspaced_int_array',
    'n evenly spaced integers.',
    ['(data int, data int, data int) => array[] int'],
    (b, args) => {
      const [n, low, high] = args.map((arg) => b.bind(scalarOf(arg)));
      checkNonNegative(b, 'linspaced_int_array', 'size', n);
      b.check(
        compare('ge', high, low),
        'linspaced_int_array: high is {0}, but must be greater than or equal to {1:f}',
        [high, toReal(low)],
        'error',
      );
      const gaps = b.bind(maxInt(sub(n, one), one));
      const range = b.bind(sub(high, low));
      // Like Stan: the range is cut to a multiple of the gaps, or values repeat where there are fewer numbers than places.
      const step = b.bind(apply('div_int', 'int', range, gaps));
      const places = b.bind(add(range, one));
      const share = b.bind(maxInt(apply('div_int', 'int', n, maxInt(places, one)), one));
      return lazyFlat(arrayOf(INT), 'data', [n], (i) =>
        select(
          compare('eq', n, one),
          high,
          select(compare('ge', range, gaps), add(low, mul(i, step)), add(low, apply('div_int', 'int', i, share))),
        ),
      );
    },
  ),
  row('identity_matrix', 'The identity matrix.', ['(int) => matrix'], (b, [size]) => {
    const n = b.bind(scalarOf(size), 'n');
    checkNonNegative(b, 'identity_matrix', 'size', n);
    return matrixOf(n, n, size, (i, j) => select(compare('eq', i, j), real(1), real(0)));
  }),
  row('uniform_simplex', 'The simplex of equal parts.', ['(int) => vector'], (b, [size]) => {
    const n = b.bind(scalarOf(size), 'n');
    b.check(compare('gt', n, zero), 'uniform_simplex: size is {0}, but must be positive!', [n], 'error');
    const part = b.bind(div(real(1), n));
    return vectorOf(n, size, () => part);
  }),
  filled('zeros_vector', VECTOR, real(0)),
  filled('zeros_row_vector', ROW_VECTOR, real(0)),
  filled('zeros_array', arrayOf(REAL), real(0)),
  filled('zeros_int_array', arrayOf(INT), int(0)),
  filled('ones_vector', VECTOR, real(1)),
  filled('ones_row_vector', ROW_VECTOR, real(1)),
  filled('ones_array', arrayOf(REAL), real(1)),
  filled('ones_int_array', arrayOf(INT), int(1)),
  oneHot('one_hot_vector', VECTOR, real(1), real(0)),
  oneHot('one_hot_row_vector', ROW_VECTOR, real(1), real(0)),
  oneHot('one_hot_array', arrayOf(REAL), real(1), real(0)),
  oneHot('one_hot_int_array', arrayOf(INT), int(1), int(0)),
];

/** A vector keeps its memory; a matrix is read with exchanged indexes. */
export function transposed(value: ContainerValue, type: Type): ContainerValue {
  if (value.type.kind === 'matrix') {
    return lazyAt(MATRIX, value.level, [value.sizes[1], value.sizes[0]], (i, j) => value.at(j, i), value.costly);
  }
  return { ...value, type };
}
