import {
  add,
  and,
  apply,
  call1,
  compare,
  digamma,
  div,
  exp,
  int,
  log,
  mul,
  neg,
  ONE,
  real,
  select,
  sqrt,
  square,
  sub,
  unsigned,
  ZERO,
} from './expressions.js';
import type { Expr, ScalarType } from './nodes.js';
import { normalInterval } from './normal-interval.js';
import { SmallSet } from './small.js';
import { someNode } from './walk.js';

/** The closed set of operation names; `OPS` has one row per name. */
export type OpName =
  | 'add'
  | 'sub'
  | 'mul'
  | 'div'
  | 'neg'
  | 'abs'
  | 'sqrt'
  | 'floor'
  | 'ceil'
  | 'trunc'
  | 'nearest'
  | 'copysign'
  | 'detached'
  | 'lt'
  | 'le'
  | 'gt'
  | 'ge'
  | 'eq'
  | 'ne'
  | 'add_int'
  | 'sub_int'
  | 'mul_int'
  | 'div_int'
  | 'rem_int'
  | 'neg_int'
  | 'abs_int'
  | 'lt_int'
  | 'le_int'
  | 'gt_int'
  | 'ge_int'
  | 'eq_int'
  | 'ne_int'
  | 'and'
  | 'or'
  | 'not'
  | 'select'
  | 'select_int'
  | 'to_real'
  | 'to_int'
  | 'exp'
  | 'exp2'
  | 'expm1'
  | 'log'
  | 'log2'
  | 'log10'
  | 'log1p'
  | 'log1p_square'
  | 'log1p_unit'
  | 'pow'
  | 'log_high'
  | 'log_low'
  | 'pow_of_log'
  | 'cbrt'
  | 'hypot'
  | 'fma'
  | 'fmod'
  | 'sin'
  | 'cos'
  | 'tan'
  | 'asin'
  | 'acos'
  | 'atan'
  | 'atan2'
  | 'sinh'
  | 'cosh'
  | 'tanh'
  | 'asinh'
  | 'acosh'
  | 'atanh'
  | 'lgamma'
  | 'digamma'
  | 'trigamma'
  | 'tetragamma'
  | 'tgamma'
  | 'erf'
  | 'erfc'
  | 'Phi'
  | 'inv_Phi'
  | 'log_Phi'
  | 'log_Phi_between'
  | 'normal_tail'
  | 'inv_logit'
  | 'log1p_exp'
  | 'log_inv_logit'
  | 'log1m_exp'
  | 'log1m_exp_of_odds'
  | 'log_sum_exp'
  | 'log_diff_exp'
  | 'lbeta'
  | 'lchoose'
  | 'lgamma_rise'
  | 'digamma_rise'
  | 'rise_share'
  | 'lgamma_cross'
  | 'digamma_cross'
  | 'beta_binomial_below'
  | 'beta_neg_binomial_below'
  | 'beta_neg_binomial_above'
  | 'neg_binomial_2_below'
  | 'neg_binomial_2_above'
  | 'lmultiply'
  | 'gamma_p'
  | 'gamma_q'
  | 'gamma_p_da'
  | 'log_gamma_p'
  | 'log_gamma_q'
  | 'log_inc_beta'
  | 'log_exp_mod_normal'
  | 'log_exp_mod_normal_upper'
  | 'inc_beta'
  | 'inc_beta_upper'
  | 'inc_beta_da'
  | 'inc_beta_db'
  | 'owens_t'
  | 'inv_inc_beta'
  | 'inv_log_Phi'
  | 'lambert_w0'
  | 'lambert_wm1'
  | 'log_modified_bessel_first_kind'
  | 'von_mises_below'
  | 'student_t_below'
  | 'student_t_quantile'
  | 'student_t_quantile_slope'
  | 'skew_normal_below'
  | 'hypergeometric_2f1'
  | 'first_passage'
  | 'wiener_density'
  | 'wiener_full'
  | 'wiener_full_distribution'
  | 'log_modified_bessel_first_kind_dv'
  | 'log_modified_bessel_first_kind_dx'
  | 'bessel_first_kind'
  | 'bessel_second_kind'
  | 'modified_bessel_first_kind'
  | 'modified_bessel_second_kind';

/**
 * A scalar operation of the IR. `wasm` defines how it is computed: by an instruction, or by a kernel with an exported name (`simd`:
 * `NAME_v` computes two lanes). `partials` returns the derivative with respect to each argument, from the arguments and the value; null if
 * the derivative is zero everywhere or undefined.
 */
