import type { Builder } from '../ir/builder.js';
import { elementOf, scalar } from '../ir/builder.js';
import {
  abs,
  add,
  and,
  call1,
  compare,
  div,
  exp,
  int,
  isNan,
  log,
  log1p,
  mul,
  neg,
  not,
  ONE,
  or,
  real,
  select,
  sqrt,
  square,
  sub,
  toReal,
  ZERO,
} from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import { elementwise } from './broadcast.js';
import type { Requirement } from './checks.js';
import { atLeastConstant, atMostConstant, between, require } from './checks.js';
import type { Documentation, FunctionEntry } from './entry.js';
import { documented } from './row.js';
import { signaturesOf, UNARY } from './signatures.js';
import { invErfc, lambertW0, lambertWm1, normalQuantileOfLog } from './special.js';

/** The value of a function of one argument that is applied to every element of a container. */
type Formula = (x: Expr, builder: Builder) => Expr;

function unary(
  name: string,
  documentation: string | Documentation,
  formula: Formula,
  options: {
    readonly patterns?: readonly string[];
    readonly requirement?: readonly [words: string, Requirement];
    /** Whether messages print an int as a real, because Stan's function takes a double. */
    readonly showsReals?: boolean;
    readonly cheap?: boolean;
  } = {},
): FunctionEntry {
  const { patterns = UNARY, requirement = null, showsReals = false, cheap = false } = options;
  return {
    name,
    family: 'elementwise',
    documentation: documented(documentation),
    signatures: signaturesOf(name, patterns),
    build: (builder, args, call) => {
      if (args.length === 0) return scalar(log(real(name === 'log2' ? 2 : 10)), 'data');
      const wantsReal = elementOf(call.result) === 'real';
      return elementwise(
        builder,
        call.result,
        args,
        (argument) => {
          const x = wantsReal ? toReal(argument) : argument;
          if (requirement !== null) {
            const [words, required] = requirement;
            const unlessNan: Requirement = {
              ...required,
              holds: (e, others) => or(isNan(e), required.holds(e, others)),
            };
            const shown = showsReals ? x : argument;
            require(builder, unlessNan, x, { function: name, argument: words, shown });
          }
          return formula(x, builder);
        },
        cheap ? {} : { costly: true },
      );
    },
  };
}

const inverse = (x: Expr): Expr => div(ONE, x);

const CHEAP = { cheap: true };
const kernel =
  (op: Parameters<typeof call1>[0]): Formula =>
  (x) =>
    call1(op, x);

/** Rounds halves away from zero, as in C. */
function round(x: Expr): Expr {
  const whole = call1('trunc', x);
  const away: Expr = { kind: 'apply', type: 'real', op: 'copysign', args: [ONE, x] };
  return select(compare('ge', abs(sub(x, whole)), real(0.5)), add(whole, away), whole);
}

function tgamma(x: Expr, builder: Builder): Expr {
  const pole = or(compare('eq', x, ZERO), and(compare('lt', x, ZERO), compare('eq', call1('floor', x), x)));
  builder.check(not(pole), 'tgamma: x x == 0 or negative integer{0}', [x]);
  return call1('tgamma', x);
}

/** inv_cloglog(x) = 1 - exp(-eˣ). x is limited to 700, where the value is 1, because an overflowing exponential has no derivative. */
function invCloglog(x: Expr): Expr {
  return neg(call1('expm1', neg(exp(select(compare('gt', x, real(700)), real(700), x)))));
}

/** digamma(x); NaN at 0 and the negative integers. */
function digamma(x: Expr): Expr {
  const pole = and(compare('le', x, ZERO), compare('eq', call1('floor', x), x));
  return add(call1('digamma', x), select(pole, real(Number.NaN), ZERO));
}

function phi(x: Expr, builder: Builder): Expr {
  builder.check(not(isNan(x)), 'Phi: x is {0}, but must be not nan!', [x]);
  return call1('Phi', x);
}

function toInt(x: Expr, builder: Builder): Expr {
  if (x.type === 'int') return x;
  const inside = and(compare('ge', x, real(-(2 ** 31))), compare('le', x, real(2 ** 31 - 1)));
  builder.check(inside, 'to_int: x is {0}, but must be in the interval [-2147483648, 2147483647]', [x]);
  return { kind: 'apply', type: 'int', op: 'to_int', args: [x] };
}

