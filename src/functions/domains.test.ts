import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evaluate, type Given, int, matrix, parameter, real, vector } from '../../test/support/evaluated-call.js';

const NAN = Number.NaN;
const INFINITY = Number.POSITIVE_INFINITY;
const W = 'Error in function boost::math::lambert_wm1<RealType>(<RealType>): Argument z';
const W0 = 'Error in function boost::math::lambert_w0<double>';
const ERFC = 'Error in function boost::math::erfc_inv<double>(double, double)';
const YN = 'Error in function boost::math::bessel_yn<long double>(long double,long double)';
const KN = 'Error in function boost::math::bessel_kn<long double>(long double,long double)';
const GAMMA = 'Error in function boost::math::gamma_p<long double>(long double, long double)';
const BETA = 'Error in function boost::math::ibeta<double>(double, double, double)';
const RANGE = 'out of range; expecting index to be between 1 and 2 for';
const NEGATIVE = 'complex result not supported.';
const X = matrix(2, 1, 2, 3, 4);

/** Calls outside of the domains, and the messages of Stan 2.39. */
const CALLS: readonly (readonly [name: string, args: readonly Given[], message: string])[] = [
  [
    'lambert_wm1',
    [real(-0.5)],
    `${W} = -0.5 is out of range (z < -exp(-1) = -3.6787944... <= 0) for Lambert W-1 (or W0) branch!`,
  ],
  ['lambert_wm1', [real(0.5)], `${W} = 0.5 is out of range (z <= 0) for Lambert W-1 branch! (Try Lambert W0 branch?)`],
  ['lambert_wm1', [real(NAN)], `${W} is NaN!`],
  ['lambert_w0', [real(-0.5)], `${W0}: Expected z >= -e^-1 (-0.367879...) but got -0.5.`],
  ['lambert_w0', [real(NAN)], `${W0}: Expected a value > -e^-1 (-0.367879...) but got nan.`],
  ['inv_erfc', [real(0)], `${ERFC}: Overflow Error`],
  ['inv_erfc', [real(2)], `${ERFC}: Overflow Error`],
  ['inv_Phi', [real(NAN)], 'inv_Phi: Probability variable is nan, but must be in the interval [0, 1]'],
  ['bessel_second_kind', [int(1), real(0)], `${YN}: Got x = 0, but x must be > 0, ${NEGATIVE}`],
  ['bessel_second_kind', [int(0), real(0)], `${YN}: Overflow Error`],
  ['bessel_second_kind', [int(1), real(-1)], `${YN}: Got x = -1, but x must be > 0, ${NEGATIVE}`],
  ['modified_bessel_second_kind', [int(1), real(0)], `${KN}: Overflow Error`],
  [
    'modified_bessel_second_kind',
    [int(0), real(-1)],
    `${KN}: Got x = -1, but argument x must be non-negative, complex number result not supported.`,
  ],
  ['lambert_w0', [int(-2000000)], `${W0}: Expected z >= -e^-1 (-0.367879...) but got -2000000.`],
  [
    'gamma_q',
    [real(1), real(-0.1)],
    `${GAMMA}: Argument x to the incomplete gamma function must be >= 0 (got x=-0.100000000000000005551).`,
  ],
  [
    'inc_beta',
    [real(1), real(1), real(2000000.123456789)],
    `${BETA}: Parameter x outside the range [0,1] in the incomplete beta function (got x=2000000.1234567889).`,
  ],
  ['log1p', [int(-2000000)], 'log1p: x is -2000000, but must be greater than or equal to -1.000000'],
  ['log1p', [real(-2000000)], 'log1p: x is -2e+06, but must be greater than or equal to -1.000000'],
  ['log1m', [int(2000000)], 'log1m: x is 2e+06, but must be less than or equal to 1.000000'],
  ['acosh', [int(-2000000)], 'acosh: x is -2000000, but must be greater than or equal to 1.000000'],
  ['atanh', [int(2000000)], 'atanh: x is 2000000, but must be in the interval [-1, 1]'],
  [
    'lchoose',
    [int(-2000000), int(2)],
    'binomial_coefficient_log: first argument is -2000000, but must be greater than or equal to -1.000000',
  ],
  [
    'lchoose',
    [int(5), int(2000000)],
    'binomial_coefficient_log: second argument is -1999995, but must be greater than or equal to -1.000000',
  ],
  [
    'lchoose',
    [real(5), int(-2000000)],
    'binomial_coefficient_log: second argument is -2000000, but must be greater than or equal to -1.000000',
  ],
  [
    'lchoose',
    [real(5), int(2000000)],
    'binomial_coefficient_log: second argument is -2e+06, but must be greater than or equal to -1.000000',
  ],
  [
    'lchoose',
    [int(5), real(-2000000)],
    'binomial_coefficient_log: second argument is -2e+06, but must be greater than or equal to -1.000000',
  ],
  [
    'log_falling_factorial',
    [int(-2000000), int(1)],
    'log_falling_factorial: first argument is -2000000, but must be positive!',
  ],
  ['bessel_second_kind', [int(1), real(-2000000)], `${YN}: Got x = -2000000, but x must be > 0, ${NEGATIVE}`],
  ['lbeta', [int(-2000000), real(1)], 'lbeta: first argument is -2000000, but must be nonnegative!'],
  ['lbeta', [real(1), int(-2000000)], 'lbeta: second argument is -2000000, but must be nonnegative!'],
  [
    'log_modified_bessel_first_kind',
    [real(1), int(-2000000)],
    'log_modified_bessel_first_kind: second argument (variable) is -2000000, but must be nonnegative!',
  ],
  ['normal_rng', [int(0), int(-2000000)], 'normal_rng: Scale parameter is -2000000, but must be positive finite!'],
  ['normal_rng', [int(0), real(-2000000)], 'normal_rng: Scale parameter is -2e+06, but must be positive finite!'],
  [
    'uniform_rng',
    [int(2000000), int(1000000)],
    'uniform_rng: Upper bound parameter is 1000000, but must be greater than 2000000.000000',
  ],
  ['tgamma', [real(0)], 'tgamma: x x == 0 or negative integer0'],
  ['tgamma', [real(-2)], 'tgamma: x x == 0 or negative integer-2'],
  [
    'lchoose',
    [real(3), real(8)],
    'binomial_coefficient_log: second argument is -5, but must be greater than or equal to -1.000000',
  ],
  [
    'lchoose',
    [real(-1), real(2)],
    'binomial_coefficient_log: (first argument - second argument + 1) is -2, but must be greater than or equal to 0.000000',
  ],
  ['gamma_q', [real(1), real(-1)], `${GAMMA}: Argument x to the incomplete gamma function must be >= 0 (got x=-1).`],
  [
    'inc_beta',
    [real(1), real(1), real(1.5)],
    `${BETA}: Parameter x outside the range [0,1] in the incomplete beta function (got x=1.5).`,
  ],
  [
    'inc_beta',
    [real(0), real(0), real(0.5)],
    `${BETA}: The arguments a and b to the incomplete beta function cannot both be zero, with x=0.5.`,
  ],
  ['lbeta', [real(-1), real(1)], 'lbeta: first argument is -1, but must be nonnegative!'],
  ['lbeta', [real(1), real(-1)], 'lbeta: second argument is -1, but must be nonnegative!'],
  ['log_mix', [real(NAN), real(1), real(2)], 'log_mix: theta is nan, but must be in the interval [0, 1]'],
  ['log_mix', [real(0.5), real(NAN), real(2)], 'log_mix: lambda1 is nan, but must be not nan!'],
  ['log_mix', [real(2), real(1), real(NAN)], 'log_mix: lambda2 is nan, but must be not nan!'],
  ['log_mix', [vector(0.5, 0.5), vector(NAN, 1)], 'log_mix: lambda[1] is nan, but must be finite!'],
  ['log_mix', [vector(0.5, 0.5), vector(1, INFINITY)], 'log_mix: lambda[2] is inf, but must be finite!'],
  ['bernoulli_lpmf', [int(2), real(NAN)], 'bernoulli_lpmf: n is 2, but must be in the interval [0, 1]'],
  ['bernoulli_logit_lpmf', [int(-1), real(0)], 'bernoulli_logit_lpmf: n is -1, but must be in the interval [0, 1]'],
  ['rep_row_vector', [real(1), int(-1)], 'rep_vector: n is -1, but must be nonnegative!'],
  ['falling_factorial', [real(NAN), int(1)], 'falling_factorial: first argument is nan, but must be not nan!'],
  ['rising_factorial', [real(NAN), int(0)], 'rising_factorial: first argument is nan, but must be not nan!'],
  [
    'log_falling_factorial',
    [real(-3.5), real(2)],
    'log_falling_factorial: first argument is -3.5, but must be positive!',
  ],
  ['log_rising_factorial', [real(0), real(1)], 'log_rising_factorial: first argument is 0, but must be positive!'],
  ['binary_log_loss', [int(0), real(2)], 'log1m: x is 2, but must be less than or equal to 1.000000'],
  ['binary_log_loss', [int(0), parameter(real(2))], 'log1p: x is -2, but must be greater than or equal to -1.000000'],
  ['sub_row', [X, int(3), int(1), int(1)], `sub_row: accessing element out of range. index 3 ${RANGE} rows of i`],
  ['sub_row', [X, int(1), int(3), int(1)], `sub_row: accessing element out of range. index 3 ${RANGE} columns of j`],
  [
    'sub_row',
    [X, int(1), int(1), int(-1)],
    `sub_col: accessing element out of range. index -1 ${RANGE} columns of j+ncols-1`,
  ],
  [
    'sub_col',
    [X, int(1), int(1), int(-1)],
    `sub_col: accessing element out of range. index -1 ${RANGE} rows of i+nrows-1`,
  ],
  ['sub_col', [matrix(3, 1, 2, 3), int(3), int(1), int(-1)], 'sub_col: nrows is -1, but must be nonnegative!'],
  ['sub_row', [matrix(1, 1, 2, 3), int(1), int(3), int(-1)], 'sub_row: ncols is -1, but must be nonnegative!'],
];

describe('a call outside the domain stops with the message of real Stan', () => {
  for (const [name, args, message] of CALLS) {
    it(`${name}: ${message}`, () => assert.throws(() => evaluate(name, ...args), { message }));
  }
});

it("a multivariate gamma function of negative dimension, which ends real Stan's process, is rejected", () => {
  const message = 'lmgamma: first argument is -1, but must be nonnegative!';
  assert.throws(() => evaluate('lmgamma', int(-1), real(3.5)), { message });
});
