import * as algebra from './expressions.js';
import { apply, isConst, isValue, real, toReal } from './expressions.js';
import type { Expr } from './nodes.js';

/**
 * Arithmetic of programs. Constants give the same bits as data with the same values: only operations on two constants, and operations that
 * return an operand whatever it is, are folded. The constructors in `expressions.ts` also simplify 0 x and 0 + x, which differ for infinite
 * values and in the sign of zeros. Arithmetic of ints is the same in both.
 */

/**
 * The imaginary part of a real number in arithmetic with complex ones. Unlike a zero it adds nothing, so that 0 is neither added to a negative
 * zero nor multiplied by infinity (annex G.5 of the C standard). Everywhere else it is the constant 0.
 */
export const ABSENT = real(0);

const bothInt = (a: Expr, b: Expr): boolean => a.type === 'int' && b.type === 'int';

function isNegation(e: Expr): e is Extract<Expr, { kind: 'apply' }> {
  return e.kind === 'apply' && e.op === 'neg';
}

export function add(a: Expr, b: Expr): Expr {
  if (bothInt(a, b)) return algebra.add(a, b);
  if (a === ABSENT) return toReal(b);
  if (b === ABSENT) return toReal(a);
  const [x, y] = [toReal(a), toReal(b)];
  if (isConst(x) && isConst(y)) return real(x.value + y.value);
  if (isValue(x, -0)) return y;
  if (isValue(y, -0)) return x;
  if (isNegation(y)) return apply('sub', 'real', x, y.args[0]);
  return isNegation(x) ? apply('sub', 'real', y, x.args[0]) : apply('add', 'real', x, y);
}

export function sub(a: Expr, b: Expr): Expr {
  if (bothInt(a, b)) return algebra.sub(a, b);
  if (a === ABSENT) return neg(toReal(b));
  if (b === ABSENT) return toReal(a);
  const [x, y] = [toReal(a), toReal(b)];
  if (isConst(x) && isConst(y)) return real(x.value - y.value);
  if (isValue(y, 0)) return x;
  return isNegation(y) ? apply('add', 'real', x, y.args[0]) : apply('sub', 'real', x, y);
}

export function mul(a: Expr, b: Expr): Expr {
  if (bothInt(a, b)) return algebra.mul(a, b);
  if (a === ABSENT || b === ABSENT) return ABSENT;
  const [x, y] = [toReal(a), toReal(b)];
  if (isConst(x) && isConst(y)) return real(x.value * y.value);
  if (isValue(x, 1)) return y;
  if (isValue(y, 1)) return x;
  if (isValue(x, -1)) return neg(y);
  if (isValue(y, -1)) return neg(x);
  return isConst(y) ? apply('mul', 'real', y, x) : apply('mul', 'real', x, y);
}

export function div(a: Expr, b: Expr): Expr {
  const [x, y] = [toReal(a), toReal(b)];
  if (isConst(x) && isConst(y)) return real(x.value / y.value);
  return isValue(y, 1) ? x : apply('div', 'real', x, y);
}

export function neg(a: Expr): Expr {
  if (a.type === 'int' || isConst(a)) return algebra.neg(a);
  return isNegation(a) ? a.args[0] : apply('neg', 'real', a);
}

export function square(a: Expr): Expr {
  const x = toReal(a);
  return isConst(x) ? real(x.value * x.value) : apply('mul', 'real', x, x);
}