const ABS_PATTERNS = ['(array[N] T) => array[N] T where T = int | real | matrices'];

/** The quantile of p. Near 1, Stan computes with the complement and prints it in its message. */
function normalQuantile(p: Expr, builder: Builder): Expr {
  const shown = select(compare('ge', p, real(0.9999)), sub(ONE, p), p);
  const inside = and(compare('ge', p, ZERO), compare('le', p, ONE));
  builder.check(inside, 'inv_Phi: Probability variable is {0}, but must be in the interval [0, 1]', [shown]);
  return call1('inv_Phi', p);
}

export const ELEMENTWISE: readonly FunctionEntry[] = [
  unary('abs', '|x|', abs, { ...CHEAP, patterns: ABS_PATTERNS }),
  unary('square', 'x²', square, CHEAP),
  unary('inv', '1/x', inverse),
  unary('inv_square', '1/x²', (x) => square(inverse(x))),
  unary('inv_sqrt', '1/√x', (x) => inverse(sqrt(x))),
  unary('sqrt', '√x', sqrt),
  unary('cbrt', 'Cube root of x', kernel('cbrt')),
  unary('floor', 'Largest integer not above x', kernel('floor'), CHEAP),
  unary('ceil', 'Smallest integer not below x', kernel('ceil'), CHEAP),
  unary('round', 'Nearest integer, halves away from zero', round, CHEAP),
  unary('trunc', 'x truncated towards zero', kernel('trunc'), CHEAP),

  unary('exp', 'eˣ', exp),
  unary('exp2', '2ˣ', kernel('exp2')),
  unary('expm1', 'eˣ - 1', kernel('expm1')),
  unary('log', 'Natural logarithm', log),
  unary('log2', 'Logarithm to base 2', kernel('log2'), { patterns: [...UNARY, '() => real'] }),
  unary('log10', 'Logarithm to base 10', kernel('log10'), { patterns: [...UNARY, '() => real'] }),
  unary('log1p', 'log(1 + x)', log1p, { requirement: ['x', atLeastConstant(-1)] }),
  unary('log1m', 'log(1 - x)', (x) => log1p(neg(x)), { requirement: ['x', atMostConstant(1)], showsReals: true }),
  unary('log1p_exp', 'log(1 + eˣ)', kernel('log1p_exp')),
  unary('log1m_exp', 'log(1 - eˣ)', kernel('log1m_exp')),

  unary('sin', 'Sine', kernel('sin')),
  unary('cos', 'Cosine', kernel('cos')),
  unary('tan', 'Tangent', kernel('tan')),
  unary('asin', 'Inverse sine', kernel('asin')),
  unary('acos', 'Inverse cosine', kernel('acos')),
  unary('atan', 'Inverse tangent', kernel('atan')),
  unary('sinh', 'Hyperbolic sine', kernel('sinh')),
  unary('cosh', 'Hyperbolic cosine', kernel('cosh')),
  unary('tanh', 'Hyperbolic tangent', kernel('tanh')),
  unary('asinh', 'Inverse hyperbolic sine', kernel('asinh')),
  unary('acosh', 'Inverse hyperbolic cosine', kernel('acosh'), { requirement: ['x', atLeastConstant(1)] }),
  unary('atanh', 'Inverse hyperbolic tangent', kernel('atanh'), { requirement: ['x', between(-1, 1)] }),

  unary('logit', 'log(u / (1 - u))', (u) => log(div(u, sub(ONE, u)))),
  unary('inv_logit', '1 / (1 + e⁻ˣ)', kernel('inv_logit')),
  unary('log_inv_logit', 'log inv_logit(x)', kernel('log_inv_logit')),
  unary('log1m_inv_logit', 'log(1 - inv_logit(x))', (x) => neg(call1('log1p_exp', x))),
  unary('inv_cloglog', '1 - exp(-eˣ)', invCloglog),

  unary('erf', { computes: 'Error function', source: 'Shepherd and Laframboise, Math. Comp. 36, 1981' }, kernel('erf')),
  unary(
    'erfc',
    { computes: 'Complementary error function', source: 'Shepherd and Laframboise, Math. Comp. 36, 1981' },
    kernel('erfc'),
  ),
  unary(
    'inv_erfc',
    { computes: 'Inverse of erfc', domain: '0 ≤ x ≤ 2', source: 'Wichura, AS 241, Applied Statistics 37, 1988' },
    invErfc,
  ),
  unary(
    'Phi',
    { computes: 'Standard normal distribution function', source: 'Shepherd and Laframboise, Math. Comp. 36, 1981' },
    phi,
  ),
  unary(
    'Phi_approx',
    {
      computes: 'Logistic approximation of Phi',
      source: 'Bowling et al., J. Industrial Engineering and Management 2, 2009',
    },
    (x) => call1('inv_logit', mul(x, add(real(1.5976), mul(real(0.07056), square(x))))),
  ),
  unary(
    'inv_Phi',
    {
      computes: 'Standard normal quantile',
      domain: '0 ≤ x ≤ 1',
      source: 'Wichura, AS 241, Applied Statistics 37, 1988',
    },
    normalQuantile,
  ),
  unary(
    'std_normal_qf',
    {
      computes: 'Standard normal quantile',
      domain: '0 ≤ x ≤ 1',
      source: 'Wichura, AS 241, Applied Statistics 37, 1988',
    },
    normalQuantile,
  ),

  unary(
    'std_normal_log_qf',
    {
      computes: 'Standard normal quantile of a log probability',
      domain: 'x ≤ 0',
      source: 'Newton iteration on log Phi',
    },
    normalQuantileOfLog,
  ),

  unary(
    'lambert_w0',
    {
      computes: 'Upper branch of the inverse of w eʷ',
      domain: 'x ≥ -1/e',
      source: 'Corless et al., Adv. Comput. Math. 5, 1996',
    },
    lambertW0,
  ),
  unary(
    'lambert_wm1',
    {
      computes: 'Lower branch of the inverse of w eʷ',
      domain: '-1/e ≤ x < 0',
      source: 'Corless et al., Adv. Comput. Math. 5, 1996',
    },
    lambertWm1,
  ),
  unary('tgamma', 'Gamma function', tgamma),
  unary(
    'lgamma',
    { computes: 'log |Γ(x)|', source: 'adapted from Cody and Hillstrom, Math. Comp. 21, 1967' },
    kernel('lgamma'),
  ),
  unary(
    'digamma',
    { computes: 'Derivative of lgamma', source: 'recurrence and asymptotic series (NIST Handbook, 5.5 and 5.11)' },
    digamma,
  ),
  unary(
    'trigamma',
    { computes: 'Second derivative of lgamma', source: 'recurrence and asymptotic series (NIST Handbook, 5.15)' },
    kernel('trigamma'),
  ),

  {
    name: 'to_int',
    family: 'elementwise',
    documentation: { computes: 'x truncated to an int', domain: 'data' },
    signatures: signaturesOf('to_int', ['(data array[N] int | array[N] real) => array[N] int']),
    build: (builder, args, call) => elementwise(builder, call.result, args, (x) => toInt(x, builder)),
  },

  test('is_nan', '1 if x is NaN, else 0', ['(real) => int'], isNan),
  test('is_inf', '1 if x is infinite, else 0', ['(real) => int'], (x) =>
    compare('eq', abs(toReal(x)), real(Number.POSITIVE_INFINITY)),
  ),
  test('int_step', '1 if y > 0, else 0', ['(int | real) => int'], (y) =>
    compare('gt', y, y.type === 'int' ? int(0) : ZERO),
  ),
  test('step', '0 if y < 0, else 1', ['(real) => real'], (y) => select(compare('lt', y, ZERO), ZERO, ONE)),
];

/** A function of a scalar that has no derivative. */
function test(name: string, computes: string, patterns: readonly string[], formula: (x: Expr) => Expr): FunctionEntry {
  return {
    name,
    family: 'elementwise',
    documentation: { computes },
    signatures: signaturesOf(name, patterns),
    build: (_, [x]) => {
      if (x.kind !== 'scalar') throw new Error(`${name} takes a scalar`);
      return scalar(formula(x.value), 'data');
    },
  };
}
