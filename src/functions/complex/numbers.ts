import type { Builder } from '../../ir/builder.js';
import { ABSENT, add, div, mul, neg, square, sub } from '../../ir/exact.js';
import {
  abs,
  and,
  apply,
  call1,
  call2,
  compare,
  exp,
  get,
  isConst,
  log,
  ONE,
  oneSidedAbs,
  or,
  real,
  select,
  sqrt,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { bindOnce } from '../broadcast.js';

/** A complex number as the expressions of its parts. */
export interface Complex {
  readonly re: Expr;
  readonly im: Expr;
}

/** A function of complex numbers. Branch cuts and signed zeros are those of annex G of the C standard. */
export type Formula = (builder: Builder, ...numbers: Complex[]) => Complex;

const HALF = real(0.5);
const INFINITY = real(Number.POSITIVE_INFINITY);

/** The number with parts that are computed once and may be read repeatedly. */
export function bound(builder: Builder, { re, im }: Complex): Complex {
  return { re: bindOnce(builder, re, 're'), im: bindOnce(builder, im, 'im') };
}

const plus: Formula = (_, x, y) => ({ re: add(x.re, y.re), im: add(x.im, y.im) });
export const minus: Formula = (_, x, y) => ({ re: sub(x.re, y.re), im: sub(x.im, y.im) });
export const times: Formula = (_, x, y) => ({
  re: sub(mul(x.re, y.re), mul(x.im, y.im)),
  im: add(mul(x.re, y.im), mul(x.im, y.re)),
});

const scaled = (factor: Expr, z: Complex): Complex => ({ re: mul(factor, z.re), im: mul(factor, z.im) });
const timesI = (z: Complex): Complex => ({ re: neg(z.im), im: z.re });
const overI = (z: Complex): Complex => ({ re: z.im, im: neg(z.re) });
const oneAnd = (z: Complex): Complex => ({ re: add(ONE, z.re), im: z.im });

/** x / y by the definition. Stan divides autodiff values in this way. */
export const quotient: Formula = (builder, x, y) => {
  if (y.im === ABSENT) return { re: div(x.re, y.re), im: div(x.im, y.re) };
  const norm = builder.bind(normOf(y), 'norm');
  return {
    re: div(add(mul(x.re, y.re), mul(x.im, y.im)), norm),
    im: div(sub(mul(x.im, y.re), mul(x.re, y.im)), norm),
  };
};

/** x / y without overflow of |y|². Division by zero follows the C standard. */
export const dataQuotient: Formula = (builder, x, y) => {
  if (y.im === ABSENT) return quotient(builder, x, y);
  const [first, second] = [abs(y.re), abs(y.im)];
  const size = builder.bind(select(compare('gt', first, second), first, second), 'size');
  const unit = bound(builder, { re: div(y.re, size), im: div(y.im, size) });
  const z = quotient(builder, x, unit);
  const isZero = compare('eq', size, ZERO);
  const pole = apply('copysign', 'real', INFINITY, y.re);
  return {
    re: select(isZero, apply('mul', 'real', pole, x.re), div(z.re, size)),
    im: select(isZero, apply('mul', 'real', pole, x.im), div(z.im, size)),
  };
};

export const absOf = (z: Complex): Expr => call2('hypot', z.re, z.im);
export const argumentOf = (z: Complex): Expr => call2('atan2', z.im, z.re);
export const normOf = (z: Complex): Expr => add(square(z.re), square(z.im));

const isInfinite = (x: Expr): Expr => compare('eq', abs(x), INFINITY);

/** The product of `size`, which may be infinite, and the function `value` of x, which is 0 if x is 0. ∞ · 0 is the signed zero x. */
function wave(size: Expr, x: Expr, value: Expr): Expr {
  const product = mul(size, value);
  return select(and(isInfinite(size), compare('eq', x, ZERO)), x, product);
}

export const expOf: Formula = (builder, z) => {
  const size = builder.bind(exp(z.re), 'size');
  return { re: mul(size, call1('cos', z.im)), im: wave(size, z.im, call1('sin', z.im)) };
};

export const logOf: Formula = (_, z) => ({ re: log(absOf(z)), im: argumentOf(z) });
export const log10Of: Formula = (builder, z) => scaled(real(1 / Math.LN10), logOf(builder, z));

/** The square root in polar coordinates, whose derivatives are also correct on the branch cut. */
export const sqrtOf: Formula = (builder, z) => {
  const size = builder.bind(sqrt(absOf(z)), 'size');
  const angle = builder.bind(mul(HALF, argumentOf(z)), 'angle');
  return { re: mul(size, call1('cos', angle)), im: mul(size, call1('sin', angle)) };
};

/** The square root, exact on the axes. */
export const dataSqrt: Formula = (builder, z) => {
  const large = builder.bind(sqrt(mul(HALF, add(abs(z.re), absOf(z)))), 'large');
  const isZero = compare('eq', large, ZERO);
  const small = builder.bind(select(isZero, abs(z.im), div(abs(z.im), mul(real(2), large))), 'small');
  const isRight = compare('ge', z.re, ZERO);
  return {
    re: select(isRight, large, small),
    im: apply('copysign', 'real', select(isRight, small, large), z.im),
  };
};

export const sinhOf: Formula = (builder, { re, im }) => ({
  re: mul(call1('sinh', re), call1('cos', im)),
  im: wave(builder.bind(call1('cosh', re)), im, call1('sin', im)),
});
export const coshOf: Formula = (builder, { re, im }) => ({
  re: mul(call1('cosh', re), call1('cos', im)),
  im: wave(builder.bind(call1('sinh', re)), im, call1('sin', im)),
});

/** (t + i s c h) / (t² + c² h), with t = tanh x, h = 1 - t², c = cos y and s = sin y, so that no term overflows. */
export const tanhOf: Formula = (builder, { re, im }) => {
  const t = builder.bind(call1('tanh', re), 't');
  const e = builder.bind(exp(mul(real(-2), oneSidedAbs(re))), 'e');
  const h = builder.bind(div(mul(real(4), e), square(builder.bind(add(ONE, e)))), 'h');
  const cosine = builder.bind(call1('cos', im), 'cosine');
  const norm = builder.bind(add(square(t), mul(square(cosine), h)), 'norm');
  return { re: div(t, norm), im: div(mul(mul(call1('sin', im), cosine), h), norm) };
};

export const sinOf: Formula = (builder, z) => overI(sinhOf(builder, bound(builder, timesI(z))));
export const cosOf: Formula = (builder, z) => coshOf(builder, bound(builder, timesI(z)));
export const tanOf: Formula = (builder, z) => overI(tanhOf(builder, bound(builder, timesI(z))));

/** log(z + √(1 + z²)) in the right half plane, odd elsewhere. */
export const asinhOf: Formula = (builder, z) => {
  const sign = builder.bind(apply('copysign', 'real', ONE, z.re), 'sign');
  const w = bound(builder, scaled(sign, z));
  const root = sqrtOf(builder, bound(builder, oneAnd(times(builder, w, w))));
  return scaled(sign, logOf(builder, bound(builder, plus(builder, w, root))));
};

/** log(z + √(z + 1) √(z - 1)) */
export const acoshOf: Formula = (builder, z) => {
  const above = bound(builder, sqrtOf(builder, bound(builder, oneAnd(z))));
  const below = bound(builder, sqrtOf(builder, bound(builder, { re: sub(z.re, ONE), im: z.im })));
  return logOf(builder, bound(builder, plus(builder, z, times(builder, above, below))));
};

/** (log(1 + z) - log(1 - z)) / 2 */
export const atanhOf: Formula = (builder, z) => {
  const right = logOf(builder, bound(builder, oneAnd(z)));
  const left = logOf(builder, bound(builder, { re: sub(ONE, z.re), im: neg(z.im) }));
  return scaled(HALF, minus(builder, right, left));
};

export const asinOf: Formula = (builder, z) => overI(asinhOf(builder, bound(builder, timesI(z))));
export const acosOf: Formula = (builder, z) => {
  const { re, im } = asinOf(builder, z);
  return { re: sub(real(Math.PI / 2), re), im: neg(im) };
};
export const atanOf: Formula = (builder, z) => overI(atanhOf(builder, bound(builder, timesI(z))));

/** exp(y log x), and 0 if x is 0 and the real part of y is positive. */
export const powerOf: Formula = (builder, x, y) => {
  const isRegular = or(or(compare('ne', x.re, ZERO), compare('ne', x.im, ZERO)), compare('le', y.re, ZERO));
  const power = (): Complex => expOf(builder, bound(builder, times(builder, y, bound(builder, logOf(builder, x)))));
  return either(builder, isRegular, power, () => ({ re: ZERO, im: ZERO }));
};

/** The power for an exponent without derivatives: small integer ones are products. */
export const dataPower: Formula = (builder, x, y) => {
  const isReal = compare('eq', y.im, ZERO);
  const from = (exponent: number): Complex => {
    if (exponent > LONGEST_PRODUCT) return powerOf(builder, x, y);
    const isExponent = and(isReal, compare('eq', y.re, real(exponent)));
    return either(
      builder,
      isExponent,
      () => repeated(builder, x, exponent),
      () => from(exponent + 1),
    );
  };
  return from(-LONGEST_PRODUCT);
};

/** The value of one of two formulas, the other of which is not computed. */
function either(builder: Builder, condition: Expr, then: () => Complex, otherwise: () => Complex): Complex {
  if (isConst(condition)) return condition.value === 0 ? otherwise() : then();
  const out = { re: builder.newLocal('real', 're'), im: builder.newLocal('real', 'im') };
  const assign = ({ re, im }: Complex): void => {
    builder.assign(out.re, re);
    builder.assign(out.im, im);
  };
  builder.if(
    condition,
    () => assign(then()),
    () => assign(otherwise()),
  );
  return { re: get(out.re), im: get(out.im) };
}

const LONGEST_PRODUCT = 4;

function repeated(builder: Builder, x: Complex, exponent: number): Complex {
  if (exponent < 0) return quotient(builder, { re: ONE, im: ZERO }, bound(builder, repeated(builder, x, -exponent)));
  if (exponent === 0) return { re: ONE, im: ZERO };
  let product = x;
  for (let k = 1; k < exponent; k++) product = bound(builder, times(builder, product, x));
  return product;
}

export const projectionOf: Formula = (_, { re, im }) => {
  const infinite = or(isInfinite(re), isInfinite(im));
  return {
    re: select(infinite, INFINITY, re),
    im: select(infinite, apply('copysign', 'real', ZERO, im), im),
  };
};

/** The number with absolute value `r` and argument `angle`; NaN for a negative `r` or an infinite `angle`. */
export function polarOf(r: Expr, angle: Expr): Complex {
  const isDefined = compare('ge', r, ZERO);
  const guarded = (x: Expr, otherwise: Expr): Expr =>
    select(isDefined, select(isInfinite(angle), otherwise, x), otherwise);
  return {
    re: guarded(mul(r, call1('cos', angle)), real(Number.NaN)),
    im: guarded(mul(r, call1('sin', angle)), ZERO),
  };
}
