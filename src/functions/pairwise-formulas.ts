/** Formulas of functions of two numbers, with Stan's checks. */
import type { Builder } from '../ir/builder.js';
import {
  abs,
  add,
  and,
  apply,
  call1,
  call2,
  compare,
  div,
  exp,
  get,
  int,
  isConst,
  isNan,
  lgamma,
  log,
  log1p,
  minInt,
  mul,
  neg,
  not,
  ONE,
  or,
  pow,
  real,
  select,
  sqrt,
  square,
  sub,
  toReal,
  ZERO,
} from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import { elementwise } from './broadcast.js';
import { atLeastConstant, nonnegative, notNan, require } from './checks.js';
import type { Call } from './entry.js';

/**
 * The value of a function of two or three arguments that is applied elementwise, with broadcasting of scalars. `given` are x and y before
 * the conversion of ints to reals.
 */
export type Formula = (
  x: Expr,
  y: Expr,
  builder: Builder,
  args: readonly Value[],
  given: readonly [x: Expr, y: Expr],
) => Expr;

export const ternaryNan = (a: Expr, b: Expr, otherwise: Expr): Expr =>
  select(or(isNan(a), isNan(b)), add(a, b), otherwise);

/** x to the power y. Powers with some constant exponents are written without a kernel. */
export function power(x: Expr, y: Expr): Expr {
  if (!isConst(y)) return pow(x, y);
  switch (y.value) {
    case 0.5:
      return sqrt(x);
    case 1:
      return toReal(x);
    case 2:
      return square(x);
    case 3:
      return mul(square(x), toReal(x));
    case 4:
      return square(square(x));
    case -0.5:
      return div(ONE, sqrt(x));
    case -1:
      return div(ONE, x);
    case -2:
      return div(ONE, square(x));
    default:
      return pow(x, y);
  }
}

/**
 * The smaller or larger of two numbers. If they are equal, the derivative belongs to the first number if only that may depend on
 * parameters, otherwise to the second.
 */
export function extreme(op: 'lt' | 'gt'): Formula {
  return (x, y, _, args) => {
    const isFirst = args[0].level === 'autodiff' && args[1].level === 'data';
    const better = compare(isFirst ? (op === 'lt' ? 'le' : 'ge') : op, x, y);
    return select(or(better, isNan(y)), x, y);
  };
}

export function lchoose(...[n, k, builder, , [givenN, givenK]]: Parameters<Formula>): Expr {
  // Stan uses the smaller of k and n - k, and prints it in its messages.
  const isUpper = and(compare('gt', n, real(-1)), compare('gt', k, add(mul(real(0.5), n), real(1e-8))));
  const chosen = select(isUpper, sub(n, k), k);
  const areInts = givenN.type === 'int' && givenK.type === 'int';
  const difference = areInts ? sub(givenN, givenK) : sub(n, k);
  for (const [words, isMeant, value, shown] of [
    ['first', int(1), n, givenN],
    ['second', not(isUpper), k, givenK],
    ['second', isUpper, sub(n, k), difference],
  ] as const) {
    builder.check(
      or(not(isMeant), or(isNan(value), compare('ge', value, real(-1)))),
      `binomial_coefficient_log: ${words} argument is {0}, but must be greater than or equal to -1.000000`,
      [shown],
    );
  }
  const rest = add(sub(n, chosen), ONE);
  builder.check(
    or(isNan(rest), compare('ge', rest, ZERO)),
    'binomial_coefficient_log: (first argument - second argument + 1) is {0}, but must be greater than or equal to 0.000000',
    [areInts ? add(select(isUpper, givenK, sub(givenN, givenK)), int(1)) : rest],
  );
  // Stan counts one way to choose 0 of -1 items.
  const isNone = and(compare('eq', n, real(-1)), compare('eq', k, ZERO));
  return call2('lchoose', select(isNone, ZERO, n), k);
}

const MAX_INT = 2 ** 31 - 1;

