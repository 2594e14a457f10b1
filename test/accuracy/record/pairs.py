"""The truths of the elementary functions of several arguments."""

import math
from fractions import Fraction

import mpmath as mp

from elementary import log1m_exp, logistic
from points import Int, Real
from truth import Function

ANY = Real()
PROBABILITY = Real(low=0.0, high=1.0, ordinary=(0.0, 1.0), about=(0.5,), exponents=(-300, 0))
EXPONENT = Real(ordinary=(-50, 50), about=(0.0,), exponents=(-300, 5))
# of two components that agree nearly the derivative with respect to their proportion cancels
TERM = Real(ordinary=(-50, 50), exponents=(-2, 5))
SCALE = Real(low=0.0, ordinary=(0.1, 10.0), about=(1.0,), exponents=(-100, 100))
FREE = Real(ordinary=(-20, 20), about=(0.0, 37.0), exponents=(-300, 3))
BOUND = Real(ordinary=(-10, 10), exponents=(-20, 20))


def log_sum_exp(x, y):
    high, low = max(x, y), min(x, y)
    return high + mp.log1p(mp.exp(low - high))


def log_mix_shares(theta, x, y):
    """The shares of the two components."""
    distance = mp.log(theta) + x - mp.log1p(-theta) - y
    return logistic(distance), logistic(-distance)


def log_mix(theta, x, y):
    return log_sum_exp(mp.log(theta) + x, mp.log1p(-theta) + y)


def log_mix_slopes(theta, x, y):
    first, second = log_mix_shares(theta, x, y)
    return [first / theta - second / (1 - theta), first, second]


def log_inv_logit_diff(x, y):
    return x - mp.log1p(mp.exp(x)) + log1m_exp(y - x) - mp.log1p(mp.exp(y))


def ratio(x, y):
    return Fraction(*float(x).as_integer_ratio()) / Fraction(*float(y).as_integer_ratio())


def remainder(x, y):
    return mp.mpf(math.fmod(float(x), float(y)))


def free_between(y, low, high):
    return mp.log(y - low) - mp.log(high - y)


def free_between_slopes(y, low, high):
    return [1 / (y - low) + 1 / (high - y), -1 / (y - low), -1 / (high - y)]


def increasing(x, low, high):
    return low < high and math.isfinite(high - low)


def inside(y, low, high):
    return low < y < high and math.isfinite(high - low)


def between(x, low, high):
    return low + (high - low) * logistic(x)


def between_slopes(x, low, high):
    return [(high - low) * logistic(x) * logistic(-x), logistic(-x), logistic(x)]


def pair(name, first, second, truth, gradient, **options):
    return Function(name, (first, second), truth, gradient, **options)


def sign_of(x, y):
    return mp.mpf(1) if x > y else mp.mpf(0)


NOT_BOTH_ZERO = {"where": lambda x, y: x != 0 or y != 0}
DIFFERENT = {"where": lambda x, y: x != y}

