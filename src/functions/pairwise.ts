import type { Builder } from '../ir/builder.js';
import { lazyAt } from '../ir/builder.js';
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
import { unwindArray } from '../language/types.js';
import { elementwise } from './broadcast.js';
import { atLeastConstant, nonnegative, notNan, require } from './checks.js';
import { logDiffExp, logInvLogitDiff } from './densities/formulas.js';
import type { Call, Documentation, FunctionEntry } from './entry.js';
import { documented } from './row.js';
import { BINARY, BINARY_REAL, INT_AND_INT, INT_THEN_REAL, REAL_THEN_INT, signaturesOf } from './signatures.js';

/** Functions of two or three arguments that act on every element, scalars with containers. `given` are x and y before ints became reals. */
type Formula = (x: Expr, y: Expr, builder: Builder, args: readonly Value[], given: readonly [x: Expr, y: Expr]) => Expr;

function pairwise(
  name: string,
  documentation: string | Documentation,
  formula: Formula,
  options: { readonly patterns?: readonly string[]; readonly ints?: readonly number[]; readonly cheap?: boolean } = {},
): FunctionEntry {
  const { patterns = BINARY, ints = [], cheap = false } = options;
  return {
    name,
    family: 'elementwise',
    documentation: documented(documentation),
    signatures: signaturesOf(name, patterns),
    build: (builder, args, call) =>
      elementwise(
        builder,
        call.result,
        sameShape(args),
        (x, y) => formula(ints.includes(0) ? x : toReal(x), ints.includes(1) ? y : toReal(y), builder, args, [x, y]),
        cheap ? {} : { costly: true },
      ),
  };
}

/** An array of ints is read in the order of the matrices of the same sizes. */
function sameShape(args: readonly Value[]): readonly Value[] {
  const matrix = args.find((arg) => unwindArray(arg.type).element.kind === 'matrix');
  return args.map((arg) => {
    const isInts = arg.kind === 'container' && unwindArray(arg.type).element.kind === 'int';
    return matrix !== undefined && isInts ? lazyAt(matrix.type, arg.level, arg.sizes, arg.at) : arg;
  });
}

const ternaryNan = (a: Expr, b: Expr, otherwise: Expr): Expr => select(or(isNan(a), isNan(b)), add(a, b), otherwise);