export function choose(n: Expr, k: Expr, builder: Builder): Expr {
  builder.check(compare('ge', n, int(0)), 'choose: n is {0}, but must be nonnegative!', [n]);
  builder.check(compare('ge', k, int(0)), 'choose: k is {0}, but must be nonnegative!', [k]);
  const inside = compare('le', k, n);
  const count = exp(call2('lchoose', n, select(inside, k, n)));
  builder.check(
    compare('le', count, real(MAX_INT)),
    `choose: n choose k is {0}, but must be less than or equal to ${MAX_INT.toFixed(6)}`,
    [count],
  );
  const rounded: Expr = { kind: 'apply', type: 'int', op: 'to_int', args: [add(count, real(0.5))] };
  return select(inside, rounded, int(0));
}

/** Converts an integral real to an int; numbers outside the range of ints become the least int. */
function representable(x: Expr): Expr {
  const positiveZero = select(compare('eq', x, ZERO), ZERO, x);
  return apply('to_int', 'int', select(compare('lt', abs(x), real(2 ** 31)), positiveZero, real(-(2 ** 31))));
}

/** A product of this number of consecutive factors overflows, unless one of them is 0. */
const FACTORS_THAT_OVERFLOW = 512;

/** The product of `n` factors x, x + step, …; an int for ints. */
export function factorial(name: string, step: -1 | 1): Formula {
  return (x, n, builder) => {
    require(builder, notNan, x, { function: name, argument: 'first argument' });
    builder.check(compare('ge', n, int(0)), `${name}: second argument is {0}, but must be nonnegative!`, [n]);
    const product = builder.newLocal('real', 'product');
    const first = toReal(x);
    builder.assign(product, ONE);
    builder.each(minInt(n, int(FACTORS_THAT_OVERFLOW)), (i) => {
      const factor = step === 1 ? add(first, toReal(i)) : sub(first, toReal(i));
      builder.assign(product, mul(get(product), factor));
    });
    // NaN results from an infinite product times a factor of 0.
    builder.if(isNan(get(product)), () => builder.assign(product, ZERO));
    builder.if(compare('gt', n, int(FACTORS_THAT_OVERFLOW)), () =>
      builder.assign(product, overflown(first, toReal(n), step)),
    );
    return x.type === 'int' ? representable(get(product)) : get(product);
  };
}

/** The value of a factorial with so large a number of factors that it is 0 or infinite, with the sign of their product. */
function overflown(x: Expr, n: Expr, step: -1 | 1): Expr {
  const zeroAt = step === 1 ? neg(x) : x;
  const whole = call1('ceil', zeroAt);
  const hasZero = and(compare('eq', zeroAt, whole), and(compare('ge', zeroAt, ZERO), compare('lt', zeroAt, n)));
  const before = select(compare('gt', whole, ZERO), select(compare('lt', whole, n), whole, n), ZERO);
  const negative = step === 1 ? before : sub(n, before);
  const isOdd = compare('eq', call2('fmod', negative, real(2)), ONE);
  const infinite = select(isOdd, real(Number.NEGATIVE_INFINITY), real(Number.POSITIVE_INFINITY));
  return select(hasZero, ZERO, infinite);
}

export function requireFactorialBase(builder: Builder, name: string, x: Expr, shown: Expr): void {
  builder.check(or(isNan(x), compare('gt', x, ZERO)), `${name}: first argument is {0}, but must be positive!`, [shown]);
}

export function lmgamma(k: Expr, x: Expr, builder: Builder): Expr {
  builder.check(compare('ge', k, int(0)), 'lmgamma: first argument is {0}, but must be nonnegative!', [k]);
  const halves = mul(toReal(k), sub(toReal(k), ONE));
  const sum = builder.sum(k, (j) => lgamma(sub(x, mul(real(0.5), toReal(j)))));
  return add(mul(real(Math.log(Math.PI) / 4), halves), sum);
}