export interface Op {
  readonly args: readonly ScalarType[];
  readonly result: ScalarType;
  /** `cheap` operations are recomputed rather than stored; `expensive` ones are stored or hoisted. */
  readonly cost: 'cheap' | 'expensive';
  readonly wasm:
    | { readonly kind: 'instruction' }
    | { readonly kind: 'kernel'; readonly name: string; readonly simd: boolean };
  readonly partials: ((args: readonly Expr[], value: Expr) => readonly (Expr | null)[]) | null;
  /** `partials` in a form that is differentiable wherever the operation has second derivatives; defaults to `partials`. */
  readonly smooth?: Op['partials'];
  /** Arguments without a derivative rule, because the operation is itself a derivative of another operation. */
  readonly missing?: (args: readonly Expr[]) => readonly Expr[];
}

const R1: readonly ScalarType[] = ['real'];
const R2: readonly ScalarType[] = ['real', 'real'];
const R3: readonly ScalarType[] = ['real', 'real', 'real'];
const IR: readonly ScalarType[] = ['int', 'real'];
const I1: readonly ScalarType[] = ['int'];
const I2: readonly ScalarType[] = ['int', 'int'];

function instruction(
  args: readonly ScalarType[],
  result: ScalarType,
  partials: Op['partials'] = null,
  cost: Op['cost'] = 'cheap',
): Op {
  return { args, result, cost, wasm: { kind: 'instruction' }, partials };
}

function kernel(name: string, args: readonly ScalarType[], simd: boolean, partials: Op['partials']): Op {
  return { args, result: 'real', cost: 'expensive', wasm: { kind: 'kernel', name, simd }, partials };
}

/** An operation that only passes after differentiation create. */
function afterwards(op: Op): Op {
  return { ...op, missing: (args) => args };
}

/** A derivative of another operation. The derivatives for which `partials` returns null are missing; by default, all are. */
function finalKernel(name: string, args: readonly ScalarType[], partials: Op['partials'] = null): Op {
  const missing: Op['missing'] = (given) =>
    partials === null ? given : partials(given, ZERO).flatMap((partial, k) => (partial === null ? given[k] : []));
  return { ...kernel(name, args, false, partials), missing };
}

const TWO_OVER_SQRT_PI = 1.1283791670955126;
const INV_SQRT_TWO_PI = 0.3989422804014327;
const LN2 = Math.LN2;
const LN10 = Math.LN10;

const standardNormalDensity = (x: Expr): Expr => mul(INV_SQRT_2PI, exp(mul(real(-0.5), square(x))));
const INV_SQRT_2PI = real(INV_SQRT_TWO_PI);
/** The density of the gamma distribution with shape a and rate 1. */
const gammaDensity = (a: Expr, x: Expr): Expr =>
  exp(sub(sub(apply('lmultiply', 'real', sub(a, ONE), x), x), call1('lgamma', a)));
const betaDensity = (a: Expr, b: Expr, x: Expr): Expr =>
  exp(
    sub(
      add(apply('lmultiply', 'real', sub(a, ONE), x), apply('lmultiply', 'real', sub(b, ONE), sub(ONE, x))),
      apply('lbeta', 'real', a, b),
    ),
  );

/** A Bessel function of integer order. Its derivative is half of a combination of the functions one order below and one order above. */
function bessel(name: OpName, derivative: (below: Expr, above: Expr) => Expr): Op {
  return kernel(name, IR, false, ([v, x]) => {
    const [below, above] = [sub(v, int(1)), add(v, int(1))].map((order) => apply(name, 'real', order, x));
    return [null, mul(real(0.5), derivative(below, above))];
  });
}

/** The second derivatives of a function, given its first derivatives `first`; null for unknown ones. */
type SecondPartials = (args: readonly Expr[], first: readonly Expr[]) => readonly (readonly (Expr | null)[])[];

/**
 * A function whose first argument selects the result: 0 the value, k the derivative with respect to the argument at position k. The last
 * `passive` arguments repeat information of earlier arguments and have no derivative.
 */
