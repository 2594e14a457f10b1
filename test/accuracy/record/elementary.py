"""The truths of the elementary functions of one argument."""

import math

import mpmath as mp

from points import Real
from truth import Function

ANY = Real()
POSITIVE = Real(low=0.0, ordinary=(0.0, 20.0), about=(1.0,))
EXPONENT = Real(ordinary=(-750, 715), about=(0.0, 709.78, -745.1, -708.4), exponents=(-300, 4))
ANGLE = Real(ordinary=(-10, 10), about=(0.0, math.pi / 2, math.pi, -math.pi, 100 * math.pi))
UNIT = Real(low=-1.0, high=1.0, ordinary=(-1.0, 1.0), about=(0.0,), exponents=(-300, 0))
PROBABILITY = Real(low=0.0, high=1.0, ordinary=(0.0, 1.0), about=(0.5,), exponents=(-300, 0))
HYPERBOLIC = Real(ordinary=(-20, 20), about=(0.0, 1.0, 710.4), exponents=(-300, 3))
LOGIT = Real(ordinary=(-50, 50), about=(0.0, 709.78, -745.1, 36.7), exponents=(-300, 5))


def unary(name, argument, truth, gradient, **options):
    return Function(name, (argument,), truth, lambda x: [gradient(x)], **options)


def logistic(x):
    return 1 / (1 + mp.exp(-x))


def rounded(x):
    return mp.sign(x) * mp.floor(abs(x) + mp.mpf(1) / 2)


def truncated(x):
    return mp.sign(x) * mp.floor(abs(x))


def is_real(x):
    return x != 0


def no_slope(x):
    return mp.mpf(0)


def log1m_exp(x):
    return mp.log1p(-mp.exp(x)) if x < -1 else mp.log(-mp.expm1(x))


FUNCTIONS = [
    unary("minus", ANY, lambda x: -x, lambda x: mp.mpf(-1)),
    unary("plus", ANY, lambda x: x, lambda x: mp.mpf(1)),
    unary("abs", ANY, abs, mp.sign, where=is_real),
    unary("step", ANY, lambda x: mp.mpf(x >= 0), no_slope),
    unary("floor", ANY, mp.floor, no_slope),
    unary("ceil", ANY, mp.ceil, no_slope),
    unary("round", Real(about=(0.5, -0.5, 1.5, 2.5, 2.0**52 - 0.5)), rounded, no_slope),
    unary("trunc", ANY, truncated, no_slope),
    unary("square", ANY, lambda x: x * x, lambda x: 2 * x),
    unary("inv", Real(about=(0.0,)), lambda x: 1 / x, lambda x: -1 / x**2, where=is_real),
    unary("inv_square", Real(about=(0.0,)), lambda x: 1 / x**2, lambda x: -2 / x**3, where=is_real),
    unary("inv_sqrt", POSITIVE, lambda x: 1 / mp.sqrt(x), lambda x: -1 / (2 * x * mp.sqrt(x)), where=is_real),
    unary("sqrt", POSITIVE, mp.sqrt, lambda x: 1 / (2 * mp.sqrt(x)), where=is_real),
    unary("cbrt", ANY, lambda x: mp.sign(x) * mp.cbrt(abs(x)), lambda x: 1 / (3 * mp.cbrt(x * x)), where=is_real),
    unary("exp", EXPONENT, mp.exp, mp.exp),
    unary("exp2", Real(ordinary=(-1080, 1030), about=(0.0, 1024.0, -1074.0, -1022.0), exponents=(-300, 4)),
          lambda x: mp.mpf(2) ** x, lambda x: mp.mpf(2) ** x * mp.log(2)),
    unary("expm1", Real(ordinary=(-50, 715), about=(0.0, 709.78), exponents=(-300, 4)), mp.expm1, mp.exp),
    unary("log", POSITIVE, mp.log, lambda x: 1 / x, where=is_real),
    unary("log2", POSITIVE, lambda x: mp.log(x) / mp.log(2), lambda x: 1 / (x * mp.log(2)), where=is_real),
    unary("log10", POSITIVE, lambda x: mp.log(x) / mp.log(10), lambda x: 1 / (x * mp.log(10)), where=is_real),
    unary("log1p", Real(low=-1.0, ordinary=(-1, 10), about=(0.0,)), mp.log1p, lambda x: 1 / (1 + x),
          where=lambda x: x > -1),
    unary("log1m", Real(high=1.0, ordinary=(-10, 1), about=(0.0,)), lambda x: mp.log1p(-x), lambda x: -1 / (1 - x),
          where=lambda x: x < 1),
    unary("log1p_exp", LOGIT, lambda x: mp.log1p(mp.exp(x)), logistic),
    unary("log1m_exp", Real(high=0.0, ordinary=(-50, 0), about=(-0.6931471805599453, -709.0), exponents=(-300, 5)),
          log1m_exp, lambda x: 1 / -mp.expm1(-x), where=is_real),
    unary("sin", ANGLE, mp.sin, mp.cos),
    unary("cos", ANGLE, mp.cos, lambda x: -mp.sin(x)),
    unary("tan", ANGLE, mp.tan, lambda x: 1 / mp.cos(x) ** 2),
    unary("asin", UNIT, mp.asin, lambda x: 1 / mp.sqrt((1 - x) * (1 + x)), where=lambda x: abs(x) < 1),
    unary("acos", UNIT, mp.acos, lambda x: -1 / mp.sqrt((1 - x) * (1 + x)), where=lambda x: abs(x) < 1),
    unary("atan", Real(about=(0.0, 1.0)), mp.atan, lambda x: 1 / (1 + x * x)),
    unary("sinh", HYPERBOLIC, mp.sinh, mp.cosh),
    unary("cosh", HYPERBOLIC, mp.cosh, mp.sinh),
    unary("tanh", HYPERBOLIC, mp.tanh, lambda x: mp.sech(x) ** 2),
    unary("asinh", Real(about=(0.0, 1.0)), lambda x: mp.sign(x) * mp.asinh(abs(x)), lambda x: 1 / mp.sqrt(x * x + 1)),
    unary("acosh", Real(low=1.0, ordinary=(1, 20)), mp.acosh, lambda x: 1 / mp.sqrt((x - 1) * (x + 1)),
          where=lambda x: x > 1),
    unary("atanh", UNIT, mp.atanh, lambda x: 1 / ((1 - x) * (1 + x)), where=lambda x: abs(x) < 1),
    unary("logit", PROBABILITY, lambda u: mp.log(u) - mp.log1p(-u), lambda u: 1 / (u * (1 - u)),
          where=lambda u: 0 < u < 1),
    unary("inv_logit", LOGIT, logistic, lambda x: logistic(x) * logistic(-x)),
    unary("log_inv_logit", LOGIT, lambda x: -mp.log1p(mp.exp(-x)), lambda x: logistic(-x)),
    unary("log1m_inv_logit", LOGIT, lambda x: -mp.log1p(mp.exp(x)), lambda x: -logistic(x)),
    unary("inv_cloglog", Real(ordinary=(-40, 7), about=(0.0, 3.6, 6.6, -708.0), exponents=(-300, 3)),
          lambda x: -mp.expm1(-mp.exp(x)), lambda x: mp.exp(x - mp.exp(x))),
]
