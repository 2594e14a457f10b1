import { add, compare, div, mul, neg, ONE, real, select, sub, toReal, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';

/** Two bounds, and the arguments of a distribution function that follow the bound. */
interface Interval {
  readonly lower: Expr;
  readonly upper: Expr;
  readonly parameters: readonly Expr[];
}

/** Reflects an interval about the center of a distribution if the interval is far above it, where distribution functions are nearly 1. */
export type Reflection = (interval: Interval, bind: (e: Expr) => Expr) => Interval;

/** Intervals that start at least this number of scales above the center are reflected. */
const FAR = 8;

/**
 * A distribution that is symmetric about the parameter at position `location`; the reflection negates the parameter at position `turned`.
 */
function symmetric(location: number | null, scale: number | null, turned: number | null = null): Reflection {
  return ({ lower, upper, parameters }, bind) => {
    const parameter = (k: number | null, otherwise: Expr): Expr => (k === null ? otherwise : toReal(parameters[k]));
    const [low, high] = [finite(toReal(lower)), finite(toReal(upper))];
    const middle = parameter(location, ZERO);
    const isFar = bind(compare('gt', low, add(middle, mul(real(FAR), parameter(scale, ONE)))));
    const sign = bind(select(isFar, real(-1), ONE));
    return {
      lower: bind(select(isFar, neg(high), low)),
      upper: bind(select(isFar, neg(low), high)),
      parameters: parameters.map((x, k) => (k === location || k === turned ? bind(mul(sign, toReal(x))) : x)),
    };
  };
}

/** Replaces an infinite bound by a finite one, where derivatives are finite and beyond which the probability is negligible. */
function finite(bound: Expr): Expr {
  const most = real(1e100);
  const atMost = select(compare('eq', bound, real(Number.POSITIVE_INFINITY)), most, bound);
  return select(compare('eq', bound, real(Number.NEGATIVE_INFINITY)), neg(most), atMost);
}

/** The unchanged interval, because `log_Phi_between` reflects it if necessary. */
const unreflected: Reflection = ({ lower, upper, parameters }, bind) => ({
  lower: bind(finite(toReal(lower))),
  upper: bind(finite(toReal(upper))),
  parameters,
});

const beta: Reflection = ({ lower, upper, parameters: [a, b] }, bind) => {
  const [first, second] = [toReal(a), toReal(b)];
  const isUpper = bind(compare('gt', toReal(lower), div(first, add(first, second))));
  return {
    lower: bind(select(isUpper, sub(ONE, toReal(upper)), toReal(lower))),
    upper: bind(select(isUpper, sub(ONE, toReal(lower)), toReal(upper))),
    parameters: [bind(select(isUpper, second, first)), bind(select(isUpper, first, second))],
  };
};

/** Distributions whose reflections belong to the same family. */
export const REFLECTIONS: ReadonlyMap<string, Reflection> = new Map([
  ['normal', unreflected],
  ['std_normal', unreflected],
  ['cauchy', symmetric(0, 1)],
  ['logistic', symmetric(0, 1)],
  ['double_exponential', symmetric(0, 1)],
  ['student_t', symmetric(1, 2)],
  ['skew_normal', symmetric(0, 1, 2)],
  ['beta', beta],
]);