/** x · 2ⁿ in two steps, so that 2ⁿ itself may overflow or underflow. */
export function ldexp(x: Expr, n: Expr): Expr {
  const half: Expr = { kind: 'apply', type: 'int', op: 'div_int', args: [n, int(2)] };
  return mul(mul(x, call1('exp2', half)), call1('exp2', sub(n, half)));
}

export function binaryLogLoss(y: Expr, probability: Expr, builder: Builder, args: readonly Value[]): Expr {
  // For parameters, Stan computes log1m(x) as log1p(-x), and its message shows the latter's argument.
  const [words, shown] =
    args[1].level === 'autodiff'
      ? ['log1p: x is {0}, but must be greater than or equal to -1.000000', neg(probability)]
      : ['log1m: x is {0}, but must be less than or equal to 1.000000', probability];
  const isWithin = or(isNan(probability), compare('le', probability, ONE));
  builder.check(or(compare('ne', y, int(0)), isWithin), words, [shown]);
  return neg(select(compare('ne', y, int(0)), log(probability), log1p(neg(probability))));
}

export function incompleteGamma(name: 'gamma_p' | 'gamma_q'): Formula {
  return (a, x, builder) => {
    const isNumber = not(or(isNan(a), isNan(x)));
    const isPositive = or(not(isNumber), compare('gt', a, ZERO));
    if (name === 'gamma_p') {
      builder.check(isPositive, 'gamma_p: first argument (z) is {0}, but must be positive!', [a]);
      const must = 'gamma_p: second argument (a) is {0}, but must be nonnegative!';
      builder.check(or(not(isNumber), compare('ge', x, ZERO)), must, [x]);
    } else {
      const place = 'Error in function boost::math::gamma_p<long double>(long double, long double)';
      const must = `${place}: Argument a to the incomplete gamma function must be greater than zero (got a={0:21}).`;
      builder.check(isPositive, must, [a]);
      const below = `${place}: Argument x to the incomplete gamma function must be >= 0 (got x={0:21}).`;
      builder.check(or(not(isNumber), compare('ge', x, ZERO)), below, [x]);
    }
    return call2(name, a, x);
  };
}

export function incompleteBeta(builder: Builder, args: readonly Value[], call: Call): Value {
  return elementwise(builder, call.result, args, (a, b, x) => {
    for (const [words, value] of [
      ['a', a],
      ['b', b],
      ['x', x],
    ] as const) {
      builder.check(not(isNan(value)), `inc_beta: ${words} is {0}, but must be not nan!`, [value]);
    }
    const place = 'Error in function boost::math::ibeta<double>(double, double, double)';
    const outside = `${place}: Parameter x outside the range [0,1] in the incomplete beta function (got x={0:17}).`;
    builder.check(and(compare('ge', x, ZERO), compare('le', x, ONE)), outside, [x]);
    for (const [words, value] of [
      ['a', a],
      ['b', b],
    ] as const) {
      const must = `${place}: The argument ${words} to the incomplete beta function must be >= zero (got ${words}={0:17}).`;
      builder.check(compare('ge', value, ZERO), must, [value]);
    }
    const bothZero = `${place}: The arguments a and b to the incomplete beta function cannot both be zero, with x={0:17}.`;
    builder.check(or(compare('gt', a, ZERO), compare('gt', b, ZERO)), bothZero, [x]);
    return { kind: 'apply', type: 'real', op: 'inc_beta', args: [a, b, x] };
  });
}

export function logModifiedBessel(...[v, x, builder, , given]: Parameters<Formula>): Expr {
  const name = 'log_modified_bessel_first_kind';
  const order = { function: name, argument: 'first argument (order)', shown: given[0] };
  const variable = { function: name, argument: 'second argument (variable)', shown: given[1] };
  require(builder, notNan, v, order);
  require(builder, notNan, x, variable);
  require(builder, nonnegative, x, variable);
  require(builder, atLeastConstant(-1), v, order);
  return call2(name, v, x);
}
