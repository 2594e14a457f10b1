import type { Builder } from '../ir/builder.js';
import { levelOf } from '../ir/builder.js';
import {
  add,
  and,
  call1,
  compare,
  div,
  exp,
  get,
  int,
  mul,
  ONE,
  real,
  select,
  sqrt,
  square,
  sub,
  toReal,
  ZERO,
} from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { MATRIX } from '../language/types.js';
import { bindOnce, containerOf, scalarOf } from './broadcast.js';
import type { FunctionEntry } from './entry.js';
import { rowsOf as family } from './row.js';
import { checkMatch, fresh, length, matrixOf, reusable, type Stored } from './shapes.js';

const row = family('covariance functions');

/** Points of a Gaussian process: an array of reals or of vectors. */
interface Points {
  readonly total: Expr;
  readonly dimension: Expr | null;
  readonly at: (point: Expr, axis: Expr) => Expr;
}

function pointsOf(builder: Builder, value: Value): Points {
  const x = reusable(builder, value);
  if (x.sizes.length === 1) return { total: x.sizes[0], dimension: null, at: (i) => x.at(i) };
  return { total: x.sizes[0], dimension: x.sizes[1], at: (i, k) => x.at(i, k) };
}

/** The function and the argument names in the error for points of different dimensions. */
type DimensionWords = readonly [name: string, first: string, other: string];

const SQUARED_DISTANCE: DimensionWords = ['squared_distance', 'size of v1', 'size of v2'];

/** Stops with an error if points of the two sets are compared and have different numbers of coordinates. */
function checkDimensions(builder: Builder, [name, x, y]: DimensionWords, first: Points, other: Points): void {
  if (first.dimension === null || other.dimension === null || first === other) return;
  const [a, b] = [first.dimension, other.dimension];
  const isCompared = and(compare('gt', first.total, int(0)), compare('gt', other.total, int(0)));
  builder.if(isCompared, () => checkMatch(builder, name, x, a, y, b));
}

/** The sum over the axes of a term of two points, as a matrix in memory. */
function overAxes(
  builder: Builder,
  level: Value,
  a: Points,
  b: Points,
  term: (x: Expr, y: Expr, axis: Expr) => Expr,
): Stored {
  const out = fresh(builder, MATRIX, [a.total, b.total], level, 'pairs');
  builder.each(b.total, (j) =>
    builder.each(a.total, (i) => {
      const place = add(mul(j, a.total), i);
      if (a.dimension === null) {
        builder.store(out.ref, place, term(a.at(i, int(0)), b.at(j, int(0)), int(0)));
        return;
      }
      const total = builder.newLocal('real', 'total');
      builder.assign(total, ZERO);
      builder.each(a.dimension, (k) => builder.assign(total, add(get(total), term(a.at(i, k), b.at(j, k), k))));
      builder.store(out.ref, place, get(total));
    }),
  );
  return out;
}

/**
 * The variance times a function of two points, which is 1 for equal points. For a single set of points, only the elements below the
 * diagonal are computed and then copied above it, unless computing them takes less time than the copy (`isCheap`).
 */
function covariance(
  builder: Builder,
  like: Value,
  first: Points,
  other: Points,
  variance: Expr,
  correlation: (i: Expr, j: Expr) => Expr,
  isCheap: boolean,
): ContainerValue {
  const at = (i: Expr, j: Expr): Expr => mul(variance, correlation(i, j));
  const { total } = first;
  if (isCheap || other !== first) return matrixOf(total, other.total, like, at, true);
  const out = fresh(builder, MATRIX, [total, total], like, 'covariance');
  builder.each(total, (j) => {
    builder.store(out.ref, add(mul(j, total), j), variance);
    builder.for(add(j, int(1)), total, (i) => {
      const value = builder.bind(at(i, j), 'covariance');
      builder.store(out.ref, add(mul(j, total), i), value);
      builder.store(out.ref, add(mul(i, total), j), value);
    });
  });
  return out;
}

/** A square root with derivative 0 at 0, as required for the distance of a point from itself. */
function distanceOf(squared: Expr): Expr {
  const isZero = compare('eq', squared, ZERO);
  return select(isZero, ZERO, sqrt(select(isZero, ONE, squared)));
}

