import type { Builder } from '../ir/builder.js';
import { container, levelOf, scalar } from '../ir/builder.js';
import {
  abs,
  add,
  call2,
  compare,
  div,
  get,
  int,
  load,
  mul,
  real,
  select,
  sqrt,
  square,
  sub,
  toReal,
} from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import type { AutodiffLevel } from '../language/types.js';
import { accumulate, extreme, isInt, logSumExpOf } from './accumulations.js';
import { binaryMismatch, checkSameSizes, containerOf, elementwise, type SizeMismatch, scalarOf } from './broadcast.js';
import type { FunctionEntry } from './entry.js';
import { quantile, sorting } from './order-statistics.js';
import { rowsOf as family } from './row.js';
import {
  checkMatch,
  checkNotEmpty,
  checkRange,
  columnsOf,
  entry,
  length,
  reusable,
  rowsOf,
  rowVectorOf,
  vectorOf,
} from './shapes.js';
import { BINARY } from './signatures.js';

const row = family('reductions');

const REALS = 'array[] real | matrices';
const VECTORS = 'vector | row_vector';

function sumOf(builder: Builder, value: ContainerValue): Expr {
  return accumulate(builder, value.type.kind === 'array' && isInt(value) ? int(0) : real(0), value, add);
}

function meanOf(builder: Builder, value: ContainerValue): Expr {
  return div(sumOf(builder, value), length(value));
}

/** The sum of squared deviations from the mean over n - 1; 0 for a single value. */
function varianceOf(builder: Builder, value: ContainerValue): Expr {
  const n = length(value);
  const mean = builder.bind(meanOf(builder, value), 'mean');
  const squares = accumulate(builder, real(0), value, (total, x) => add(total, square(sub(x, mean))));
  return select(
    compare('gt', n, int(1)),
    div(squares, select(compare('gt', n, int(1)), sub(n, int(1)), int(1))),
    real(0),
  );
}

/** The inner product of two vectors of the same length. */
function inner(builder: Builder, a: ContainerValue, b: ContainerValue): Expr {
  return builder.sum(length(a), (i) => mul(a.flat(i), b.flat(i)));
}

function dotProduct(builder: Builder, name: string, args: readonly Value[], labels: readonly [string, string]): Expr {
  const a = containerOf(args[0]);
  const b = containerOf(args[1]);
  checkMatch(builder, name, `size of ${labels[0]}`, length(a), `size of ${labels[1]}`, length(b));
  return inner(builder, a, b);
}

function squaredDistance(
  builder: Builder,
  name: string,
  args: readonly Value[],
  labels: readonly [string, string],
): Expr {
  const a = containerOf(args[0]);
  const b = containerOf(args[1]);
  checkMatch(builder, name, `size of ${labels[0]}`, length(a), `size of ${labels[1]}`, length(b));
  return builder.sum(length(a), (i) => square(sub(a.flat(i), b.flat(i))));
}

function overColumns(of: (builder: Builder, total: Expr, a: (i: Expr) => Expr, b: (i: Expr) => Expr) => Expr) {
  return (builder: Builder, a: ContainerValue, b: ContainerValue): ContainerValue => {
    const rows = rowsOf(a);
    const columns = columnsOf(a);
    const out = builder.allocate('real', [columns], 'columns');
    builder.each(columns, (j) =>
      builder.store(
        out,
        j,
        of(
          builder,
          rows,
          (i) => entry(a, i, j),
          (i) => entry(b, i, j),
        ),
      ),
    );
    return rowVectorOf(columns, { ...a, level: levelOf([a, b]) }, (j) => load(out, j));
  };
}

function overRows(of: (builder: Builder, total: Expr, a: (i: Expr) => Expr, b: (i: Expr) => Expr) => Expr) {
  return (builder: Builder, a: ContainerValue, b: ContainerValue): ContainerValue => {
    const rows = rowsOf(a);
    const columns = columnsOf(a);
    const out = builder.allocate('real', [rows], 'rows');
    builder.each(rows, (i) =>
      builder.store(
        out,
        i,
        of(
          builder,
          columns,
          (j) => entry(a, i, j),
          (j) => entry(b, i, j),
        ),
      ),
    );
    return vectorOf(rows, { ...a, level: levelOf([a, b]) }, (i) => load(out, i));
  };
}

const product = (builder: Builder, total: Expr, a: (i: Expr) => Expr, b: (i: Expr) => Expr): Expr =>
  builder.sum(total, (i) => mul(a(i), b(i)));

