import { logarithm } from '../base/elementary.js';
import { INT_MAX } from './integers.js';
import type { Expr, KernelArgument, Local, Ref, ScalarType } from './nodes.js';
import type { OpName } from './ops.js';

/**
 * Constructors of expressions. They fold constants and make the algebraic simplifications that are exact in IEEE arithmetic or that
 * differentiation needs: x + 0, x * 1, and x * 0 for a factor of an adjoint are simplified as for real numbers.
 */

/** An integer constant of 32 bits; larger values wrap, as in Stan's arithmetic. */
export function int(value: number): Expr {
  return { kind: 'const', type: 'int', value: value | 0 };
}

export function real(value: number): Expr {
  return { kind: 'const', type: 'real', value };
}

export const ZERO = real(0);
export const ONE = real(1);

export function get(local: Local): Expr {
  return { kind: 'get', type: local.type, local };
}

/** A test whether an expression is a read of the local. */
export function isGetOf(local: Local): (e: Expr) => boolean {
  return (e) => e.kind === 'get' && e.local === local;
}

/** Whether the kernel's argument is a number, not an address. */
export function isNumber(argument: KernelArgument): argument is Expr {
  return argument.kind !== 'pointer' && argument.kind !== 'random_state';
}

export function load(ref: Ref, index: Expr): Expr {
  return { kind: 'load', type: ref.element, ref, index };
}

export function size(ref: Ref, axis: number): Expr {
  return { kind: 'size', type: 'int', ref, axis };
}

export function apply(op: OpName, type: ScalarType, ...args: Expr[]): Expr {
  return { kind: 'apply', type, op, args };
}

type Constant = Extract<Expr, { kind: 'const' }>;

export function isConst(e: Expr): e is Constant {
  return e.kind === 'const';
}

/** Whether `e` is the constant `value`. */
export function isValue(e: Expr, value: number): boolean {
  return e.kind === 'const' && Object.is(e.value, value);
}

/** Converts an int to a real; returns reals unchanged. */
export function toReal(e: Expr): Expr {
  if (e.type === 'real') return e;
  if (e.kind === 'const') return real(e.value);
  return apply('to_real', 'real', e);
}

function bothInt(a: Expr, b: Expr): boolean {
  return a.type === 'int' && b.type === 'int';
}

function isZero(e: Expr): boolean {
  return e.kind === 'const' && e.value === 0;
}

export function add(a: Expr, b: Expr): Expr {
  if (isZero(a)) return bothInt(a, b) ? b : toReal(b);
  if (isZero(b)) return bothInt(a, b) ? a : toReal(a);
  if (bothInt(a, b)) {
    if (isConst(a) && isConst(b)) return int(a.value + b.value);
    // (x + c1) + c2 keeps index arithmetic small.
    if (isConst(b) && a.kind === 'apply' && a.op === 'add_int' && isConst(a.args[1])) {
      return add(a.args[0], add(a.args[1], b));
    }
    if (isConst(a)) return apply('add_int', 'int', b, a);
    return apply('add_int', 'int', a, b);
  }
  if (isConst(a) && isConst(b)) return real(a.value + b.value);
  const x = toReal(a);
  const y = toReal(b);
  if (y.kind === 'apply' && y.op === 'neg') return sub(x, y.args[0]);
  if (x.kind === 'apply' && x.op === 'neg') return sub(y, x.args[0]);
  return apply('add', 'real', x, y);
}

export function sub(a: Expr, b: Expr): Expr {
  if (isZero(b)) return bothInt(a, b) ? a : toReal(a);
  if (bothInt(a, b)) {
    if (isConst(b)) return add(a, int(-b.value));
    return apply('sub_int', 'int', a, b);
  }
  if (isConst(a) && isConst(b)) return real(a.value - b.value);
  if (isZero(a)) return neg(b);
  const y = toReal(b);
  if (y.kind === 'apply' && y.op === 'neg') return add(toReal(a), y.args[0]);
  return apply('sub', 'real', toReal(a), y);
}

/** The number of iterations of a loop from `from` to `to`, exclusive. It is unsigned, because it may exceed the greatest int. */
export function iterationsOf(from: Expr, to: Expr): Expr {
  return select(compare('le', from, sub(to, int(1))), sub(to, from), int(0));
}

export function mul(a: Expr, b: Expr): Expr {
  if (bothInt(a, b)) {
    if (isConst(a) && isConst(b)) return int(Math.imul(a.value, b.value));
    if (isValue(a, 1)) return b;
    if (isValue(b, 1)) return a;
    if (isZero(a) || isZero(b)) return int(0);
    return apply('mul_int', 'int', a, b);
  }
  const x = toReal(a);
  const y = toReal(b);
  if (isConst(x) && isConst(y)) return real(x.value * y.value);
  if (isValue(x, 1)) return y;
  if (isValue(y, 1)) return x;
  if (isValue(x, -1)) return neg(y);
  if (isValue(y, -1)) return neg(x);
  if (isZero(x) || isZero(y)) return ZERO;
  if (isConst(y)) return mul(y, x);
  if (isConst(x) && y.kind === 'apply' && y.op === 'neg') return mul(real(-x.value), y.args[0]);
  if (isConst(x) && y.kind === 'apply' && y.op === 'mul' && isConst(y.args[0])) {
    return mul(real(x.value * y.args[0].value), y.args[1]);
  }
  return apply('mul', 'real', x, y);
}