FUNCTIONS = [
    pair("add", ANY, ANY, lambda x, y: x + y, lambda x, y: [mp.mpf(1), mp.mpf(1)]),
    pair("subtract", ANY, ANY, lambda x, y: x - y, lambda x, y: [mp.mpf(1), mp.mpf(-1)]),
    pair("multiply", ANY, ANY, lambda x, y: x * y, lambda x, y: [y, x]),
    pair("elt_multiply", ANY, ANY, lambda x, y: x * y, lambda x, y: [y, x]),
    pair("divide", ANY, ANY, lambda x, y: x / y, lambda x, y: [1 / y, -x / y**2], where=lambda x, y: y != 0),
    pair("elt_divide", ANY, ANY, lambda x, y: x / y, lambda x, y: [1 / y, -x / y**2], where=lambda x, y: y != 0),
    pair("squared_distance", ANY, ANY, lambda x, y: (x - y) ** 2, lambda x, y: [2 * (x - y), 2 * (y - x)]),
    Function("fma", (ANY, ANY, ANY), lambda x, y, z: x * y + z, lambda x, y, z: [y, x, mp.mpf(1)]),
    pair("pow", Real(low=0.0, ordinary=(0.0, 10.0), about=(1.0,)), Real(ordinary=(-10, 10), about=(0.0, 1.0, 2.0), exponents=(-300, 10)),
         lambda x, y: x**y, lambda x, y: [y * x ** (y - 1), x**y * mp.log(x)], where=lambda x, y: x > 0),
    pair("fmin", ANY, ANY, min, lambda x, y: [sign_of(y, x), sign_of(x, y)], **DIFFERENT),
    pair("fmax", ANY, ANY, max, lambda x, y: [sign_of(x, y), sign_of(y, x)], **DIFFERENT),
    pair("fdim", ANY, ANY, lambda x, y: max(x - y, mp.mpf(0)), lambda x, y: [sign_of(x, y), -sign_of(x, y)], **DIFFERENT),
    pair("fmod", ANY, ANY, remainder, lambda x, y: [mp.mpf(1), -mp.mpf(int(ratio(x, y)))], where=lambda x, y: y != 0),
    pair("hypot", ANY, ANY, mp.hypot, lambda x, y: [x / mp.hypot(x, y), y / mp.hypot(x, y)], **NOT_BOTH_ZERO),
    pair("atan2", ANY, ANY, mp.atan2, lambda y, x: [x / (x * x + y * y), -y / (x * x + y * y)], **NOT_BOTH_ZERO),
    pair("lmultiply", ANY, Real(low=0.0, ordinary=(0.0, 20.0), about=(1.0,)), lambda x, y: x * mp.log(y),
         lambda x, y: [mp.log(y), x / y], where=lambda x, y: y > 0),
    pair("log_sum_exp", EXPONENT, EXPONENT, log_sum_exp, lambda x, y: [logistic(x - y), logistic(y - x)]),
    pair("log_diff_exp", EXPONENT, EXPONENT, lambda x, y: x + log1m_exp(y - x),
         lambda x, y: [1 / -mp.expm1(y - x), 1 / -mp.expm1(x - y)], where=lambda x, y: x > y),
    pair("log_inv_logit_diff", EXPONENT, EXPONENT, log_inv_logit_diff,
         lambda x, y: [-logistic(-x) / (logistic(-y) * mp.expm1(y - x)), logistic(y) / (logistic(x) * mp.expm1(y - x))],
         where=lambda x, y: x > y),
    Function("log_mix", (PROBABILITY, TERM, TERM), log_mix, log_mix_slopes, where=lambda t, x, y: 1e-300 < t < 1),
    pair("ldexp", ANY, Int(low=-1100, high=1100, ordinary=(-30, 30)), lambda x, n: x * mp.mpf(2) ** n,
         lambda x, n: [mp.mpf(2) ** n]),
    pair("binary_log_loss", Int(low=0, high=1, ordinary=(0, 1)), PROBABILITY,
         lambda y, p: -mp.log(p) if y == 1 else -mp.log1p(-p), lambda y, p: [None, -1 / p if y == 1 else 1 / (1 - p)],
         where=lambda y, p: 0 < p < 1),
    Function("lower_bound_constrain", (FREE, BOUND), lambda x, low: mp.exp(x) + low, lambda x, low: [mp.exp(x), mp.mpf(1)]),
    Function("lower_bound_unconstrain", (BOUND, BOUND), lambda y, low: mp.log(y - low),
             lambda y, low: [1 / (y - low), -1 / (y - low)], where=lambda y, low: y > low),
    Function("upper_bound_constrain", (FREE, BOUND), lambda x, high: high - mp.exp(x),
             lambda x, high: [-mp.exp(x), mp.mpf(1)]),
    Function("upper_bound_unconstrain", (BOUND, BOUND), lambda y, high: mp.log(high - y),
             lambda y, high: [-1 / (high - y), 1 / (high - y)], where=lambda y, high: y < high),
    Function("lower_upper_bound_constrain", (FREE, BOUND, BOUND), between, between_slopes, where=increasing),
    Function("lower_upper_bound_unconstrain", (BOUND, BOUND, BOUND), free_between, free_between_slopes, where=inside),
    Function("offset_multiplier_constrain", (ANY, BOUND, SCALE), lambda x, m, s: m + s * x,
             lambda x, m, s: [s, mp.mpf(1), x]),
    Function("offset_multiplier_unconstrain", (ANY, BOUND, SCALE), lambda y, m, s: (y - m) / s,
             lambda y, m, s: [1 / s, -1 / s, -(y - m) / s**2]),
]