/** The size error for columns. With parameters, Stan compares pairs of columns, but reports the sizes of both matrices. */
function columnsMismatch(level: AutodiffLevel): SizeMismatch {
  if (level === 'data') return binaryMismatch('columns_dot_product', 'v1', 'v2');
  return (x, y) => ({
    template: 'dot_product: size of v1 ({0}) and size of v2 ({1}) must match in size',
    values: [length(x), length(y)],
  });
}

const PAIRS = [
  '(vector, vector) => result',
  '(row_vector, row_vector) => result',
  '(matrix, matrix) => result',
] as const;

function pairs(result: string): string[] {
  return PAIRS.map((pattern) => pattern.replace('result', result));
}

function singles(result: string): string[] {
  return [`(matrices) => ${result}`];
}

export const REDUCTIONS: readonly FunctionEntry[] = [
  row('sum', 'The sum of all elements; 0 if empty.', ['(array[] int) => int', `(${REALS}) => real`], (b, [x]) =>
    scalar(sumOf(b, containerOf(x)), x.level),
  ),
  row('prod', 'The product of all elements; 1 if empty.', ['(array[] int) => int', `(${REALS}) => real`], (b, [x]) => {
    const value = containerOf(x);
    return scalar(accumulate(b, isInt(value) ? int(1) : real(1), value, mul), x.level);
  }),
  row('mean', { computes: 'The arithmetic mean.', domain: 'not empty' }, [`(${REALS}) => real`], (b, [x]) => {
    checkNotEmpty(b, 'mean', 'm', length(containerOf(x)));
    return scalar(meanOf(b, containerOf(x)), x.level);
  }),
  row(
    'variance',
    { computes: 'The sample variance, over n - 1.', domain: 'not empty' },
    [`(${REALS}) => real`],
    (b, [x]) => {
      const value = reusable(b, x);
      checkNotEmpty(b, 'variance', 'm', length(value));
      return scalar(varianceOf(b, value), x.level);
    },
  ),
  row('sd', { computes: 'The sample standard deviation.', domain: 'not empty' }, [`(${REALS}) => real`], (b, [x]) => {
    const value = reusable(b, x);
    checkNotEmpty(b, 'sd', 'x', length(value));
    const variance = b.bind(varianceOf(b, value), 'variance');
    const deviates = compare('gt', variance, real(0));
    // The derivative at zero deviation is 1/sqrt(n) of one element's in Stan; away from it this is sqrt.
    return scalar(select(deviates, sqrt(select(deviates, variance, real(1))), sqrt(variance)), x.level);
  }),
  row(
    'min',
    'The smallest element; infinity if empty.',
    ['(array[] int) => int', '(int, int) => int', `(${REALS}) => real`],
    (b, args) => extremeCall(b, 'min', args),
  ),
  row(
    'max',
    'The largest element; negative infinity if empty.',
    ['(array[] int) => int', '(int, int) => int', `(${REALS}) => real`],
    (b, args) => extremeCall(b, 'max', args),
  ),
  row(
    'dot_product',
    'The inner product of two vectors.',
    [`(${VECTORS}, ${VECTORS}) => real`, '(array[] real, array[] real) => real'],
    (b, args) => scalar(dotProduct(b, 'dot_product', args, ['v1', 'v2']), levelOf(args)),
  ),
  row('dot_self', 'The inner product of a vector with itself.', [`(${VECTORS}) => real`], (b, [x]) => {
    const value = reusable(b, x);
    return scalar(
      b.sum(length(value), (i) => square(value.flat(i))),
      x.level,
    );
  }),
  row(
    'squared_distance',
    'The squared Euclidean distance of two vectors.',
    [`(${VECTORS}, ${VECTORS}) => real`, '(real, real) => real'],
    (b, args) =>
      args[0].kind === 'scalar'
        ? scalar(square(b.bind(sub(toReal(scalarOf(args[0])), scalarOf(args[1])))), levelOf(args))
        : scalar(squaredDistance(b, 'squared_distance', args, ['v1', 'v2']), levelOf(args)),
  ),
  row('distance', 'The Euclidean distance of two vectors.', [`(${VECTORS}, ${VECTORS}) => real`], (b, args) =>
    scalar(sqrt(squaredDistance(b, 'distance', args, ['x1', 'x2'])), levelOf(args)),
  ),
  row('norm1', 'The sum of absolute values.', [`(array[] real | ${VECTORS}) => real`], (b, [x]) => {
    const value = containerOf(x);
    return scalar(
      b.sum(length(value), (i) => abs(value.flat(i))),
      x.level,
    );
  }),
  row('norm2', 'The Euclidean length.', [`(array[] real | ${VECTORS}) => real`], (b, [x]) => {
    const value = reusable(b, x);
    return scalar(sqrt(b.sum(length(value), (i) => square(value.flat(i)))), x.level);
  }),
  row(
    'log_sum_exp',
    'The logarithm of the sum of the exponentials: of all elements, or of two arguments element by element.',
    ['(array[] real | matrices) => real', ...BINARY],
    (b, args, call) =>
      args.length === 1
        ? scalar(logSumExpOf(b, args[0]), args[0].level)
        : elementwise(b, call.result, args, (x, y) => call2('log_sum_exp', x, y), { costly: true }),
  ),
  row(
    'cumulative_sum',
    'The cumulative sums of the elements.',
    [
      '(array[] int) => array[] int',
      '(array[] real) => array[] real',
      '(vector) => vector',
      '(row_vector) => row_vector',
    ],
    (b, [x], call) => {
      const value = containerOf(x);
      const out = b.allocate(isInt(value) ? 'int' : 'real', value.sizes, 'sums');
      const total = b.newLocal(isInt(value) ? 'int' : 'real', 'total');
      b.assign(total, isInt(value) ? int(0) : real(0));
      b.each(length(value), (i) => {
        b.assign(total, add(get(total), value.flat(i)));
        b.store(out, i, get(total));
      });
      return container(call.result, x.level, out);
    },
  ),
  row('columns_dot_product', 'Inner products of the columns.', pairs('row_vector'), (b, args) => {
    const [x, y] = args.map(containerOf);
    checkSameSizes(b, x, y, columnsMismatch(levelOf(args)));
    return overColumns(product)(b, x, y);
  }),
  row('rows_dot_product', 'Inner products of the rows.', pairs('vector'), (b, args) => {
    const [x, y] = args.map(containerOf);
    checkSameSizes(b, x, y, binaryMismatch('rows_dot_product', 'v1', 'v2'));
    return overRows(product)(b, x, y);
  }),
  row('columns_dot_self', 'Squared lengths of the columns.', singles('row_vector'), (b, [x]) => {
    const value = reusable(b, x);
    return overColumns(product)(b, value, value);
  }),
  row('rows_dot_self', 'Squared lengths of the rows.', singles('vector'), (b, [x]) => {
    const value = reusable(b, x);
    return overRows(product)(b, value, value);
  }),
  row('trace', 'The sum of the diagonal.', ['(matrix) => real'], (b, [x]) => {
    const value = containerOf(x);
    const n = select(compare('lt', value.sizes[0], value.sizes[1]), value.sizes[0], value.sizes[1]);
    return scalar(
      b.sum(n, (i) => value.at(i, i)),
      x.level,
    );
  }),
  row(
    'quantile',
    'Sample quantiles, by linear interpolation between order statistics.',
    [
      '(data array[] real | vector | row_vector, data real) => real',
      '(data array[] real | vector | row_vector, data array[] real) => array[] real',
    ],
    quantile,
  ),
  sorting('sort_asc', 'ascending', false),
  sorting('sort_desc', 'descending', false),
  sorting('sort_indices_asc', 'ascending', true),
  sorting('sort_indices_desc', 'descending', true),
  row(
    'rank',
    'The number of elements that are smaller than the element at a position.',
    ['(array[] int | array[] real | vector | row_vector, int) => int'],
    (b, [x, position]) => {
      const value = reusable(b, x);
      const n = length(value);
      const s = scalarOf(position);
      checkRange(b, 'rank', s, n);
      const pivot = b.bind(value.flat(sub(s, int(1))), 'pivot');
      const total = b.newLocal('int', 'rank');
      b.assign(total, int(0));
      b.each(n, (i) => b.assign(total, add(get(total), compare('lt', value.flat(i), pivot))));
      return scalar(get(total), 'data');
    },
  ),
];

function extremeCall(builder: Builder, name: 'min' | 'max', args: readonly Value[]): Value {
  const better = name === 'min' ? 'lt' : 'gt';
  if (args.length === 2) {
    const [a, b] = args.map((arg) => builder.bind(scalarOf(arg)));
    return scalar(select(compare(better, a, b), a, b), 'data');
  }
  const value = reusable(builder, args[0]);
  if (isInt(value)) {
    checkNotEmpty(builder, name, 'int vector', length(value));
    return scalar(extreme(builder, value, better, value.flat(int(0))), 'data');
  }
  const start = name === 'min' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  return scalar(extreme(builder, value, better, real(start)), args[0].level);
}
