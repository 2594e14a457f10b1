import { type Builder, lazyAt, lazyFlat } from '../../ir/builder.js';
import {
  add,
  and,
  apply,
  compare,
  div,
  int,
  maxInt,
  mul,
  or,
  real,
  select,
  sub,
  toReal,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { arrayOf, INT, MATRIX, REAL, ROW_VECTOR, type Type, unwindArray, VECTOR } from '../../language/types.js';
import { scalarOf } from '../broadcast.js';
import type { Call, FunctionEntry } from '../entry.js';
import { rowsOf as family } from '../row.js';
import { checkCount, checkNonNegative, matrixOf, reusable, vectorOf } from '../shapes.js';

const row = family('containers');
const one = int(1);
const zero = int(0);

/** Repeats `args[0]` over new leading axes. */
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
  checkCount(builder, name, [...sizes, ...(value.kind === 'container' ? value.sizes : [])]);
  if (value.kind === 'scalar') {
    const once =
      unwindArray(call.result).element.kind === 'int' ? builder.bind(value.value) : builder.bind(toReal(value.value));
    return lazyFlat(call.result, value.level, sizes, () => once);
  }
  const item = reusable(builder, value);
  return lazyAt(call.result, value.level, [...sizes, ...item.sizes], (...indexes) =>
    item.at(...indexes.slice(sizes.length)),
  );
}

function repeatMatrix(builder: Builder, args: readonly Value[]): Value {
  const [value, ...counts] = args;
  const sizes = counts.map((arg) => builder.bind(scalarOf(arg), 'n'));
  if (value.kind === 'scalar') {
    checkNonNegative(builder, 'rep_matrix', 'rows', sizes[0]);
    checkNonNegative(builder, 'rep_matrix', 'cols', sizes[1]);
    checkCount(builder, 'rep_matrix', sizes);
    const once = builder.bind(toReal(value.value));
    return lazyFlat(MATRIX, value.level, sizes, () => once);
  }
  const item = reusable(builder, value);
  if (item.type.kind === 'row_vector') {
    checkNonNegative(builder, 'rep_matrix', 'rows', sizes[0]);
    checkCount(builder, 'rep_matrix', [sizes[0], item.sizes[0]]);
    return matrixOf(sizes[0], item.sizes[0], value, (_, j) => item.at(j));
  }
  checkNonNegative(builder, 'rep_matrix', 'cols', sizes[0]);
  checkCount(builder, 'rep_matrix', [item.sizes[0], sizes[0]]);
  return matrixOf(item.sizes[0], sizes[0], value, (i) => item.at(i));
}

/** Evenly spaced values. A single value is the upper end. */
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
  return row(name, `A container of n ${name.split('_')[0]}.`, [`(int) => ${type}`], (b, [size]) => {
    const n = b.bind(scalarOf(size), 'n');
    checkNonNegative(b, name, 'size', n);
    return lazyFlat(result, 'data', [n], () => value);
  });
}

function oneHot(name: string, result: Type, unit: Expr, nothing: Expr): FunctionEntry {
  const type = result.kind === 'array' ? `array[] ${result.element.kind}` : result.kind;
  return row(name, 'A container of zeros with a one at position k.', [`(int, int) => ${type}`], (b, args) => {
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

export const FILLED: readonly FunctionEntry[] = [
  row('rep_vector', 'A vector of n equal values.', ['(real, int) => vector'], (b, args, call) =>
    repeated(b, 'rep_vector', args, call, ['n']),
  ),
  row('rep_row_vector', 'A row vector of n equal values.', ['(real, int) => row_vector'], (b, args, call) =>
    repeated(b, 'rep_vector', args, call, ['n']),
  ),
  row(
    'rep_matrix',
    'A matrix with equal elements, rows or columns.',
    ['(real, int, int) => matrix', '(vector | row_vector, int) => matrix'],
    (b, args) => repeatMatrix(b, args),
  ),
  row(
    'rep_array',
    'An array of equal values.',
    [1, 2, 3].map(
      (extra) =>
        `(array[N] T${', int'.repeat(extra)}) => array[N+${extra}] T where T = int | real | matrices; N = 0..2`,
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
      b.check(
        or(compare('le', n, one), compare('ge', range, zero)),
        'linspaced_int_array: from {0} to {1} is more than the 2147483647 that there may be',
        [low, high],
        'error',
      );
      // As in Stan, the range is truncated to a multiple of the step, and values repeat if the range has fewer ints than elements.
      const step = b.bind(apply('div_int', 'int', range, gaps));
      const share = b.bind(apply('div_int', 'int', add(n, range), maxInt(add(range, one), one)));
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
    checkCount(b, 'identity_matrix', [n, n]);
    return matrixOf(n, n, size, (i, j) => select(compare('eq', i, j), real(1), real(0)));
  }),
  row('uniform_simplex', 'The simplex with equal elements.', ['(int) => vector'], (b, [size]) => {
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