function checkPositive(builder: Builder, name: string, what: string, value: Expr): void {
  builder.check(compare('gt', value, ZERO), `${name}: ${what} is {0}, but must be positive!`, [value]);
}

function checkPositiveFinite(builder: Builder, name: string, what: string, value: Expr): void {
  if (name === 'gp_exp_quad_cov') {
    checkPositive(builder, name, what, value);
    return;
  }
  const inside = and(compare('gt', value, ZERO), compare('lt', value, real(Number.POSITIVE_INFINITY)));
  builder.check(inside, `${name}: ${what} is {0}, but must be positive finite!`, [value]);
}

function checkPoints(builder: Builder, name: string, points: Points, argument: string): void {
  const check = (x: Expr): void =>
    builder.check(
      compare('lt', call1('abs', x), real(Number.POSITIVE_INFINITY)),
      `${name}: ${argument} is {0}, but must be finite!`,
      [x],
    );
  builder.each(points.total, (i) => {
    if (points.dimension === null) check(points.at(i, int(0)));
    else builder.each(points.dimension, (k) => check(points.at(i, k)));
  });
}

type Points2 = 'array[] real' | 'array[] vector';

function signatures(rest: (points: Points2) => string): string[] {
  return (['array[] real', 'array[] vector'] as const).flatMap((points) => [
    `(${points}, ${rest(points)}) => matrix`,
    `(${points}, ${points}, ${rest(points)}) => matrix`,
  ]);
}

/** Stan's errors for points of different dimensions, and for a number of length scales that differs from the dimension. */
interface StationaryWords {
  readonly pair: DimensionWords;
  readonly scales: readonly [name: string, second: string];
}

/** A stationary covariance with one or several length scales: `shape` computes it from squared scaled distances. */
function stationary(
  name: string,
  computes: string,
  shape: (squaredDistance: Expr) => Expr,
  words: StationaryWords = { pair: SQUARED_DISTANCE, scales: [name, 'x dimension'] },
): FunctionEntry {
  // Computing an exponential takes less time than copying it.
  const isCheap = name === 'gp_exp_quad_cov';
  const patterns = signatures((points) => (points === 'array[] real' ? 'real, real' : 'real, real | array[] real'));
  return row(name, computes, patterns, (b, args) => {
    const second = args[1].kind === 'container' ? args[1] : null;
    const first = pointsOf(b, args[0]);
    const other = second === null ? first : pointsOf(b, second);
    const [magnitude, scale] = args.slice(second === null ? 1 : 2);
    const sigma = bindOnce(b, toReal(scalarOf(magnitude)), 'sigma');
    checkPositiveFinite(b, name, 'magnitude', sigma);
    const variance = b.bind(square(sigma), 'variance');
    const inputs = second === null ? [args[0]] : [args[0], second];
    checkPoints(b, name, first, 'x');
    if (scale.kind === 'scalar') {
      const length = bindOnce(b, toReal(scalarOf(scale)), 'length_scale');
      checkPositiveFinite(b, name, 'length scale', length);
      checkDimensions(b, words.pair, first, other);
      const pairs = overAxes(b, { ...args[0], level: levelOf(inputs) }, first, other, (x, y) => square(sub(x, y)));
      const rate = b.bind(div(ONE, square(length)), 'rate');
      const correlation = (i: Expr, j: Expr): Expr => shape(mul(rate, pairs.at(i, j)));
      return covariance(b, { ...pairs, level: levelOf(args) }, first, other, variance, correlation, isCheap);
    }
    const scales = reusable(b, scale);
    b.each(length(scales), (k) => checkPositiveFinite(b, name, 'length scale', scales.at(k)));
    if (first.dimension !== null)
      checkMatch(b, name, 'x dimension', first.dimension, 'number of length scales', length(scales));
    if (other !== first && other.dimension !== null) {
      const [owner, second] = words.scales;
      const [dimension, total] = [other.dimension, length(scales)];
      b.if(compare('gt', other.total, int(0)), () =>
        checkMatch(b, owner, second, dimension, 'number of length scales', total),
      );
    }
    const pairs = overAxes(b, { ...args[0], level: levelOf(args) }, first, other, (x, y, k) =>
      square(div(sub(x, y), scales.at(k))),
    );
    const correlation = (i: Expr, j: Expr): Expr => shape(pairs.at(i, j));
    return covariance(b, { ...pairs, level: levelOf(args) }, first, other, variance, correlation, isCheap);
  });
}

