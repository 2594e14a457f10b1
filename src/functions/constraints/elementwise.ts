import type { Builder } from '../../ir/builder.js';
import {
  abs,
  add,
  and,
  call1,
  compare,
  div,
  exp,
  log,
  mul,
  neg,
  ONE,
  or,
  real,
  select,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { ensure, type MessagePart } from '../ensure.js';

/** Bounds, or offset and multiplier, of one element; null if the declaration has none. */
export interface Arguments {
  readonly first: Expr | null;
  readonly second: Expr | null;
}

type Place = readonly MessagePart[];

/** Two index suffixes of an element in its vector or matrix: by indexes, and by linear position. */
export interface InversePlace {
  readonly index: Place;
  readonly linear: Place;
}

/** A check of arguments before the transform. */
interface ArgumentCheck {
  /** The arguments that the check reads; messages name the first of them. */
  readonly reads: readonly (keyof Arguments)[];
  /** `place` is the index of the first argument's element. */
  readonly check: (builder: Builder, args: Arguments, place: Place) => void;
  /** Whether Stan reports the index only if it computes derivatives. */
  readonly isPlacedInDerivatives?: boolean;
}

/** A constraint that acts on each element separately. `first` is a lower bound or an offset, `second` an upper bound or a multiplier. */
export interface ElementwiseConstraint {
  /** The function and the names of its arguments in Stan's messages about sizes. */
  readonly words: {
    readonly constrain: string;
    readonly unconstrain: string;
    /** Name of the inverse for an array. */
    readonly unconstrainArray: string;
    readonly first: string;
    readonly second: string;
  };
  readonly argumentChecks: readonly ArgumentCheck[];
  readonly constrain: (builder: Builder, x: Expr, args: Arguments) => Expr;
  /** Log of the derivative of `constrain`. */
  readonly jacobian: (x: Expr, args: Arguments) => Expr;
  readonly unconstrain: (builder: Builder, y: Expr, args: Arguments) => Expr;
  /** The bound if relative rounding errors of at most `rounding` explain that y is beyond it, else y. */
  readonly nearest: (y: Expr, args: Arguments, rounding: Expr) => Expr;
  /** Stan's check in its inverse transform. */
  readonly checkInverse: (builder: Builder, y: Expr, args: Arguments, place: InversePlace) => void;
  /** Stan's checks of a declared variable. Each check runs for all elements before the next check. */
  readonly checks: readonly ((builder: Builder, y: Expr, args: Arguments, subject: Place) => void)[];
}

const INFINITY = real(Number.POSITIVE_INFINITY);
const MINUS_INFINITY = real(Number.NEGATIVE_INFINITY);

const isLowest = (bound: Expr): Expr => compare('eq', bound, MINUS_INFINITY);
const isHighest = (bound: Expr): Expr => compare('eq', bound, INFINITY);

function atLeast(builder: Builder, y: Expr, bound: Expr, subject: Place): void {
  const value: MessagePart = { value: toReal(bound), format: 'f' };
  ensure(builder, compare('ge', y, bound), [...subject, ' is ', y, ', but must be greater than or equal to ', value]);
}

function atMost(builder: Builder, y: Expr, bound: Expr, subject: Place): void {
  const value: MessagePart = { value: toReal(bound), format: 'f' };
  ensure(builder, compare('le', y, bound), [...subject, ' is ', y, ', but must be less than or equal to ', value]);
}

/** `bound` if y `isBeyond` it, but not by more than their rounding errors; else y. */
function nearestTo(bound: Expr, y: Expr, isBeyond: 'lt' | 'gt', rounding: Expr): Expr {
  const errors = mul(rounding, add(abs(y), abs(bound)));
  return select(and(compare(isBeyond, y, bound), compare('le', abs(sub(y, bound)), errors)), bound, y);
}

/** The arguments as reals, for constraints that require both. */
function reals({ first, second }: Arguments): { readonly first: Expr; readonly second: Expr } {
  return { first: first === null ? ZERO : toReal(first), second: second === null ? ONE : toReal(second) };
}

export const LOWER: ElementwiseConstraint = {
  words: {
    constrain: 'lb_constrain: x',
    unconstrain: 'lb_free: y',
    unconstrainArray: 'lb_free: y',
    first: 'lb',
    second: '',
  },
  argumentChecks: [],
  constrain: (_, x, args) => {
    const { first } = reals(args);
    return select(isLowest(first), x, add(exp(x), first));
  },
  jacobian: (x, args) => select(isLowest(reals(args).first), ZERO, x),
  unconstrain: (_, y, args) => {
    const { first } = reals(args);
    return select(isLowest(first), y, log(sub(y, first)));
  },
  nearest: (y, args, rounding) => nearestTo(reals(args).first, y, 'lt', rounding),
  checkInverse: (builder, y, args, place) => {
    const { first } = reals(args);
    builder.if(
      isLowest(first),
      () => {},
      () => atLeast(builder, y, first, ['lb_free: Lower bounded variable', ...place.index]),
    );
  },
  checks: [(builder, y, { first }, subject) => first && atLeast(builder, y, first, subject)],
};

export const UPPER: ElementwiseConstraint = {
  words: {
    constrain: 'ub_constrain: x',
    unconstrain: 'ub_free: y',
    unconstrainArray: 'ub_free: y',
    first: '',
    second: 'ub',
  },
  argumentChecks: [],
  constrain: (_, x, args) => {
    const { second } = reals(args);
    return select(isHighest(second), x, sub(second, exp(x)));
  },
  jacobian: (x, args) => select(isHighest(reals(args).second), ZERO, x),
  unconstrain: (_, y, args) => {
    const { second } = reals(args);
    return select(isHighest(second), y, log(sub(second, y)));
  },
  nearest: (y, args, rounding) => nearestTo(reals(args).second, y, 'gt', rounding),
  checkInverse: (builder, y, args, place) => {
    const { second } = reals(args);
    builder.if(
      isHighest(second),
      () => {},
      () => atMost(builder, y, second, ['ub_free: Upper bounded variable', ...place.index]),
    );
  },
  checks: [(builder, y, { second }, subject) => second && atMost(builder, y, second, subject)],
};

/** Both bounds, with finite replacements of infinite ones, so that the branch that is not taken has finite derivatives. */
function interval(args: Arguments) {
  const { first, second } = reals(args);
  const open = { low: isLowest(first), high: isHighest(second) };
  const low = select(open.low, ZERO, first);
  const high = select(open.high, ONE, second);
  return { first, second, open, low, high };
}

/** Selects an expression depending on which bounds are infinite. */
function byOpenness(
  open: { readonly low: Expr; readonly high: Expr },
  values: { readonly none: Expr; readonly lower: Expr; readonly upper: Expr; readonly both: Expr },
): Expr {
  return select(open.low, select(open.high, values.none, values.upper), select(open.high, values.lower, values.both));
}

/** -|x|, with derivative -1 at 0. */
function awayFromZero(x: Expr): Expr {
  return select(compare('lt', x, ZERO), x, neg(x));
}

/** Values are computed from the nearer bound, so that they keep their digits near both. */
export const LOWER_UPPER: ElementwiseConstraint = {
  words: {
    constrain: 'lub_constrain: x',
    unconstrain: 'lub_free: y',
    unconstrainArray: 'lub_free: y',
    first: 'lb',
    second: 'ub',
  },
  argumentChecks: [
    {
      reads: ['first', 'second'],
      isPlacedInDerivatives: true,
      check: (builder, args, place) => {
        const { first, second } = reals(args);
        const isOpen = or(isLowest(first), isHighest(second));
        const bound: MessagePart = { value: second, format: 'f' };
        ensure(builder, or(isOpen, compare('lt', first, second)), [
          'lub_constrain: lb',
          ...place,
          ' is ',
          first,
          ', but must be less than ',
          bound,
        ]);
      },
    },
  ],
  constrain: (builder, x, args) => {
    const { open, low, high } = interval(args);
    const e = builder.bind(exp(awayFromZero(x)));
    const toNearer = mul(sub(high, low), div(e, add(ONE, e)));
    return byOpenness(open, {
      none: x,
      lower: add(exp(x), low),
      upper: sub(high, exp(x)),
      both: select(compare('lt', x, ZERO), add(low, toNearer), sub(high, toNearer)),
    });
  },
  jacobian: (x, args) => {
    const { open, low, high } = interval(args);
    const away = awayFromZero(x);
    const both = add(log(sub(high, low)), sub(away, mul(real(2), call1('log1p_unit', exp(away)))));
    return byOpenness(open, { none: ZERO, lower: x, upper: x, both });
  },
  unconstrain: (_, y, args) => {
    const { open, low, high } = interval(args);
    return byOpenness(open, {
      none: y,
      lower: log(sub(y, low)),
      upper: log(sub(high, y)),
      both: log(div(sub(y, low), sub(high, y))),
    });
  },
  nearest: (y, args, rounding) => UPPER.nearest(LOWER.nearest(y, args, rounding), args, rounding),
  checkInverse: (builder, y, args, place) => {
    const { first, second } = reals(args);
    const inside = (): void =>
      ensure(builder, and(compare('ge', y, first), compare('le', y, second)), [
        'lub_free: Bounded variable',
        ...place.linear,
        ' is ',
        y,
        ', but must be in the interval [',
        first,
        ', ',
        second,
        ']',
      ]);
    builder.if(
      isLowest(first),
      () => UPPER.checkInverse(builder, y, args, place),
      () => builder.if(isHighest(second), () => LOWER.checkInverse(builder, y, args, place), inside),
    );
  },
  checks: [...LOWER.checks, ...UPPER.checks],
};

export const OFFSET_MULTIPLIER: ElementwiseConstraint = {
  words: {
    constrain: 'offset_multiplier_constrain: x',
    unconstrain: 'offset_multiplier_constrain: y',
    unconstrainArray: 'offset_multiplier_free: x',
    first: 'mu',
    second: 'sigma',
  },
  argumentChecks: [
    {
      reads: ['first'],
      check: (builder, args, place) => {
        const offset = reals(args).first;
        ensure(builder, compare('lt', abs(offset), INFINITY), [
          'offset_multiplier_constrain: offset',
          ...place,
          ' is ',
          offset,
          ', but must be finite!',
        ]);
      },
    },
    {
      reads: ['second'],
      check: (builder, args, place) => {
        const multiplier = reals(args).second;
        ensure(builder, and(compare('gt', multiplier, ZERO), compare('lt', multiplier, INFINITY)), [
          'offset_multiplier_constrain: multiplier',
          ...place,
          ' is ',
          multiplier,
          ', but must be positive finite!',
        ]);
      },
    },
  ],
  constrain: (_, x, { first, second }) => {
    const scaled = second === null ? x : mul(toReal(second), x);
    return first === null ? scaled : add(scaled, toReal(first));
  },
  jacobian: (_, { second }) => (second === null ? ZERO : log(toReal(second))),
  unconstrain: (_, y, { first, second }) => {
    const shifted = first === null ? y : sub(y, toReal(first));
    return second === null ? shifted : div(shifted, toReal(second));
  },
  nearest: (y) => y,
  checkInverse: () => {},
  checks: [],
};