function inParts(name: OpName, count: number, passive = 0, second: SecondPartials | null = null): Op {
  const types: readonly ScalarType[] = ['int', ...Array.from({ length: count + passive }, (): ScalarType => 'real')];
  const byArguments = ([part, ...args]: readonly Expr[]): readonly (Expr | null)[] => {
    const number = part.kind === 'const' ? part.value : -1;
    const first = args.slice(0, count).map((_, k) => apply(name, 'real', int(k + 1), ...args));
    if (number === 0) return first;
    return (number > 0 && second?.(args, first)[number - 1]) || first.map(() => null);
  };
  const op = kernel(name, types, false, (args) => [
    null,
    ...byArguments(args),
    ...Array.from({ length: passive }, () => null),
  ]);
  return { ...op, missing: (args) => byArguments(args).flatMap((partial, k) => (partial === null ? args[k + 1] : [])) };
}

/** Second partials of log P(a, x) and log Q(a, x), whose derivative with respect to log x is x^a e^-x / Γ(a) over the function itself. */
const secondOfIncompleteGamma: SecondPartials = ([a, logX, x], [byShape, byLog]) => {
  const mixed = mul(byLog, sub(sub(logX, digamma(a)), byShape));
  return [
    [null, mixed],
    [mixed, mul(byLog, sub(sub(a, x), byLog))],
  ];
};

/** Second partials of log I_x(a, b), whose derivative with respect to x is the beta density over the function itself. */
const secondOfIncompleteBeta: SecondPartials = ([a, b, x, y], [byA, byB, byX]) => {
  const mixedA = mul(byX, sub(add(log(x), apply('digamma_rise', 'real', a, b)), byA));
  const mixedB = mul(byX, sub(add(log(y), apply('digamma_rise', 'real', b, a)), byB));
  const slope = sub(div(sub(a, ONE), x), div(sub(b, ONE), y));
  return [
    [null, null, mixedA],
    [null, null, mixedB],
    [mixedA, mixedB, mul(byX, sub(slope, byX))],
  ];
};

/** Second partials of log P(T ≤ t) of Student's t, whose derivative with respect to t is the density over the probability. */
const secondOfStudent: SecondPartials = ([t, nu], [byT, byNu]) => {
  const spread = add(nu, square(t));
  const next = add(nu, ONE);
  const rise = sub(apply('digamma_rise', 'real', mul(real(0.5), nu), real(0.5)), inverse(nu));
  const tail = sub(div(mul(next, square(t)), mul(nu, spread)), call1('log1p', div(square(t), nu)));
  const mixed = mul(byT, sub(mul(real(0.5), add(rise, tail)), byNu));
  return [
    [mul(byT, neg(add(div(mul(next, t), spread), byT))), mixed],
    [mixed, null],
  ];
};

const quantileSlope = (part: number, t: Expr, nu: Expr): Expr =>
  apply('student_t_quantile_slope', 'real', int(part), t, nu);

/**
 * Derivatives of the quantile t of Student's t distribution, with respect to the probability (part 1, the inverse of the density) and to nu
 * (part 2), as functions of t and nu. The derivative of part 2 with respect to nu is missing.
 */
const slopesOfStudentQuantile: Op = {
  ...kernel('student_t_quantile_slope', ['int', 'real', 'real'], false, ([part, t, nu]) => {
    const spread = add(nu, square(t));
    const next = add(nu, ONE);
    const rise = sub(apply('digamma_rise', 'real', mul(real(0.5), nu), real(0.5)), inverse(nu));
    const bend = sub(div(mul(next, square(t)), mul(nu, spread)), call1('log1p', div(square(t), nu)));
    const logDensityByNu = mul(real(0.5), add(rise, bend));
    const minusLogDensityByT = div(mul(next, t), spread);
    const isFirst = part.kind === 'const' && part.value === 1;
    const own = quantileSlope(isFirst ? 1 : 2, t, nu);
    if (isFirst) return [null, mul(own, minusLogDensityByT), neg(mul(own, logDensityByNu))];
    return [null, sub(mul(own, minusLogDensityByT), logDensityByNu), null];
  }),
  missing: ([part, , nu]) => (part.kind === 'const' && part.value === 1 ? [] : [nu]),
};

/**
 * Second partials of log F for the skew normal distribution function F. The derivative of F with respect to z is 2 φ(z) Φ(α z), and with
 * respect to α it is -φ(z √(1 + α²)) √(2/π) / (1 + α²).
 */
