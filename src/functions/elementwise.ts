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
import type { FunctionEntry } from './entry.js';
import { signaturesOf, UNARY, UNARY_AND_COMPLEX } from './signatures.js';
import { invErfc, lambertW0, lambertWm1, normalQuantileOfLog } from './special.js';

/** Functions of one argument that act on every element of containers of any shape. */
type Formula = (x: Expr, builder: Builder) => Expr;

function unary(
  name: string,
  computes: string,
  formula: Formula,
  options: {
    readonly patterns?: readonly string[];
    readonly requirement?: readonly [words: string, Requirement];
    readonly cheap?: boolean;
  } = {},
): FunctionEntry {
  const { patterns = UNARY, requirement = null, cheap = false } = options;
  return {
    name,
    family: 'elementwise',
    documentation: { computes },
    signatures: signaturesOf(name, patterns),
    build: (builder, args, call) => {
      if (args.length === 0) return scalar(log(real(name === 'log2' ? 2 : 10)), 'data');
      const wantsReal = elementOf(call.result) === 'real';
      const inIntegers = args[0].kind === 'container' && elementOf(args[0].type) === 'int' && IN_INTEGERS.has(name);
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
            require(builder, unlessNan, x, { function: name, argument: words });
          }
          return inIntegers ? truncated((INTEGER_FORMULAS.get(name) ?? formula)(x, builder)) : formula(x, builder);
        },
        cheap ? {} : { costly: true },
      );
    },
  };
}

/** Stan computes these over arrays of ints in integers, so that fractions are lost; a scalar int gives a real. */
const IN_INTEGERS: ReadonlySet<string> = new Set(
  'acos asin atan cos cosh exp inv inv_cloglog inv_sqrt inv_square log log10 logit sin sinh sqrt tan tanh'.split(' '),
);

const inverse = (x: Expr): Expr => div(ONE, x);

/** What a C++ conversion to int makes of a number. */
function truncated(x: Expr): Expr {
  return select(compare('lt', abs(x), real(2 ** 31)), call1('trunc', x), real(-(2 ** 31)));
}

/** Those of them with more than one step, each of which is taken in integers. */
const INTEGER_FORMULAS: ReadonlyMap<string, Formula> = new Map<string, Formula>([
  ['inv', (x) => select(compare('eq', x, ZERO), ZERO, inverse(x))],
  ['inv_sqrt', (x) => inverse(truncated(sqrt(x)))],
  ['inv_cloglog', (x) => sub(ONE, truncated(exp(neg(truncated(exp(x))))))],
]);

const CHEAP = { cheap: true };
const COMPLEX = { patterns: UNARY_AND_COMPLEX };
const kernel =
  (op: Parameters<typeof call1>[0]): Formula =>
  (x) =>
    call1(op, x);

/** Half away from zero, as C rounds. */
function round(x: Expr): Expr {
  const whole = call1('trunc', x);
  const away: Expr = { kind: 'apply', type: 'real', op: 'copysign', args: [ONE, x] };
  return select(compare('ge', abs(sub(x, whole)), real(0.5)), add(whole, away), whole);
}

function tgamma(x: Expr, builder: Builder): Expr {
  const pole = or(compare('eq', x, ZERO), and(compare('lt', x, ZERO), compare('eq', call1('floor', x), x)));
  builder.check(not(pole), 'tgamma: x x == 0 or negative integer{0}', [ZERO]);
  return call1('tgamma', x);
}