/** Real division; ints are promoted. For integer division use `apply('div_int', …)` after a check of the divisor. */
export function div(a: Expr, b: Expr): Expr {
  const x = toReal(a);
  const y = toReal(b);
  if (isConst(x) && isConst(y)) return real(x.value / y.value);
  if (isValue(y, 1)) return x;
  if (isZero(x)) return x;
  return apply('div', 'real', x, y);
}

export function neg(a: Expr): Expr {
  if (a.kind === 'const') return a.type === 'int' ? int(-a.value) : real(-a.value);
  if (a.kind === 'apply' && (a.op === 'neg' || a.op === 'neg_int')) return a.args[0];
  if (a.kind === 'apply' && a.op === 'sub') return apply('sub', 'real', a.args[1], a.args[0]);
  if (a.kind === 'apply' && a.op === 'mul' && isConst(a.args[0])) return mul(real(-a.args[0].value), a.args[1]);
  return a.type === 'int' ? apply('neg_int', 'int', a) : apply('neg', 'real', a);
}

/** The argument of a negation, and any other expression itself: x for both x and -x. */
export function unsigned(x: Expr): Expr {
  return x.kind === 'apply' && x.op === 'neg' ? x.args[0] : x;
}

export function square(a: Expr): Expr {
  const x = unsigned(toReal(a));
  return isConst(x) ? real(x.value * x.value) : apply('mul', 'real', x, x);
}

/** Applies a unary real operation of `OPS`. */
export function call1(op: OpName, a: Expr): Expr {
  return apply(op, 'real', toReal(a));
}

export function call2(op: OpName, a: Expr, b: Expr): Expr {
  return apply(op, 'real', toReal(a), toReal(b));
}

export const exp = (a: Expr): Expr => call1('exp', a);
export const log = (a: Expr): Expr => {
  const x = toReal(a);
  return isConst(x) ? real(logarithm(x.value)) : apply('log', 'real', x);
};
export const log1p = (a: Expr): Expr => call1('log1p', a);
export const sqrt = (a: Expr): Expr => {
  const x = toReal(a);
  return isConst(x) ? real(Math.sqrt(x.value)) : apply('sqrt', 'real', x);
};
export const abs = (a: Expr): Expr => (a.type === 'int' ? apply('abs_int', 'int', a) : apply('abs', 'real', a));
/**
 * |a| of a real, written as a or -a, so that its derivative at 0 is 1 and not 0. Even smooth functions of |a| need this for correct second
 * derivatives at 0.
 */
export const oneSidedAbs = (a: Expr): Expr => select(compare('ge', a, ZERO), a, neg(a));
export const lgamma = (a: Expr): Expr => call1('lgamma', a);
export const digamma = (a: Expr): Expr => call1('digamma', a);
export const pow = (a: Expr, b: Expr): Expr => call2('pow', a, b);

type Comparison = 'lt' | 'le' | 'gt' | 'ge' | 'eq' | 'ne';

const INT_COMPARISONS = {
  lt: 'lt_int',
  le: 'le_int',
  gt: 'gt_int',
  ge: 'ge_int',
  eq: 'eq_int',
  ne: 'ne_int',
} as const;

/** 1 if the comparison holds, else 0. With NaN, only `ne` holds. */
export function compare(op: Comparison, a: Expr, b: Expr): Expr {
  if (isConst(a) && isConst(b)) {
    const x = a.value;
    const y = b.value;
    const holds = { lt: x < y, le: x <= y, gt: x > y, ge: x >= y, eq: x === y, ne: x !== y }[op];
    return int(holds ? 1 : 0);
  }
  if (bothInt(a, b)) return apply(INT_COMPARISONS[op], 'int', a, b);
  return apply(op, 'int', toReal(a), toReal(b));
}

export function and(a: Expr, b: Expr): Expr {
  if (isConst(a)) return a.value === 0 ? a : b;
  if (isConst(b)) return b.value === 0 ? b : a;
  return apply('and', 'int', a, b);
}

export function or(a: Expr, b: Expr): Expr {
  if (isConst(a)) return a.value === 0 ? b : int(1);
  if (isConst(b)) return b.value === 0 ? a : int(1);
  return apply('or', 'int', a, b);
}

export function not(a: Expr): Expr {
  return isConst(a) ? int(a.value === 0 ? 1 : 0) : apply('not', 'int', a);
}

/** `then` if `condition` is non-zero, else `otherwise`. Both are evaluated. */
export function select(condition: Expr, then: Expr, otherwise: Expr): Expr {
  if (isConst(condition)) return condition.value !== 0 ? then : otherwise;
  if (then === otherwise) return then;
  if (bothInt(then, otherwise)) return apply('select_int', 'int', condition, then, otherwise);
  return apply('select', 'real', condition, toReal(then), toReal(otherwise));
}

export const isNan = (a: Expr): Expr => compare('ne', toReal(a), toReal(a));
export const isFiniteReal = (a: Expr): Expr => compare('lt', call1('abs', a), real(Number.POSITIVE_INFINITY));
export const isPositive = (a: Expr): Expr => compare('gt', toReal(a), ZERO);

/** Integer minimum and maximum. */
export const minInt = (a: Expr, b: Expr): Expr => select(compare('lt', a, b), a, b);
export const maxInt = (a: Expr, b: Expr): Expr => select(compare('gt', a, b), a, b);

/**
 * The exclusive end of a loop whose last index is `last`. For the greatest int it is a sum that wraps, not a folded constant, because a
 * constant would compare as less than `last`.
 */
export function behind(last: Expr): Expr {
  return isValue(last, INT_MAX) ? apply('add_int', 'int', last, int(1)) : add(last, int(1));
}