const secondOfSkewNormal: SecondPartials = ([z, alpha], [byZ, byAlpha]) => {
  const scaled = mul(alpha, z);
  const ratio = mul(INV_SQRT_2PI, exp(neg(add(mul(real(0.5), square(scaled)), call1('log_Phi', scaled)))));
  const scale = add(ONE, square(alpha));
  const mixed = mul(byAlpha, neg(add(mul(z, scale), byZ)));
  const curved = add(mul(square(z), alpha), div(mul(real(2), alpha), scale));
  return [
    [mul(byZ, sub(sub(mul(alpha, ratio), z), byZ)), mixed],
    [mixed, mul(byAlpha, neg(add(curved, byAlpha)))],
  ];
};

/**
 * Like `inParts`, for a function of the difference of its first and third argument, so that their derivatives are the negative of each
 * other.
 */
function byElapsedTime(name: OpName, count: number): Op {
  const op = inParts(name, count);
  const partials: Op['partials'] = (args, value) => {
    const all = op.partials?.(args, value) ?? [];
    const [, byTime = null] = all;
    return all.map((partial, k) => (k === 3 && byTime !== null ? neg(byTime) : partial));
  };
  return { ...op, partials };
}
const oneMinus = (x: Expr): Expr => sub(ONE, x);
const inverse = (x: Expr): Expr => div(ONE, x);
/** √(1 - x²). */
const cosineOf = (x: Expr): Expr => sqrt(mul(oneMinus(x), add(ONE, x)));
const invLogit = (x: Expr): Expr => call1('inv_logit', x);