const ROOT3 = Math.sqrt(3);
const ROOT5 = Math.sqrt(5);

export const COVARIANCES: readonly FunctionEntry[] = [
  stationary('gp_exp_quad_cov', 'Exponentiated quadratic covariance: sigma² exp(-d² / 2).', (d2) =>
    exp(mul(real(-0.5), d2)),
  ),
  stationary(
    'gp_exponential_cov',
    'Exponential covariance: sigma² exp(-d).',
    (d2) => exp(mul(real(-1), distanceOf(d2))),
    {
      pair: ['gp_exponential_cov', "x1's row", "x2's other row"],
      scales: ['gp_exponential_cov', "x2's row"],
    },
  ),
  stationary(
    'gp_matern32_cov',
    'Matérn covariance of order 3/2: sigma² (1 + √3 d) exp(-√3 d).',
    (d2) => {
      const d = mul(real(ROOT3), distanceOf(d2));
      return mul(add(ONE, d), exp(mul(real(-1), d)));
    },
    {
      pair: ['gp_matern32_cov', "x1's row", "x2's other row"],
      scales: ['gp_matern_32_cov', "x2's row"],
    },
  ),
  stationary('gp_matern52_cov', 'Matérn covariance of order 5/2: sigma² (1 + √5 d + 5 d² / 3) exp(-√5 d).', (d2) => {
    const d = mul(real(ROOT5), distanceOf(d2));
    return mul(add(add(ONE, d), mul(real(5 / 3), d2)), exp(mul(real(-1), d)));
  }),
  row(
    'gp_dot_prod_cov',
    'Dot product covariance: sigma² + x · y.',
    signatures(() => 'real'),
    (b, args) => {
      const second = args[1].kind === 'container' ? args[1] : null;
      const first = pointsOf(b, args[0]);
      const other = second === null ? first : pointsOf(b, second);
      checkDimensions(b, ['dot_product', 'size of v1', 'size of v2'], first, other);
      const sigma = bindOnce(b, toReal(scalarOf(args[args.length - 1])), 'sigma');
      b.check(
        and(compare('ge', sigma, ZERO), compare('lt', sigma, real(Number.POSITIVE_INFINITY))),
        'gp_dot_prod_cov: sigma is {0}, but must be nonnegative!',
        [sigma],
      );
      const variance = b.bind(square(sigma), 'variance');
      const inputs = second === null ? [args[0]] : [args[0], second];
      const pairs = overAxes(b, { ...args[0], level: levelOf(inputs) }, first, other, mul);
      return matrixOf(first.total, other.total, { ...pairs, level: levelOf(args) }, (i, j) =>
        add(variance, pairs.at(i, j)),
      );
    },
  ),
  row(
    'gp_periodic_cov',
    'Periodic covariance: sigma² exp(-2 sin²(π d / period) / length_scale²).',
    signatures(() => 'real, real, real'),
    (b, args) => {
      const name = 'gp_periodic_cov';
      const second = args[1].kind === 'container' ? args[1] : null;
      const first = pointsOf(b, args[0]);
      const other = second === null ? first : pointsOf(b, second);
      checkDimensions(b, ['distance', 'size of x1', 'size of x2'], first, other);
      const [sigma, scale, period] = args
        .slice(second === null ? 1 : 2)
        .map((arg) => bindOnce(b, toReal(scalarOf(arg)), 'parameter'));
      checkPositive(b, name, 'signal standard deviation', sigma);
      checkPositive(b, name, 'length-scale', scale);
      checkPositive(b, name, 'period', period);
      const variance = b.bind(square(sigma), 'variance');
      const rate = b.bind(div(real(-2), square(scale)), 'rate');
      const turn = b.bind(div(real(Math.PI), period), 'turn');
      const inputs: ContainerValue[] = (second === null ? [args[0]] : [args[0], second]).map(containerOf);
      const pairs = overAxes(b, { ...args[0], level: levelOf(inputs) }, first, other, (x, y) => square(sub(x, y)));
      return matrixOf(
        first.total,
        other.total,
        { ...pairs, level: levelOf(args) },
        (i, j) => mul(variance, exp(mul(rate, square(call1('sin', mul(turn, distanceOf(pairs.at(i, j)))))))),
        true,
      );
    },
  ),
];