/** Not a number at zero and the negative integers. */
function digamma(x: Expr): Expr {
  const pole = and(compare('le', x, ZERO), compare('eq', call1('floor', x), x));
  return select(pole, real(Number.NaN), call1('digamma', x));
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

const ABS_PATTERNS = [
  '(array[N] T) => array[N] T where T = int | real | vector | row_vector | matrix',
  '(array[N] complex) => array[N] real',
  '(array[N] complex_vector) => array[N] vector',
  '(array[N] complex_row_vector) => array[N] row_vector',
  '(array[N] complex_matrix) => array[N] matrix',
];

/** Close to 1 Stan works with the complement, and tells that in its message. */
function normalQuantile(p: Expr, builder: Builder): Expr {
  const told = select(compare('ge', p, real(0.9999)), sub(ONE, p), p);
  const inside = and(compare('ge', p, ZERO), compare('le', p, ONE));
  builder.check(or(isNan(p), inside), 'inv_Phi: Probability variable is {0}, but must be in the interval [0, 1]', [
    told,
  ]);
  return call1('inv_Phi', p);
}

export const ELEMENTWISE: readonly FunctionEntry[] = [
  unary('abs', '|x|', abs, { ...CHEAP, patterns: ABS_PATTERNS }),
  unary('square', 'x²', square, CHEAP),
  unary('inv', '1/x', inverse),
  unary('inv_square', '1/x²', (x) => inverse(square(x))),
  unary('inv_sqrt', '1/√x', (x) => inverse(sqrt(x))),
  unary('sqrt', '√x', sqrt, COMPLEX),
  unary('cbrt', 'Cube root of x', kernel('cbrt')),
  unary('floor', 'Largest integer not above x', kernel('floor'), CHEAP),
  unary('ceil', 'Smallest integer not below x', kernel('ceil'), CHEAP),
  unary('round', 'Nearest integer, halves away from zero', round, CHEAP),
  unary('trunc', 'x without its fraction', kernel('trunc'), CHEAP),

  unary('exp', 'eˣ', exp, COMPLEX),
  unary('exp2', '2ˣ', kernel('exp2')),
  unary('expm1', 'eˣ - 1', kernel('expm1')),
  unary('log', 'Natural logarithm', log, COMPLEX),
  unary('log2', 'Logarithm to base 2', kernel('log2'), { patterns: [...UNARY, '() => real'] }),
  unary('log10', 'Logarithm to base 10', kernel('log10'), { patterns: [...UNARY_AND_COMPLEX, '() => real'] }),
  unary('log1p', 'log(1 + x)', log1p, { requirement: ['x', atLeastConstant(-1)] }),
  unary('log1m', 'log(1 - x)', (x) => log1p(neg(x)), { requirement: ['x', atMostConstant(1)] }),
  unary('log1p_exp', 'log(1 + eˣ)', kernel('log1p_exp')),
  unary('log1m_exp', 'log(1 - eˣ)', kernel('log1m_exp')),

  unary('sin', 'Sine', kernel('sin'), COMPLEX),
  unary('cos', 'Cosine', kernel('cos'), COMPLEX),
  unary('tan', 'Tangent', kernel('tan'), COMPLEX),
  unary('asin', 'Inverse sine', kernel('asin'), COMPLEX),
  unary('acos', 'Inverse cosine', kernel('acos'), COMPLEX),
  unary('atan', 'Inverse tangent', kernel('atan'), COMPLEX),
  unary('sinh', 'Hyperbolic sine', kernel('sinh'), COMPLEX),
  unary('cosh', 'Hyperbolic cosine', kernel('cosh'), COMPLEX),
  unary('tanh', 'Hyperbolic tangent', kernel('tanh'), COMPLEX),
  unary('asinh', 'Inverse hyperbolic sine', kernel('asinh'), COMPLEX),
  unary('acosh', 'Inverse hyperbolic cosine', kernel('acosh'), { ...COMPLEX, requirement: ['x', atLeastConstant(1)] }),
  unary('atanh', 'Inverse hyperbolic tangent', kernel('atanh'), { ...COMPLEX, requirement: ['x', between(-1, 1)] }),

  unary('logit', 'log(u / (1 - u))', (u) => log(div(u, sub(ONE, u)))),
  unary('inv_logit', '1 / (1 + e⁻ˣ)', kernel('inv_logit')),
  unary('log_inv_logit', 'log inv_logit(x)', kernel('log_inv_logit')),
  unary('log1m_inv_logit', 'log(1 - inv_logit(x))', (x) => neg(call1('log1p_exp', x))),
  unary('inv_cloglog', '1 - exp(-eˣ)', (x) => neg(call1('expm1', neg(exp(x))))),

  unary('erf', 'Error function', kernel('erf')),
  unary('erfc', 'Complementary error function', kernel('erfc')),
  unary('inv_erfc', 'Inverse of erfc', invErfc),
  unary('Phi', 'Standard normal distribution function', phi),
  unary('Phi_approx', 'Logistic approximation of Phi', (x) =>
    call1('inv_logit', mul(x, add(real(1.5976), mul(real(0.07056), square(x))))),
  ),
  unary('inv_Phi', 'Standard normal quantile', normalQuantile),
  unary('std_normal_qf', 'Standard normal quantile', normalQuantile),

  unary('std_normal_log_qf', 'Standard normal quantile of a log probability', normalQuantileOfLog),

  unary('lambert_w0', 'Upper branch of the inverse of w eʷ', lambertW0),
  unary('lambert_wm1', 'Lower branch of the inverse of w eʷ', lambertWm1),
  unary('tgamma', 'Gamma function', tgamma),
  unary('lgamma', 'log |Γ(x)|', kernel('lgamma')),
  unary('digamma', 'Derivative of lgamma', digamma),
  unary('trigamma', 'Second derivative of lgamma', kernel('trigamma')),

  {
    name: 'to_int',
    family: 'elementwise',
    documentation: { computes: 'x without its fraction as an int', domain: 'data' },
    signatures: () =>
      signaturesOf('to_int', ['(array[N] int | array[N] real) => array[N] int'])().map((signature) => ({
        ...signature,
        parameters: signature.parameters.map(({ type }) => ({ type, level: 'data' as const })),
      })),
    build: (builder, args, call) => elementwise(builder, call.result, args, (x) => toInt(x, builder)),
  },

  test('is_nan', '1 if x is not a number', ['(real) => int'], isNan),
  test('is_inf', '1 if x is infinite', ['(real) => int'], (x) =>
    compare('eq', abs(toReal(x)), real(Number.POSITIVE_INFINITY)),
  ),
  test('int_step', '1 if y > 0, else 0', ['(int | real) => int'], (y) =>
    compare('gt', y, y.type === 'int' ? int(0) : ZERO),
  ),
  test('step', '0 if y < 0, else 1', ['(real) => real'], (y) => select(compare('lt', y, ZERO), ZERO, ONE)),
];

/** A function of a scalar without derivative. */
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