export const OPS: Readonly<Record<OpName, Op>> = {
  add: instruction(R2, 'real', () => [ONE, ONE]),
  sub: instruction(R2, 'real', () => [ONE, real(-1)]),
  mul: instruction(R2, 'real', ([x, y]) => [y, x]),
  div: instruction(R2, 'real', ([, y], value) => [inverse(y), neg(div(value, y))], 'expensive'),
  neg: instruction(R1, 'real', () => [real(-1)]),
  abs: instruction(R1, 'real', ([x]) => [
    select(compare('gt', x, ZERO), ONE, select(compare('lt', x, ZERO), real(-1), ZERO)),
  ]),
  /** Stan's convention: no derivative at 0. */
  sqrt: instruction(
    R1,
    'real',
    (_, value) => [select(compare('eq', value, ZERO), ZERO, div(real(0.5), value))],
    'expensive',
  ),
  floor: instruction(R1, 'real'),
  ceil: instruction(R1, 'real'),
  trunc: instruction(R1, 'real'),
  nearest: instruction(R1, 'real'),
  copysign: instruction(R2, 'real'),
  /** Returns its argument with derivative 0. */
  detached: instruction(R1, 'real'),
  lt: instruction(R2, 'int'),
  le: instruction(R2, 'int'),
  gt: instruction(R2, 'int'),
  ge: instruction(R2, 'int'),
  eq: instruction(R2, 'int'),
  ne: instruction(R2, 'int'),
  add_int: instruction(I2, 'int'),
  sub_int: instruction(I2, 'int'),
  mul_int: instruction(I2, 'int'),
  /** Truncates toward zero; the divisor has been checked. */
  div_int: instruction(I2, 'int'),
  rem_int: instruction(I2, 'int'),
  neg_int: instruction(I1, 'int'),
  abs_int: instruction(I1, 'int'),
  lt_int: instruction(I2, 'int'),
  le_int: instruction(I2, 'int'),
  gt_int: instruction(I2, 'int'),
  ge_int: instruction(I2, 'int'),
  eq_int: instruction(I2, 'int'),
  ne_int: instruction(I2, 'int'),
  /** Logical operations on ints that are 0 or 1. */
  and: instruction(I2, 'int'),
  or: instruction(I2, 'int'),
  /** 1 if the int is zero, else 0. */
  not: instruction(I1, 'int'),
  select: instruction(['int', 'real', 'real'], 'real'),
  select_int: instruction(['int', 'int', 'int'], 'int'),
  to_real: instruction(I1, 'real'),
  /** Truncation toward zero, saturating. */
  to_int: instruction(R1, 'int'),

  exp: kernel('exp', R1, true, (_, value) => [value]),
  exp2: kernel('exp2', R1, false, (_, value) => [mul(real(LN2), value)]),
  expm1: kernel('expm1', R1, true, ([x]) => [exp(x)]),
  log: kernel('log', R1, true, ([x]) => [inverse(x)]),
  log2: kernel('log2', R1, false, ([x]) => [inverse(mul(real(LN2), x))]),
  log10: kernel('log10', R1, false, ([x]) => [inverse(mul(real(LN10), x))]),
  log1p: kernel('log1p', R1, true, ([x]) => [inverse(add(ONE, x))]),
  /** log(1 + x²); its derivative, 2x/(1 + x²), is written so that nothing overflows. */
  log1p_square: {
    ...kernel('log1p_square', R1, true, ([x]) => [div(real(2), add(x, inverse(x)))]),
    smooth: ([x]) => {
      const isSmall = compare('lt', apply('abs', 'real', x), ONE);
      const [near, far] = [div(mul(real(2), x), add(ONE, square(x))), div(real(2), add(x, inverse(x)))];
      return [select(isSmall, near, far)];
    },
  },
  /** log(1 + x), 0 ≤ x ≤ 1 only. */
  log1p_unit: kernel('log1p_unit', R1, true, ([x]) => [inverse(add(ONE, x))]),
  /** Stan's convention: no derivative at base 0. */
  pow: {
    ...kernel('pow', R2, true, ([x, y], value) => {
      const isZero = compare('eq', x, ZERO);
      return [select(isZero, ZERO, div(mul(value, y), x)), select(isZero, ZERO, mul(value, log(x)))];
    }),
    smooth: ([x, y], value) => {
      const isZero = compare('eq', x, ZERO);
      const atZero = select(compare('eq', y, real(2)), mul(real(2), x), ZERO);
      return [select(isZero, atZero, div(mul(value, y), x)), select(isZero, ZERO, mul(value, log(x)))];
    },
  },
  /**
   * log x as the sum of two numbers, and x^y from x, y and these two: the same result as `pow`. Created before differentiation for bases
   * that depend on data alone, and after it for loop-invariant bases.
   */
  log_high: afterwards(kernel('log_high', R1, false, null)),
  log_low: afterwards(kernel('log_low', R1, false, null)),
  pow_of_log: {
    ...kernel('pow_of_log', ['real', 'real', 'real', 'real'], true, ([x, , high, low], value) => [
      null,
      select(compare('eq', x, ZERO), ZERO, mul(value, add(high, low))),
      null,
      null,
    ]),
    missing: ([x, , high, low]) => [x, high, low],
  },
  cbrt: kernel('cbrt', R1, false, (_, value) => [inverse(mul(real(3), square(value)))]),
  hypot: kernel('hypot', R2, false, ([x, y], value) => [div(x, value), div(y, value)]),
  /** x y + z with one rounding. */
  fma: kernel('fma', R3, false, ([x, y]) => [y, x, ONE]),
  fmod: kernel('fmod', R2, false, ([x, y], value) => [ONE, div(sub(value, x), y)]),
  sin: kernel('sin', R1, true, ([x]) => [call1('cos', x)]),
  cos: kernel('cos', R1, true, ([x]) => [neg(call1('sin', x))]),
  tan: kernel('tan', R1, false, (_, value) => [add(ONE, square(value))]),
  asin: kernel('asin', R1, false, ([x]) => [inverse(cosineOf(x))]),
  acos: kernel('acos', R1, false, ([x]) => [neg(inverse(cosineOf(x)))]),
  atan: kernel('atan', R1, true, ([x]) => [inverse(add(ONE, square(x)))]),
  atan2: kernel('atan2', R2, false, ([y, x]) => {
    const norm = apply('hypot', 'real', x, y);
    return [div(div(x, norm), norm), neg(div(div(y, norm), norm))];
  }),
  sinh: kernel('sinh', R1, false, ([x]) => [call1('cosh', x)]),
  cosh: kernel('cosh', R1, false, ([x]) => [call1('sinh', x)]),
  // 1 − tanh² without cancellation: 4 e / (1 + e)² with e = exp(−2 |x|)
  tanh: kernel('tanh', R1, true, ([x]) => {
    const e = exp(mul(real(-2), apply('abs', 'real', x)));
    return [div(mul(real(4), e), square(add(ONE, e)))];
  }),
  asinh: kernel('asinh', R1, false, ([x]) => [inverse(apply('hypot', 'real', x, ONE))]),
  acosh: kernel('acosh', R1, false, ([x]) => [inverse(mul(sqrt(sub(x, ONE)), sqrt(add(x, ONE))))]),
  atanh: kernel('atanh', R1, false, ([x]) => [inverse(mul(oneMinus(x), add(ONE, x)))]),
  lgamma: kernel('lgamma', R1, true, ([x]) => [digamma(x)]),
  digamma: kernel('digamma', R1, true, ([x]) => [call1('trigamma', x)]),
  trigamma: kernel('trigamma', R1, false, ([x]) => [call1('tetragamma', x)]),
  tetragamma: { ...kernel('tetragamma', R1, false, null), missing: (args) => args },
  tgamma: kernel('tgamma', R1, false, ([x], value) => [mul(value, digamma(x))]),
  erf: kernel('erf', R1, true, ([x]) => [mul(real(TWO_OVER_SQRT_PI), exp(neg(square(x))))]),
  erfc: kernel('erfc', R1, true, ([x]) => [mul(real(-TWO_OVER_SQRT_PI), exp(neg(square(x))))]),
  Phi: kernel('Phi', R1, true, ([x]) => [standardNormalDensity(x)]),
  inv_Phi: kernel('inv_Phi', R1, false, (_, value) => [inverse(standardNormalDensity(value))]),
  /** log Phi(x), accurate in both tails; far below 0 its derivative is -x. */
  log_Phi: kernel('log_Phi', R1, true, ([x]) => {
    const isBelow = compare('lt', x, ZERO);
    const tail = call1('normal_tail', unsigned(x));
    const e = exp(neg(mul(real(0.5), square(x))));
    const above = sub(ONE, mul(e, select(compare('gt', tail, ZERO), tail, ZERO)));
    const slope = mul(INV_SQRT_2PI, div(select(isBelow, ONE, e), select(isBelow, tail, above)));
    return [select(compare('lt', x, real(-1e10)), neg(x), slope)];
  }),
  /** log(Phi(b) - Phi(a)), a ≤ b */
  log_Phi_between: kernel('log_Phi_between', R2, false, ([a, b]) => {
    const { byLower, byUpper } = normalInterval(a, b);
    return [byLower, byUpper];
  }),
  /** exp(x²/2) Phi(-|x|); NaN at infinity. */
  normal_tail: kernel('normal_tail', R1, true, ([x], value) => [
    sub(mul(x, value), apply('copysign', 'real', INV_SQRT_2PI, x)),
  ]),
  inv_logit: kernel('inv_logit', R1, true, (_, value) => [mul(value, oneMinus(value))]),
  log1p_exp: kernel('log1p_exp', R1, true, ([x]) => [invLogit(x)]),
  log_inv_logit: kernel('log_inv_logit', R1, true, ([x]) => [invLogit(neg(x))]),
  log1m_exp: kernel('log1m_exp', R1, true, ([x]) => [neg(inverse(call1('expm1', neg(x))))]),
  /** log(1 - exp(x)). The second argument is 1 / (exp(-x) - 1), from which the value is computed where that is accurate. */
  log1m_exp_of_odds: kernel('log1m_exp_of_odds', R2, true, ([, odds]) => [neg(odds), ZERO]),
  log_sum_exp: kernel('log_sum_exp', R2, true, ([x, y]) => [invLogit(sub(x, y)), invLogit(sub(y, x))]),
  log_diff_exp: kernel('log_diff_exp', R2, false, ([x, y]) => [
    neg(inverse(call1('expm1', sub(y, x)))),
    neg(inverse(call1('expm1', sub(x, y)))),
  ]),
  lbeta: kernel('lbeta', R2, true, ([a, b]) => {
    const isFirst = compare('lt', a, b);
    const [smaller, larger] = [select(isFirst, a, b), select(isFirst, b, a)];
    const bySmaller = sub(digamma(smaller), digamma(add(a, b)));
    // The digammas of the larger argument and of the sum would cancel.
    const byLarger = neg(apply('digamma_rise', 'real', larger, smaller));
    return [select(isFirst, bySmaller, byLarger), select(isFirst, byLarger, bySmaller)];
  }),
  /** log |Γ(x + d)/Γ(x)| and its derivative with respect to x. */
  lgamma_rise: kernel('lgamma_rise', R2, true, ([x, d]) => [apply('digamma_rise', 'real', x, d), digamma(add(x, d))]),
  digamma_rise: kernel('digamma_rise', R2, true, ([x, d]) => {
    const end = call1('trigamma', add(x, d));
    return [sub(end, call1('trigamma', x)), end];
  }),
  /** `lgamma_rise` of a count, minus the logarithm of its factorial where that is large; the count has no derivative. */
  rise_share: kernel('rise_share', R2, true, ([x, n]) => [apply('digamma_rise', 'real', x, n), null]),
  /** log Γ(x + d + n) Γ(x) / (Γ(x + d) Γ(x + n)) */
  lgamma_cross: kernel('lgamma_cross', R3, false, ([x, d, n]) => [
    apply('digamma_cross', 'real', x, d, n),
    apply('digamma_rise', 'real', add(x, d), n),
    apply('digamma_rise', 'real', add(x, n), d),
  ]),
  digamma_cross: kernel('digamma_cross', R3, false, ([x, d, n]) => {
    const [end, middle, other] = [add(add(x, d), n), add(x, d), add(x, n)].map((at) => call1('trigamma', at));
    const [byD, byN] = [sub(end, middle), sub(end, other)];
    return [add(byD, sub(call1('trigamma', x), other)), byD, byN];
  }),
  beta_binomial_below: inParts('beta_binomial_below', 4),
  beta_neg_binomial_below: inParts('beta_neg_binomial_below', 4),
  beta_neg_binomial_above: inParts('beta_neg_binomial_above', 4),
  neg_binomial_2_below: inParts('neg_binomial_2_below', 3),
  neg_binomial_2_above: inParts('neg_binomial_2_above', 3),
  lchoose: kernel('lchoose', R2, true, ([n, k]) => {
    const rest = digamma(add(sub(n, k), ONE));
    return [apply('digamma_rise', 'real', add(sub(n, k), ONE), k), sub(rest, digamma(add(k, ONE)))];
  }),
  /** x log y, and 0 where both are 0. */
  lmultiply: kernel('lmultiply', R2, false, ([x, y]) => [log(y), div(x, y)]),

  gamma_p: kernel('gamma_p', R2, false, ([a, x]) => [apply('gamma_p_da', 'real', a, x), gammaDensity(a, x)]),
  gamma_q: kernel('gamma_q', R2, false, ([a, x]) => [neg(apply('gamma_p_da', 'real', a, x)), neg(gammaDensity(a, x))]),
  gamma_p_da: finalKernel('gamma_p_da', R2, ([a, x]) => [null, mul(gammaDensity(a, x), sub(log(x), digamma(a)))]),
  /** log P(a, x) and log Q(a, x) from a, log x and x; the derivative with respect to x goes through log x. */
  log_gamma_p: inParts('log_gamma_p', 2, 1, secondOfIncompleteGamma),
  log_gamma_q: inParts('log_gamma_q', 2, 1, secondOfIncompleteGamma),
  /** log I_x(a, b) from a, b, x and 1 - x; the derivative with respect to x goes through x alone. */
  log_inc_beta: inParts('log_inc_beta', 3, 1, secondOfIncompleteBeta),
  log_exp_mod_normal: inParts('log_exp_mod_normal', 2),
  log_exp_mod_normal_upper: inParts('log_exp_mod_normal_upper', 2),
  inc_beta: kernel('inc_beta', R3, false, ([a, b, x]) => [
    apply('inc_beta_da', 'real', a, b, x),
    apply('inc_beta_db', 'real', a, b, x),
    betaDensity(a, b, x),
  ]),
  /** 1 - I_x(a, b), accurate if it is small. */
  inc_beta_upper: kernel('inc_beta_upper', R3, false, ([a, b, x]) => [
    neg(apply('inc_beta_da', 'real', a, b, x)),
    neg(apply('inc_beta_db', 'real', a, b, x)),
    neg(betaDensity(a, b, x)),
  ]),
  inc_beta_da: finalKernel('inc_beta_da', R3, ([a, b, x]) => [
    null,
    null,
    mul(betaDensity(a, b, x), add(log(x), apply('digamma_rise', 'real', a, b))),
  ]),
  inc_beta_db: finalKernel('inc_beta_db', R3, ([a, b, x]) => [
    null,
    null,
    mul(betaDensity(a, b, x), add(call1('log1p', neg(x)), apply('digamma_rise', 'real', b, a))),
  ]),
  inv_inc_beta: kernel('inv_inc_beta', R3, false, ([a, b], x) => {
    const slope = betaDensity(a, b, x);
    return [
      neg(div(apply('inc_beta_da', 'real', a, b, x), slope)),
      neg(div(apply('inc_beta_db', 'real', a, b, x), slope)),
      inverse(slope),
    ];
  }),
  /** The x with log Phi(x) = p. */
  inv_log_Phi: kernel('inv_log_Phi', R1, false, ([p], x) => {
    const above = exp(add(p, mul(real(0.5), square(x))));
    return [mul(real(1 / INV_SQRT_TWO_PI), select(compare('lt', x, ZERO), call1('normal_tail', x), above))];
  }),
  lambert_w0: kernel('lambert_w0', R1, false, (_, w) => [div(exp(neg(w)), add(ONE, w))]),
  lambert_wm1: kernel('lambert_wm1', R1, false, (_, w) => [div(exp(neg(w)), add(ONE, w))]),
  owens_t: kernel('owens_t', R2, false, ([h, a]) => {
    const scaled = add(ONE, square(a));
    const slope = mul(real(-0.5), mul(standardNormalDensity(h), call1('erf', mul(real(Math.SQRT1_2), mul(a, h)))));
    return [slope, div(exp(mul(real(-0.5), mul(square(h), scaled))), mul(real(2 * Math.PI), scaled))];
  }),
  log_modified_bessel_first_kind: kernel('log_modified_bessel_first_kind', R2, false, ([v, x]) => [
    v.kind === 'const' ? null : apply('log_modified_bessel_first_kind_dv', 'real', v, x),
    apply('log_modified_bessel_first_kind_dx', 'real', v, x),
  ]),
  log_modified_bessel_first_kind_dv: finalKernel('log_modified_bessel_first_kind_dv', R2),
  /** The derivative with respect to x; its own follows from the differential equation of Bessel functions. */
  log_modified_bessel_first_kind_dx: kernel('log_modified_bessel_first_kind_dx', R2, false, ([v, x], slope) => {
    const isAtStart = and(compare('eq', v, ZERO), compare('eq', x, ZERO));
    const curvature = sub(add(ONE, square(div(v, x))), mul(slope, add(slope, inverse(x))));
    const [byNext, byOrder] = [add(v, ONE), v].map((order) =>
      apply('log_modified_bessel_first_kind_dv', 'real', order, x),
    );
    const mixed = add(mul(sub(slope, div(v, x)), sub(byNext, byOrder)), inverse(x));
    return [v.kind === 'const' ? null : mixed, select(isAtStart, real(0.5), curvature)];
  }),
  /** The logarithm of the distribution function of angle, mean and concentration. */
  von_mises_below: inParts('von_mises_below', 3),
  /** The logarithm of the distribution function at a standardized value. */
  student_t_below: inParts('student_t_below', 2, 0, secondOfStudent),
  student_t_quantile: kernel('student_t_quantile', R2, false, ([, nu], t) =>
    [1, 2].map((k) => quantileSlope(k, t, nu)),
  ),
  student_t_quantile_slope: slopesOfStudentQuantile,
  skew_normal_below: inParts('skew_normal_below', 2, 0, secondOfSkewNormal),
  hypergeometric_2f1: inParts('hypergeometric_2f1', 4),
  first_passage: inParts('first_passage', 2),
  wiener_density: inParts('wiener_density', 5),
  wiener_full: byElapsedTime('wiener_full', 9),
  wiener_full_distribution: byElapsedTime('wiener_full_distribution', 10),
  bessel_first_kind: bessel('bessel_first_kind', sub),
  bessel_second_kind: bessel('bessel_second_kind', sub),
  modified_bessel_first_kind: bessel('modified_bessel_first_kind', add),
  modified_bessel_second_kind: bessel('modified_bessel_second_kind', (below, above) => neg(add(below, above))),
};

/** Applies an operation to arguments of the types that it declares. */
export function applyOp(op: OpName, ...args: Expr[]): Expr {
  return apply(op, OPS[op].result, ...args);
}

/** Whether a derivative reads the value of the operation. */
export function usesValue(partials: NonNullable<Op['partials']>, args: readonly Expr[]): boolean {
  const probe: Expr = { kind: 'target', type: 'real' };
  // Expressions inside the arguments cannot contain the value.
  const seen = new SmallSet<Expr>(args);
  return partials(args, probe).some((partial) => partial !== null && someNode(partial, (e) => e === probe, seen));
}

/** Whether the node is an operation that a function of a kernel module computes. */
export function isKernelCall(node: Expr): boolean {
  return node.kind === 'apply' && OPS[node.op].wasm.kind === 'kernel';
}

/** Whether the node is an operation that takes much longer than an addition. */
export function isExpensive(node: Expr): boolean {
  return node.kind === 'apply' && OPS[node.op].cost === 'expensive';
}