/** Powers with constant exponents that need no kernel are written out. */
function power(x: Expr, y: Expr): Expr {
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

/** For equal numbers, the first one gets the derivative if only it may depend on parameters, otherwise the second. */
function extreme(op: 'lt' | 'gt'): Formula {
  return (x, y, _, args) => {
    const isFirst = args[0].level === 'autodiff' && args[1].level === 'data';
    const better = compare(isFirst ? (op === 'lt' ? 'le' : 'ge') : op, x, y);
    return select(or(better, isNan(y)), x, y);
  };
}

function lchoose(...[n, k, builder, , [givenN, givenK]]: Parameters<Formula>): Expr {
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

function choose(n: Expr, k: Expr, builder: Builder): Expr {
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

/** A whole number that is an int; outside the range of an int, the least int. */
function representable(x: Expr): Expr {
  const positiveZero = select(compare('eq', x, ZERO), ZERO, x);
  return apply('to_int', 'int', select(compare('lt', abs(x), real(2 ** 31)), positiveZero, real(-(2 ** 31))));
}

/** The product of this number of consecutive factors overflows, unless one of them is 0. */
const FACTORS_THAT_OVERFLOW = 512;

/** Product of `n` factors x, x + step, …; ints stay ints. */
function factorial(name: string, step: -1 | 1): Formula {
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
    // an infinite product times a factor of 0
    builder.if(isNan(get(product)), () => builder.assign(product, ZERO));
    builder.if(compare('gt', n, int(FACTORS_THAT_OVERFLOW)), () =>
      builder.assign(product, overflown(first, toReal(n), step)),
    );
    return x.type === 'int' ? representable(get(product)) : get(product);
  };
}

/** A factorial that is 0 or infinite because of its number of factors, with the sign of their product. */
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

function requireFactorialBase(builder: Builder, name: string, x: Expr, shown: Expr): void {
  builder.check(or(isNan(x), compare('gt', x, ZERO)), `${name}: first argument is {0}, but must be positive!`, [shown]);
}

function lmgamma(k: Expr, x: Expr, builder: Builder): Expr {
  builder.check(compare('ge', k, int(0)), 'lmgamma: first argument is {0}, but must be nonnegative!', [k]);
  const halves = mul(toReal(k), sub(toReal(k), ONE));
  const sum = builder.sum(k, (j) => lgamma(sub(x, mul(real(0.5), toReal(j)))));
  return add(mul(real(Math.log(Math.PI) / 4), halves), sum);
}

/** x 2ⁿ in two steps, so that 2ⁿ alone may leave the range of doubles. */
function ldexp(x: Expr, n: Expr): Expr {
  const half: Expr = { kind: 'apply', type: 'int', op: 'div_int', args: [n, int(2)] };
  return mul(mul(x, call1('exp2', half)), call1('exp2', sub(n, half)));
}

function binaryLogLoss(y: Expr, probability: Expr, builder: Builder, args: readonly Value[]): Expr {
  // Stan's logarithm of the complement of a parameter uses log1p, and its message shows its argument.
  const [words, shown] =
    args[1].level === 'autodiff'
      ? ['log1p: x is {0}, but must be greater than or equal to -1.000000', neg(probability)]
      : ['log1m: x is {0}, but must be less than or equal to 1.000000', probability];
  const isWithin = or(isNan(probability), compare('le', probability, ONE));
  builder.check(or(compare('ne', y, int(0)), isWithin), words, [shown]);
  return neg(select(compare('ne', y, int(0)), log(probability), log1p(neg(probability))));
}

function incompleteGamma(name: 'gamma_p' | 'gamma_q'): Formula {
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

function bessel(
  name: 'bessel_first_kind' | 'bessel_second_kind' | 'modified_bessel_first_kind' | 'modified_bessel_second_kind',
): FunctionEntry {
  const formula: Formula = (v, x, builder) => {
    if (name === 'bessel_second_kind') {
      const place = 'Error in function boost::math::bessel_yn<long double>(long double,long double)';
      const must = `${place}: Got x = {0:21}, but x must be > 0, complex result not supported.`;
      const isPositive = or(isNan(x), compare('gt', x, ZERO));
      const isPole = and(compare('eq', x, ZERO), compare('eq', v, int(0)));
      builder.check(or(isPositive, isPole), must, [x]);
      builder.check(not(isPole), `${place}: Overflow Error`, []);
    }
    if (name === 'modified_bessel_second_kind') {
      const place = 'Error in function boost::math::bessel_kn<long double>(long double,long double)';
      const must = 'argument x must be non-negative, complex number result not supported.';
      builder.check(or(isNan(x), compare('ge', x, ZERO)), `${place}: Got x = {0:21}, but ${must}`, [x]);
      builder.check(compare('ne', x, ZERO), `${place}: Overflow Error`, []);
    }
    if (name.endsWith('first_kind')) builder.check(not(isNan(x)), `${name}: z is {0}, but must be not nan!`, [x]);
    return { kind: 'apply', type: 'real', op: name, args: [v, x] };
  };
  const documentation = {
    computes: 'Bessel function of integer order v',
    source: 'Abramowitz and Stegun, chapter 9; Temme, J. Comput. Phys. 19, 1975',
  };
  return pairwise(name, documentation, formula, { patterns: INT_THEN_REAL, ints: [0] });
}

function incompleteBeta(builder: Builder, args: readonly Value[], call: Call): Value {
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

function logModifiedBessel(...[v, x, builder, , given]: Parameters<Formula>): Expr {
  const name = 'log_modified_bessel_first_kind';
  const order = { function: name, argument: 'first argument (order)', shown: given[0] };
  const variable = { function: name, argument: 'second argument (variable)', shown: given[1] };
  require(builder, notNan, v, order);
  require(builder, notNan, x, variable);
  require(builder, nonnegative, x, variable);
  require(builder, atLeastConstant(-1), v, order);
  return call2(name, v, x);
}

const INTS = { ints: [0, 1], patterns: INT_AND_INT };

export const PAIRWISE: readonly FunctionEntry[] = [
  pairwise('pow', 'x to the power y', power),
  pairwise('fmin', 'The smaller of two numbers; NaN only if both are', extreme('lt')),
  pairwise('fmax', 'The larger of two numbers; NaN only if both are', extreme('gt')),
  pairwise('fdim', 'max(x - y, 0)', (x, y) => select(compare('le', x, y), ZERO, sub(x, y))),
  pairwise('fmod', 'Remainder of x / y with the sign of x', (x, y) => call2('fmod', x, y)),
  pairwise('hypot', '√(x² + y²)', (x, y) => call2('hypot', x, y)),
  pairwise('atan2', 'Angle of the point (y, x)', (y, x) => call2('atan2', y, x)),
  pairwise(
    'lbeta',
    {
      computes: 'Logarithm of the beta function',
      domain: 'a, b ≥ 0',
      source: 'DiDonato and Morris, ACM TOMS 18, 1992',
    },
    (a, b, builder, _, [first, second]) => {
      const unlessNan = { ...nonnegative, holds: (x: Expr) => or(isNan(x), compare('ge', x, ZERO)) };
      require(builder, unlessNan, a, { function: 'lbeta', argument: 'first argument', shown: first });
      require(builder, unlessNan, b, { function: 'lbeta', argument: 'second argument', shown: second });
      return call2('lbeta', a, b);
    },
  ),
  pairwise('beta', 'Beta function', (a, b) => exp(call2('lbeta', a, b))),
  pairwise('lchoose', 'Logarithm of the binomial coefficient, also for reals', lchoose),
  pairwise('choose', 'Binomial coefficient', choose, INTS),
  pairwise('lmultiply', 'x log y; 0 where both are 0', (x, y) => call2('lmultiply', x, y)),
  pairwise('log_diff_exp', 'log(eˣ - eʸ)', (x, y) => logDiffExp(x, y)),
  pairwise('log_inv_logit_diff', 'log(inv_logit(x) - inv_logit(y))', (x, y) => logInvLogitDiff(x, y)),
  pairwise(
    'log_falling_factorial',
    { computes: 'log(Γ(x + 1) / Γ(x - n + 1))', source: "recurrence and Stirling's series, without cancellation" },
    (x, n, builder, _, [given]) => {
      requireFactorialBase(builder, 'log_falling_factorial', x, given);
      return ternaryNan(x, n, call2('lgamma_rise', add(sub(x, n), ONE), n));
    },
  ),
  pairwise(
    'log_rising_factorial',
    { computes: 'log(Γ(x + n) / Γ(x))', source: "recurrence and Stirling's series, without cancellation" },
    (x, n, builder, _, [given]) => {
      requireFactorialBase(builder, 'log_rising_factorial', x, given);
      return ternaryNan(x, n, call2('lgamma_rise', x, n));
    },
  ),
  pairwise('falling_factorial', 'x (x - 1) … (x - n + 1)', factorial('falling_factorial', -1), {
    patterns: [...INT_AND_INT, ...REAL_THEN_INT],
    ints: [0, 1],
  }),
  pairwise('rising_factorial', 'x (x + 1) … (x + n - 1)', factorial('rising_factorial', 1), {
    patterns: [...INT_AND_INT, ...REAL_THEN_INT],
    ints: [0, 1],
  }),
  pairwise('ldexp', 'x 2ⁿ', ldexp, { patterns: REAL_THEN_INT, ints: [1] }),
  pairwise('lmgamma', 'Logarithm of the multivariate gamma function', lmgamma, { patterns: INT_THEN_REAL, ints: [0] }),
  pairwise('binary_log_loss', 'Log loss of a predicted probability for an outcome', binaryLogLoss, {
    patterns: INT_THEN_REAL,
    ints: [0],
  }),
  pairwise(
    'gamma_p',
    {
      computes: 'Regularized lower incomplete gamma function',
      domain: 'a > 0, x ≥ 0',
      source: 'DiDonato and Morris, ACM TOMS 12, 1986',
    },
    incompleteGamma('gamma_p'),
    {
      patterns: BINARY_REAL,
    },
  ),
  pairwise(
    'gamma_q',
    {
      computes: 'Regularized upper incomplete gamma function',
      domain: 'a > 0, x ≥ 0',
      source: 'DiDonato and Morris, ACM TOMS 12, 1986',
    },
    incompleteGamma('gamma_q'),
    {
      patterns: BINARY_REAL,
    },
  ),
  pairwise(
    'owens_t',
    { computes: "Owen's T function", source: 'Gauss-Legendre quadrature of the integrand' },
    (h, a) => call2('owens_t', h, a),
    { patterns: BINARY_REAL },
  ),
  pairwise(
    'log_modified_bessel_first_kind',
    {
      computes: 'Logarithm of the modified Bessel function of the first kind and order v',
      domain: 'v ≥ -1, x ≥ 0',
      source: 'Abramowitz and Stegun, 9.6, 9.7',
    },
    logModifiedBessel,
  ),
  bessel('bessel_first_kind'),
  bessel('bessel_second_kind'),
  bessel('modified_bessel_first_kind'),
  bessel('modified_bessel_second_kind'),
  {
    name: 'inc_beta',
    family: 'elementwise',
    documentation: {
      computes: 'Regularized incomplete beta function',
      domain: 'a, b > 0, 0 ≤ x ≤ 1',
      source: 'DiDonato and Morris, ACM TOMS 18, 1992',
    },
    signatures: signaturesOf('inc_beta', ['(real, real, real) => real']),
    build: incompleteBeta,
  },
  {
    name: 'inv_inc_beta',
    family: 'elementwise',
    documentation: {
      computes: 'The x at which the regularized incomplete beta function is p',
      source: "Newton's method within a bracket",
    },
    signatures: signaturesOf('inv_inc_beta', ['(real, real, real) => real']),
    build: (builder, args, call) =>
      elementwise(builder, call.result, args, (a, b, p) => {
        for (const [words, value] of [
          ['a', a],
          ['b', b],
          ['p', p],
        ] as const) {
          builder.check(not(isNan(value)), `inv_inc_beta: ${words} is {0}, but must be not nan!`, [value]);
        }
        for (const [words, value] of [
          ['a', a],
          ['b', b],
        ] as const) {
          builder.check(compare('gt', value, ZERO), `inv_inc_beta: ${words} is {0}, but must be positive!`, [value]);
        }
        const inside = and(compare('ge', p, ZERO), compare('le', p, ONE));
        builder.check(inside, 'inv_inc_beta: p is {0}, but must be in the interval [0, 1]', [p]);
        return { kind: 'apply', type: 'real', op: 'inv_inc_beta', args: [a, b, p] };
      }),
  },
  {
    name: 'fma',
    family: 'elementwise',
    documentation: { computes: 'x y + z' },
    signatures: signaturesOf('fma', [
      '(real, real, real) => real',
      '(real, real, T) => T where T = matrices',
      '(real, T, real | T) => T where T = matrices',
      '(T, real | T, real | T) => T where T = matrices',
    ]),
    build: (builder, args, call) => elementwise(builder, call.result, args, (x, y, z) => add(mul(x, y), z)),
  },
];
