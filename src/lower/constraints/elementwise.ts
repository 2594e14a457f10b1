import type { Builder } from '../../ir/builder.js';
import {
  abs,
  add,
  and,
  call1,
  compare,
  div,
  exp,
  int,
  log,
  log1p,
  mul,
  neg,
  ONE,
  real,
  select,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { ensure, type MessagePart } from '../failure.js';

/** Bounds, or offset and multiplier, of one element; null where the declaration has none. */
export interface Arguments {
  readonly first: Expr | null;
  readonly second: Expr | null;
}

/** A constraint that acts on each element by itself. `first` is lower bound or offset, `second` upper bound or multiplier. */
export interface ElementwiseConstraint {
  /** Refuses arguments that make no sense, once for each of their elements, before the transform. */
  readonly checkArguments: (builder: Builder, args: Arguments, place: readonly MessagePart[]) => void;
  readonly constrain: (builder: Builder, x: Expr, args: Arguments) => Expr;
  /** Log of the derivative of `constrain`. */
  readonly jacobian: (x: Expr, args: Arguments) => Expr;
  readonly unconstrain: (builder: Builder, y: Expr, args: Arguments) => Expr;
  /** Stan's check in its inverse transform; `place` is the index, `[2]`. */
  readonly checkInverse: (builder: Builder, y: Expr, args: Arguments, place: readonly MessagePart[]) => void;
  /** Stan's check of a declared variable. */
  readonly check: (builder: Builder, y: Expr, args: Arguments, subject: readonly MessagePart[]) => void;
}

const INFINITY = real(Number.POSITIVE_INFINITY);
const MINUS_INFINITY = real(Number.NEGATIVE_INFINITY);

const isLowest = (bound: Expr): Expr => compare('eq', bound, MINUS_INFINITY);
const isHighest = (bound: Expr): Expr => compare('eq', bound, INFINITY);

function atLeast(builder: Builder, y: Expr, bound: Expr, subject: readonly MessagePart[]): void {
  const value: MessagePart = { value: toReal(bound), format: 'f' };
  ensure(builder, compare('ge', y, bound), [...subject, ' is ', y, ', but must be greater than or equal to ', value]);
}

function atMost(builder: Builder, y: Expr, bound: Expr, subject: readonly MessagePart[]): void {
  const value: MessagePart = { value: toReal(bound), format: 'f' };
  ensure(builder, compare('le', y, bound), [...subject, ' is ', y, ', but must be less than or equal to ', value]);
}

/** The arguments as reals; both are there for the constraints that need them. */
function reals({ first, second }: Arguments): { readonly first: Expr; readonly second: Expr } {
  return { first: first === null ? ZERO : toReal(first), second: second === null ? ONE : toReal(second) };
}

export const LOWER: ElementwiseConstraint = {
  checkArguments: () => {},
  constrain: (_, x, args) => {
    const { first } = reals(args);
    return select(isLowest(first), x, add(exp(x), first));
  },
  jacobian: (x, args) => select(isLowest(reals(args).first), ZERO, x),
  unconstrain: (_, y, args) => {
    const { first } = reals(args);
    return select(isLowest(first), y, log(sub(y, first)));
  },
  checkInverse: (builder, y, args, place) =>
    atLeast(builder, y, reals(args).first, ['lb_free: Lower bounded variable', ...place]),
  check: (builder, y, { first }, subject) => first && atLeast(builder, y, first, subject),
};

export const UPPER: ElementwiseConstraint = {
  checkArguments: () => {},
  constrain: (_, x, args) => {
    const { second } = reals(args);
    return select(isHighest(second), x, sub(second, exp(x)));
  },
  jacobian: (x, args) => select(isHighest(reals(args).second), ZERO, x),
  unconstrain: (_, y, args) => {
    const { second } = reals(args);
    return select(isHighest(second), y, log(sub(second, y)));
  },
  checkInverse: (builder, y, args, place) =>
    atMost(builder, y, reals(args).second, ['ub_free: Upper bounded variable', ...place]),
  check: (builder, y, { second }, subject) => second && atMost(builder, y, second, subject),
};

/** Both bounds with finite stand-ins, so that what is not chosen has finite derivatives. */
function interval(args: Arguments) {
  const { first, second } = reals(args);
  const open = { low: isLowest(first), high: isHighest(second) };
  const low = select(open.low, ZERO, first);
  const high = select(open.high, ONE, second);
  return { first, second, open, low, high };
}

/** Picks by which of the bounds are infinite. */
function byOpenness(
  open: { readonly low: Expr; readonly high: Expr },
  values: { readonly none: Expr; readonly lower: Expr; readonly upper: Expr; readonly both: Expr },
): Expr {
  return select(open.low, select(open.high, values.none, values.upper), select(open.high, values.lower, values.both));
}

export const LOWER_UPPER: ElementwiseConstraint = {
  checkArguments: (builder, args, place) => {
    const { first, second } = reals(args);
    const isOpen = select(isLowest(first), int(1), isHighest(second));
    ensure(builder, select(isOpen, int(1), compare('lt', first, second)), [
      'lub_constrain: lb',
      ...place,
      ' is ',
      first,
      ', but must be less than ',
      { value: second, format: 'f' },
    ]);
  },
  constrain: (_, x, args) => {
    const { open, low, high } = interval(args);
    return byOpenness(open, {
      none: x,
      lower: add(exp(x), low),
      upper: sub(high, exp(x)),
      both: add(mul(sub(high, low), call1('inv_logit', x)), low),
    });
  },
  jacobian: (x, args) => {
    const { open, low, high } = interval(args);
    const away = neg(abs(x));
    const both = add(log(sub(high, low)), sub(away, mul(real(2), call1('log1p_exp', away))));
    return byOpenness(open, { none: ZERO, lower: x, upper: x, both });
  },
  unconstrain: (_, y, args) => {
    const { open, low, high } = interval(args);
    const share = div(sub(y, low), sub(high, low));
    return byOpenness(open, {
      none: y,
      lower: log(sub(y, low)),
      upper: log(sub(high, y)),
      both: sub(log(share), log1p(neg(share))),
    });
  },
  checkInverse: (builder, y, args, place) => {
    const { first, second } = reals(args);
    ensure(builder, and(compare('ge', y, first), compare('le', y, second)), [
      'lub_free: Bounded variable',
      ...place,
      ' is ',
      y,
      ', but must be in the interval [',
      first,
      ', ',
      second,
      ']',
    ]);
  },
  check: (builder, y, { first, second }, subject) => {
    if (first !== null) atLeast(builder, y, first, subject);
    if (second !== null) atMost(builder, y, second, subject);
  },
};

export const OFFSET_MULTIPLIER: ElementwiseConstraint = {
  checkArguments: (builder, { first, second }, place) => {
    const words = 'offset_multiplier_constrain: ';
    if (first !== null) {
      const offset = toReal(first);
      ensure(builder, compare('lt', abs(offset), INFINITY), [
        `${words}offset`,
        ...place,
        ' is ',
        offset,
        ', but must be finite!',
      ]);
    }
    if (second !== null) {
      const multiplier = toReal(second);
      ensure(builder, and(compare('gt', multiplier, ZERO), compare('lt', multiplier, INFINITY)), [
        `${words}multiplier`,
        ...place,
        ' is ',
        multiplier,
        ', but must be positive finite!',
      ]);
    }
  },
  constrain: (_, x, { first, second }) => {
    const scaled = second === null ? x : mul(toReal(second), x);
    return first === null ? scaled : add(scaled, toReal(first));
  },
  jacobian: (_, { second }) => (second === null ? ZERO : log(toReal(second))),
  unconstrain: (_, y, { first, second }) => {
    const shifted = first === null ? y : sub(y, toReal(first));
    return second === null ? shifted : div(shifted, toReal(second));
  },
  checkInverse: () => {},
  check: () => {},
};
