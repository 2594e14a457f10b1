"""The truths of the scalar functions."""

import math

import mpmath as mp

from points import Real
from truth import Function

ANY = Real()
POSITIVE = Real(low=0.0, ordinary=(0.0, 20.0), about=(1.0,))


def unary(name, argument, truth, gradient=None, **options):
    return Function(name, (argument,), truth, None if gradient is None else lambda x: [gradient(x)], **options)


FUNCTIONS = [
    unary("square", ANY, lambda x: x * x, lambda x: 2 * x),
    unary("inv", Real(about=(0.0,)), lambda x: 1 / x, lambda x: -1 / x**2, where=lambda x: x != 0),
    unary("exp", Real(ordinary=(-750, 715), about=(709.78, -745.1, -708.4), exponents=(-300, 4)), mp.exp, mp.exp),
    unary("log1p", Real(low=-1.0, ordinary=(-1, 10), about=(0.0,)), mp.log1p, lambda x: 1 / (1 + x)),
    unary("tgamma", Real(ordinary=(-10, 20), about=(0.0, 0.5, -0.5, -1.0, -2.0, 1.0, 2.0, 171.6), exponents=(-300, 2.3)),
          mp.gamma, lambda x: mp.gamma(x) * mp.digamma(x), where=lambda x: x > 0 or x != math.floor(x)),
    unary("lgamma", Real(ordinary=(-10, 20), about=(0.0, 0.5, -0.5, -1.0, -2.0, 1.0, 2.0)),
          lambda x: mp.log(abs(mp.gamma(x))) if x < 1000 else mp.loggamma(x), mp.digamma,
          where=lambda x: x > 0 or x != math.floor(x)),
]
