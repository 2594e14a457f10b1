import type { Builder } from '../../ir/builder.js';
import { levelOf, scalar } from '../../ir/builder.js';
import { composite } from '../../ir/composite.js';
import { add, mul, neg, sub } from '../../ir/exact.js';
import { and, compare, get, int, not, ONE, select, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { binaryMismatch, containerOf, elementwise } from '../broadcast.js';
import type { Call } from '../entry.js';
import { checkFactors } from '../linear-algebra/checks.js';
import { checkMatch, checkSquare, columnsOf, entry, matrixOf, reusable, rowVectorOf } from '../shapes.js';
import { type ComplexRow, complexRow, type RealBuild } from './extend.js';
import { bound, dataQuotient, quotient, times } from './numbers.js';
import { checkSameShapes, complexScalar, containersOf, elementwiseComplex, numberOf, partTypes } from './values.js';

const CONTAINERS = 'complex_matrices';
const SCALED = [`(complex, T) => T where T = ${CONTAINERS}`, `(T, complex) => T where T = ${CONTAINERS}`];
const NUMBERS = '(complex, complex) => complex';
const PAIRED = `(T, T) => T where T = ${CONTAINERS}`;

/** Both parts, computed once for repeated use. */
function parts(builder: Builder, value: Value): readonly [Value, Value] {
  if (value.kind === 'scalar' || value.type.kind === 'complex') {
    const { re, im } = numberOf(builder, value);
    return [scalar(re, value.level), scalar(im, value.level)];
  }
  const [re, im] = containersOf(value);
  return [reusable(builder, re), reusable(builder, im)];
}

/** A bilinear product, computed as four real products. `conjugates` conjugates the first argument. */
function bilinear(
  name: string,
  patterns: readonly string[],
  options: {
    readonly conjugates?: boolean;
    readonly check?: (builder: Builder, args: readonly Value[]) => void;
  } = {},
): ComplexRow {
  const { conjugates = false, check = () => {} } = options;
  return complexRow(name, patterns, (builder, args, call, product) => {
    check(builder, args);
    return productOf(builder, args, call, product, conjugates);
  });
}

/** Stan's message is the one for reals without parameters. */
function checkProduct(builder: Builder, args: readonly Value[]): void {
  if (args.some(({ type }) => type.kind === 'complex')) return;
  const [left, right] = args.map((arg) => containersOf(arg)[0]);
  checkFactors(builder, left, right);
}

function productOf(
  builder: Builder,
  args: readonly Value[],
  call: Call,
  product: RealBuild,
  conjugate: boolean,
): Value {
  const [x, y] = args.map((arg) => parts(builder, arg));
  const [result] = partTypes(call.result);
  const of = (i: 0 | 1, j: 0 | 1): Value => product(builder, [x[i], y[j]], { ...call, result });
  const both = (f: (a: Expr, b: Expr) => Expr, a: Value, b: Value): Value => elementwise(builder, result, [a, b], f);
  const re = both(conjugate ? add : sub, of(0, 0), of(1, 1));
  const im = both(conjugate ? sub : add, of(0, 1), of(1, 0));
  return composite(call.result, [re, im]);
}

/** A sum of |z|². */
function squares(name: string, patterns: readonly string[]): ComplexRow {
  return complexRow(name, patterns, (builder, [z], call, self) => {
    const [result] = partTypes(call.result);
    const [re, im] = containersOf(z).map((part) => self(builder, [part], { ...call, result }));
    const sum = elementwise(builder, result, [re, im], add);
    return composite(call.result, [sum, elementwise(builder, result, [sum], () => ZERO)]);
  });
}

function division(name: string, patterns: readonly string[]): ComplexRow {
  return complexRow(name, patterns, (builder, args, call) => {
    const formula = levelOf(args) === 'data' ? dataQuotient : quotient;
    return elementwiseComplex(builder, call.result, args, formula, binaryMismatch(name, 'm1', 'm2'));
  });
}

/** Whether two numbers are equal. */
function equal(builder: Builder, args: readonly Value[]): Expr {
  const [x, y] = args.map((arg) => numberOf(builder, arg));
  return and(compare('eq', x.re, y.re), compare('eq', x.im, y.im));
}

const pairsTo = (result: string): string[] => [`(T, T) => ${result} where T = ${CONTAINERS}`];
const singlesTo = (result: string): string[] => [`(${CONTAINERS}) => ${result}`];

export const COMPLEX_ARITHMETIC: readonly ComplexRow[] = [
  bilinear(
    'multiply',
    [
      NUMBERS,
      ...SCALED,
      '(complex_row_vector, complex_vector) => complex',
      '(complex_vector, complex_row_vector) => complex_matrix',
      '(complex_matrix, complex_vector) => complex_vector',
      '(complex_row_vector, complex_matrix) => complex_row_vector',
      '(complex_matrix, complex_matrix) => complex_matrix',
    ],
    { check: checkProduct },
  ),
  bilinear('elt_multiply', [NUMBERS, ...SCALED, PAIRED], {
    check: (b, args) => checkSameShapes(b, 'elt_multiply', args),
  }),
  bilinear('diag_pre_multiply', ['(complex_vector | complex_row_vector, complex_matrix) => complex_matrix']),
  bilinear('diag_post_multiply', ['(complex_matrix, complex_vector | complex_row_vector) => complex_matrix']),
  bilinear(
    'dot_product',
    [
      '(complex_vector | complex_row_vector, complex_vector | complex_row_vector) => complex',
      '(array[] complex, array[] complex) => complex',
    ],
    { conjugates: true },
  ),
  bilinear('columns_dot_product', pairsTo('complex_row_vector'), {
    check: (b, args) => checkSameShapes(b, 'columns_dot_product', args, ['v1', 'v2']),
  }),
  bilinear('rows_dot_product', pairsTo('complex_vector'), {
    check: (b, args) => checkSameShapes(b, 'rows_dot_product', args, ['v1', 'v2']),
  }),
  squares('dot_self', ['(complex_vector | complex_row_vector) => complex']),
  squares('columns_dot_self', singlesTo('complex_row_vector')),
  squares('rows_dot_self', singlesTo('complex_vector')),
  division('divide', [NUMBERS, ...SCALED]),
  division('elt_divide', [NUMBERS, ...SCALED, PAIRED]),

  complexRow('prod', [`(array[] complex | ${CONTAINERS}) => complex`], (builder, [z]) => {
    const [re, im] = containersOf(z).map((part) => reusable(builder, part));
    const total = { re: builder.newLocal('real', 're'), im: builder.newLocal('real', 'im') };
    builder.assign(total.re, ONE);
    builder.assign(total.im, ZERO);
    const product = { re: get(total.re), im: get(total.im) };
    builder.elements(re, (element, linear) => {
      const next = bound(builder, times(builder, bound(builder, product), { re: element, im: im.flat(linear) }));
      builder.assign(total.re, next.re);
      builder.assign(total.im, next.im);
    });
    return complexScalar(product, z.level);
  }),

  complexRow('logical_eq', ['(complex, complex | real) => int'], (builder, args) =>
    scalar(equal(builder, args), 'data'),
  ),
  complexRow('logical_neq', ['(complex, complex | real) => int'], (builder, args) =>
    scalar(not(equal(builder, args)), 'data'),
  ),

  complexRow(
    'mdivide_right',
    [
      '(complex_matrix, complex_matrix) => complex_matrix',
      '(complex_row_vector, complex_matrix) => complex_row_vector',
    ],
    (builder, args, call, solve) => {
      const [b, a] = args.map((arg) => containersOf(arg).map((part) => reusable(builder, part)));
      const [rows, n] = a[0].sizes;
      checkSquare(builder, 'mdivide_right', 'A', a[0]);
      checkMatch(builder, 'mdivide_right', 'Columns of b', columnsOf(b[0]), 'Rows of A', rows);
      const solution = containerOf(
        solve(builder, [besides(b, n), realForm(a, n)], { ...call, result: partTypes(call.result)[0] }),
      );
      const x = reusable(builder, solution);
      const part = (from: Expr): Value => columns(x, n, (i, j) => entry(x, i, add(from, j)));
      return composite(call.result, [part(int(0)), part(n)]);
    },
  ),
];

/** [Re B, Im B] */
function besides([re, im]: readonly ContainerValue[], n: Expr): ContainerValue {
  return columns({ ...re, level: levelOf([re, im]) }, mul(int(2), n), (i, j) =>
    within(
      j,
      n,
      (k) => entry(re, i, k),
      (k) => entry(im, i, k),
    ),
  );
}

/** X (P + iQ) = B is the real system [Re X, Im X] [[P, Q], [-Q, P]] = [Re B, Im B]. */
function realForm([re, im]: readonly ContainerValue[], n: Expr): ContainerValue {
  const whole = mul(int(2), n);
  const level = levelOf([re, im]);
  return matrixOf(whole, whole, { ...re, level }, (i, j) =>
    within(
      i,
      n,
      (k) =>
        within(
          j,
          n,
          (l) => re.at(k, l),
          (l) => im.at(k, l),
        ),
      (k) =>
        within(
          j,
          n,
          (l) => neg(im.at(k, l)),
          (l) => re.at(k, l),
        ),
    ),
  );
}

/**
 * The element at an index: `first` below n, `other` of the index minus n from n on. Both are evaluated, so their indexes are kept within
 * bounds.
 */
function within(index: Expr, n: Expr, first: (k: Expr) => Expr, other: (k: Expr) => Expr): Expr {
  const isFirst = compare('lt', index, n);
  const inside = select(isFirst, index, sub(index, n));
  return select(isFirst, first(inside), other(inside));
}

/** A row vector or matrix like `from` with this number of columns. */
function columns(from: ContainerValue, n: Expr, at: (i: Expr, j: Expr) => Expr): ContainerValue {
  return from.type.kind === 'matrix'
    ? matrixOf(from.sizes[0], n, from, at)
    : rowVectorOf(n, from, (j) => at(int(0), j));
}
