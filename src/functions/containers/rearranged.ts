import { type Builder, container, lazyAt, lazyFlat, levelOf } from '../../ir/builder.js';
import { add, compare, int, load, mul, real, select, toReal } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { arrayOf, MATRIX, REAL, ROW_VECTOR, type Type, unwindArray, VECTOR } from '../../language/types.js';
import { containerOf, scalarOf } from '../broadcast.js';
import type { FunctionEntry } from '../entry.js';
import { rowsOf as family } from '../row.js';
import { checkCount, checkMatch, checkNonNegative, checkSquare, length, matrixOf, reusable } from '../shapes.js';

const row = family('containers');
const one = int(1);
const zero = int(0);

const INCONSISTENT =
  '; a function was called with arguments of different scalar, array, vector, or matrix types, and they were not consistently sized;  all arguments must be scalars or multidimensional values of the same shape.';

/** The elements of a container in the order of Stan's conversions: matrices column-major, nested arrays row-major. */
function flattened(type: Type, value: Value): ContainerValue {
  const c = containerOf(value);
  const isInt = unwindArray(c.type).element.kind === 'int' && unwindArray(type).element.kind !== 'int';
  const flat = (i: Expr): Expr => (isInt ? toReal(c.flat(i)) : c.flat(i));
  if (c.ref !== null && !isInt && c.sizes.length === 1) return { ...container(type, c.level, c.ref), flat, at: flat };
  return lazyFlat(type, c.level, [length(c)], flat, c.costly);
}

function toMatrix(builder: Builder, args: readonly Value[]): Value {
  const value = containerOf(args[0]);
  const [, rowsArg, columnsArg, columnMajor] = args;
  const asReal = (e: Expr): Expr => toReal(e);
  if (rowsArg !== undefined && columnsArg !== undefined) {
    const rows = builder.bind(scalarOf(rowsArg), 'rows');
    const columns = builder.bind(scalarOf(columnsArg), 'columns');
    const source = value.type.kind === 'array' ? 'array' : 'matrix';
    const name = `to_matrix(${source})`;
    checkCount(builder, name, [rows, columns]);
    checkMatch(builder, name, 'rows * columns', mul(rows, columns), 'vector size', length(value));
    // Rejects two negative sizes, whose product may be right.
    checkNonNegative(builder, name, 'rows', rows);
    checkNonNegative(builder, name, 'columns', columns);
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
      // Vectors become columns, all other elements rows. An empty array becomes a 0 × 0 matrix, as in Stan.
      const [many, given] = value.sizes;
      const size = select(compare('eq', many, zero), zero, given);
      if (unwindArray(value.type).element.kind === 'vector') {
        return matrixOf(size, many, value, (i, j) => value.at(j, i), value.costly);
      }
      return matrixOf(many, size, value, (i, j) => asReal(value.at(i, j)), value.costly);
    }
  }
}

/** The transpose: a vector keeps its memory; a matrix is read with swapped indexes. */
export function transposed(value: ContainerValue, type: Type): ContainerValue {
  if (value.type.kind === 'matrix') {
    return lazyAt(MATRIX, value.level, [value.sizes[1], value.sizes[0]], (i, j) => value.at(j, i), value.costly);
  }
  return { ...value, type };
}

export const REARRANGED: readonly FunctionEntry[] = [
  row(
    'to_vector',
    'The elements as a vector, matrices by column.',
    ['(matrices | array[] int | array[] real) => vector'],
    (_, [x]) => flattened(VECTOR, x),
  ),
  row(
    'to_row_vector',
    'The elements as a row vector, matrices by column.',
    ['(matrices | array[] int | array[] real) => row_vector'],
    (_, [x]) => flattened(ROW_VECTOR, x),
  ),
  row(
    'to_array_1d',
    'The elements as an array, matrices by column, nested arrays by row.',
    ['(matrices) => array[] real', '(array[N] T) => array[] T where T = int | real; N = 1..9'],
    (_, [x], call) => flattened(call.result, x),
  ),
  row('to_vector_array', 'The columns of a matrix.', ['(matrix) => array[] vector'], (_, [x], call) => {
    const m = containerOf(x);
    return lazyAt(call.result, x.level, [m.sizes[1], m.sizes[0]], (j, i) => m.at(i, j), m.costly);
  }),
  row('to_row_vector_array', 'The rows of a matrix.', ['(matrix) => array[] row_vector'], (_, [x], call) => {
    const m = containerOf(x);
    return lazyAt(call.result, x.level, m.sizes, (i, j) => m.at(i, j), m.costly);
  }),
  row('to_array_2d', 'The rows of a matrix as arrays.', ['(matrix) => array[,] real'], (_, [x]) => {
    const m = containerOf(x);
    return lazyAt(arrayOf(REAL, 2), x.level, m.sizes, (i, j) => m.at(i, j), m.costly);
  }),
  row(
    'to_matrix',
    'A matrix of the elements.',
    [
      '(matrices | array[] vector | array[] row_vector | array[,] int | array[,] real) => matrix',
      '(matrices | array[] int | array[] real, int, int) => matrix',
      '(matrices | array[] int | array[] real, int, int, int) => matrix',
    ],
    toMatrix,
  ),
  row(
    'transpose',
    'The transpose.',
    ['(vector) => row_vector', '(row_vector) => vector', '(matrix) => matrix'],
    (_, [x], call) => transposed(containerOf(x), call.result),
  ),
  row('diag_matrix', 'The diagonal matrix with the given diagonal.', ['(vector) => matrix'], (b, [x]) => {
    const v = reusable(b, x);
    checkCount(b, 'diag_matrix', [v.sizes[0], v.sizes[0]]);
    return matrixOf(v.sizes[0], v.sizes[0], x, (i, j) => select(compare('eq', i, j), v.at(i), real(0)));
  }),
  row(
    'add_diag',
    'A matrix with a value or vector added to its diagonal.',
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
    'symmetrize_from_lower_tri',
    'The symmetric matrix with the given lower triangle.',
    ['(matrix) => matrix'],
    (b, [x]) => {
      const m = reusable(b, x);
      checkSquare(b, 'symmetrize_from_lower_tri', 'm', m);
      return matrixOf(m.sizes[0], m.sizes[0], x, (i, j) =>
        m.at(select(compare('lt', i, j), j, i), select(compare('lt', i, j), i, j)),
      );
    },
  ),
];
