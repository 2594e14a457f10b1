import { type Builder, container, levelOf } from '../../ir/builder.js';
import { add, and, compare, int, mul, select } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { MATRIX, type Type, unwindArray } from '../../language/types.js';
import { containerOf } from '../broadcast.js';
import type { Call, FunctionEntry } from '../entry.js';
import { rowsOf as family } from '../row.js';
import { checkMatch, columnsOf, entry, joinedSize, length, rowsOf } from '../shapes.js';

const row = family('containers');
const one = int(1);
const zero = int(0);

/** Concatenates the arguments along the first axis. */
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

/** Joins columns. Memory is column-major, so the matrices are concatenated in memory. */
function appendColumns(builder: Builder, args: readonly Value[], call: Call): Value {
  const [a, b] = args;
  checkMatch(builder, 'append_col', 'rows of A', sideSize(a, rowsOf), 'rows of B', sideSize(b, rowsOf));
  const columns = joinedSize(builder, 'append_col', sideSize(a, columnsOf), sideSize(b, columnsOf));
  const sizes = call.result.kind === 'matrix' ? [sideSize(a, rowsOf), columns] : [columns];
  return appended(builder, call.result, args, sizes);
}

function appendRows(builder: Builder, args: readonly Value[], call: Call): Value {
  const [a, b] = args;
  checkMatch(builder, 'append_row', 'columns of A', sideSize(a, columnsOf), 'columns of B', sideSize(b, columnsOf));
  const rows = joinedSize(builder, 'append_row', sideSize(a, rowsOf), sideSize(b, rowsOf));
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
  const total = joinedSize(builder, 'append_array', a.sizes[0], b.sizes[0]);
  return appended(builder, call.result, args, [total, ...rest]);
}

export const JOINED: readonly FunctionEntry[] = [
  row(
    'append_row',
    'Vertical concatenation.',
    [
      '(matrix | row_vector, matrix | row_vector) => matrix',
      '(vector | real, vector) => vector',
      '(vector, real) => vector',
    ],
    appendRows,
  ),
  row(
    'append_col',
    'Horizontal concatenation.',
    [
      '(matrix | vector, matrix | vector) => matrix',
      '(row_vector | real, row_vector) => row_vector',
      '(row_vector, real) => row_vector',
    ],
    appendColumns,
  ),
  row(
    'append_array',
    'Concatenation of two arrays.',
    ['(array[N] T, array[N] T) => array[N] T where T = int | real | matrices; N = 1..7'],
    appendArrays,
  ),
];
