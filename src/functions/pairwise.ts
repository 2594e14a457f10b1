import { lazyAt } from '../ir/builder.js';
import {
  add,
  and,
  apply,
  call2,
  compare,
  exp,
  int,
  isNan,
  not,
  ONE,
  or,
  select,
  sub,
  toReal,
  ZERO,
} from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import { unwindArray } from '../language/types.js';
import { elementwise } from './broadcast.js';
import { nonnegative, require } from './checks.js';
import { logDiffExp, logInvLogitDiff } from './densities/formulas.js';
import type { Documentation, FunctionEntry } from './entry.js';
import {
  binaryLogLoss,
  choose,
  extreme,
  type Formula,
  factorial,
  incompleteBeta,
  incompleteGamma,
  lchoose,
  ldexp,
  lmgamma,
  logModifiedBessel,
  power,
  requireFactorialBase,
  ternaryNan,
} from './pairwise-formulas.js';
import { documented } from './row.js';
import { BINARY, BINARY_REAL, INT_AND_INT, INT_THEN_REAL, REAL_THEN_INT, signaturesOf } from './signatures.js';

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

/** Reads an array of ints in the memory order of the matrices of the same sizes. */
function sameShape(args: readonly Value[]): readonly Value[] {
  const matrix = args.find((arg) => unwindArray(arg.type).element.kind === 'matrix');
  return args.map((arg) => {
    const isInts = arg.kind === 'container' && unwindArray(arg.type).element.kind === 'int';
    return matrix !== undefined && isInts ? lazyAt(matrix.type, arg.level, arg.sizes, arg.at) : arg;
  });
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

const INTS = { ints: [0, 1], patterns: INT_AND_INT };

export const PAIRWISE: readonly FunctionEntry[] = [
  pairwise('pow', 'x to the power y', power),
  pairwise('fmin', 'The smaller of two numbers; NaN only if both are NaN', extreme('lt')),
  pairwise('fmax', 'The larger of two numbers; NaN only if both are NaN', extreme('gt')),
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
  pairwise('lchoose', 'Logarithm of the binomial coefficient; arguments can be real', lchoose),
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
      computes: 'Logarithm of the modified Bessel function of the first kind of order v',
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
      computes: 'The x at which the regularized incomplete beta function equals p',
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
    documentation: { computes: 'x y + z with one rounding', source: 'IEEE 754-2019, section 5.4.1' },
    signatures: signaturesOf('fma', [
      '(real, real, real) => real',
      '(real, real, T) => T where T = matrices',
      '(real, T, real | T) => T where T = matrices',
      '(T, real | T, real | T) => T where T = matrices',
    ]),
    build: (builder, args, call) =>
      elementwise(builder, call.result, args, (...operands) => apply('fma', 'real', ...operands.map(toReal))),
  },
];
