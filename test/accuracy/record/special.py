"""The truths of the gamma family, the error function family, Lambert's W and their inverses."""

import math

import mpmath as mp

from elementary import logistic, unary
from points import Int, Real
from truth import Function

GAMMA = Real(ordinary=(-10, 20), about=(0.0, 0.5, -0.5, -1.0, -2.0, 1.0, 1.4616321449683622, 2.0))
SHAPE = Real(low=0.0, ordinary=(0.0, 20.0), about=(1.0,), exponents=(-30, 300))
COUNT = Real(low=0.0, ordinary=(0.0, 60.0), about=(1.0, 2.0), exponents=(-9, 15))
NORMAL = Real(ordinary=(-10, 10), about=(0.0, -37.5, 8.2), exponents=(-300, 2.5))
ERROR = Real(ordinary=(-8, 8), about=(0.0, 0.5, 26.5), exponents=(-300, 2.5))
PROBABILITY = Real(low=0.0, high=1.0, ordinary=(0.0, 1.0), about=(0.5, 0.075, 0.925), exponents=(-300, 0))
BRANCH = -0.36787944117144233


def no_pole(x):
    return x > 0 or x != math.floor(x)


def phi(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def Phi(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def refined(start, step):
    """Newton's or Halley's iteration until nothing changes."""
    x = start
    for _ in range(200):
        move = step(x)
        x -= move
        if abs(move) <= abs(x) * mp.mpf(10) ** (5 - mp.mp.dps):
            break
    return x


def log_tail(x):
    """log Phi(x) for x <= 0."""
    return mp.log(mp.erfc(-x / mp.sqrt(2)) / 2)


def quantile_of_tail(log_p):
    """The x <= 0 with log Phi(x) = log_p <= log(1/2)."""
    start = -mp.sqrt(max(mp.mpf(0), -2 * (log_p + mp.log(2))))
    if log_p < -20:
        start = -mp.sqrt(-2 * (log_p + mp.log(2 * mp.pi) / 2 + mp.log(-2 * log_p) / 2))
    return refined(start, lambda x: (log_tail(x) - log_p) / (phi(x) / Phi(x)))


def quantile(p):
    if 2 * p == 1:
        return mp.mpf(0)
    return quantile_of_tail(mp.log(p)) if p < 0.5 else -quantile_of_tail(mp.log1p(-p))


def quantile_of_log(p):
    return quantile_of_tail(p) if p < -mp.log(2) else -quantile_of_tail(mp.log(-mp.expm1(p)))


def inv_erfc(p):
    return -quantile(p / 2) / mp.sqrt(2) if p < 1 else quantile((2 - p) / 2) / mp.sqrt(2)


def lambert_slope(w):
    return mp.exp(-w) / (1 + w)


def Phi_approx_argument(x):
    return mp.mpf(0.07056) * x**3 + mp.mpf(1.5976) * x


def lgamma(x):
    return mp.loggamma(x) if x > 0 else mp.log(mp.pi / abs(mp.sinpi(x))) - mp.loggamma(1 - x)


def digamma(x):
    return mp.digamma(x) if x > 0 else mp.digamma(1 - x) - mp.pi * mp.cot(mp.pi * x)


def lbeta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def lbeta_slopes(a, b):
    return [mp.digamma(a) - mp.digamma(a + b), mp.digamma(b) - mp.digamma(a + b)]


def beta(a, b):
    return mp.exp(lbeta(a, b))


def lchoose(n, k):
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def lchoose_slopes(n, k):
    return [digamma(n + 1) - digamma(n - k + 1), digamma(n - k + 1) - digamma(k + 1)]


def ordinary(*counts):
    return all(count == 0 or count > 1e-9 for count in counts)


def are_shapes(a, b):
    return min(a, b) > 1e-30


def product(x, n, step):
    return mp.fprod(x + step * i for i in range(n))


def product_slope(x, n, step):
    return mp.fsum(mp.fprod(x + step * i for i in range(n) if i != j) for j in range(n))


def lmgamma(k, x):
    return mp.mpf(k * (k - 1)) / 4 * mp.log(mp.pi) + mp.fsum(lgamma(x - mp.mpf(j) / 2) for j in range(k))


FUNCTIONS = [
    unary("tgamma", Real(ordinary=(-10, 20), about=(0.0, 0.5, -0.5, -1.0, -2.0, 1.0, 2.0, 171.6), exponents=(-300, 2.3)),
          mp.gamma, lambda x: mp.gamma(x) * mp.digamma(x), where=no_pole),
    unary("lgamma", GAMMA, lgamma, digamma, where=no_pole,
          extra=((-1e-156,), (-1e-155,), (-1e-160,), (-5e-324,), (5e-324,), (1e-310,))),
    unary("digamma", GAMMA, digamma, lambda x: mp.psi(1, x), where=no_pole),
    unary("trigamma", GAMMA, lambda x: mp.psi(1, x), lambda x: mp.psi(2, x), where=no_pole),
    unary("erf", ERROR, mp.erf, lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)),
    unary("erfc", ERROR, mp.erfc, lambda x: -2 / mp.sqrt(mp.pi) * mp.exp(-x * x)),
    unary("Phi", Real(low=-37.5, ordinary=(-37, 10), about=(0.0, 8.2), exponents=(-300, 2.5)), Phi, phi),
    unary("Phi_approx", NORMAL, lambda x: logistic(Phi_approx_argument(x)),
          lambda x: logistic(Phi_approx_argument(x)) * logistic(-Phi_approx_argument(x)) * (3 * mp.mpf(0.07056) * x**2 + mp.mpf(1.5976))),
    unary("inv_Phi", PROBABILITY, quantile, lambda p: 1 / phi(quantile(p)), where=lambda p: 0 < p < 1),
    unary("std_normal_qf", PROBABILITY, quantile, lambda p: 1 / phi(quantile(p)), where=lambda p: 0 < p < 1),
    unary("std_normal_log_qf", Real(high=0.0, ordinary=(-40, 0), about=(-0.6931471805599453,), exponents=(-300, 6)),
          quantile_of_log, lambda p: mp.exp(p) / phi(quantile_of_log(p)), where=lambda p: p < 0, digits=60),
    unary("inv_erfc", Real(low=0.0, high=2.0, ordinary=(0.0, 2.0), about=(1.0,), exponents=(-300, 0)), inv_erfc,
          lambda p: -mp.sqrt(mp.pi) / 2 * mp.exp(inv_erfc(p) ** 2), where=lambda p: 0 < p < 2),
    unary("lambert_w0", Real(low=BRANCH, ordinary=(BRANCH, 20.0), about=(0.0, 1.0)),
          lambda x: mp.lambertw(x).real, lambda x: lambert_slope(mp.lambertw(x).real), where=lambda x: x > BRANCH,
          extra=((6e307,), (1.7976931348623157e308,), (5e307,))),
    unary("lambert_wm1", Real(low=BRANCH, high=0.0, ordinary=(BRANCH, 0.0), exponents=(-300, -1)),
          lambda x: mp.lambertw(x, -1).real, lambda x: lambert_slope(mp.lambertw(x, -1).real),
          where=lambda x: BRANCH < x < 0),
    Function("lbeta", (SHAPE, SHAPE), lbeta, lbeta_slopes, where=are_shapes),
    Function("beta", (SHAPE, SHAPE), beta, lambda a, b: [beta(a, b) * slope for slope in lbeta_slopes(a, b)],
             where=are_shapes),
    Function("lchoose", (COUNT, COUNT), lchoose, lchoose_slopes, where=lambda n, k: ordinary(n, k) and k < n + 1),
    Function("log_rising_factorial", (COUNT, COUNT), lambda x, n: mp.loggamma(x + n) - mp.loggamma(x),
             lambda x, n: [mp.digamma(x + n) - mp.digamma(x), mp.digamma(x + n)], where=lambda x, n: x > 0 and ordinary(x, n)),
    Function("log_falling_factorial", (COUNT, COUNT), lambda x, n: mp.loggamma(x + 1) - mp.loggamma(x - n + 1),
             lambda x, n: [mp.digamma(x + 1) - mp.digamma(x - n + 1), mp.digamma(x - n + 1)],
             where=lambda x, n: x > 0 and ordinary(x, n) and n < x + 1),
    Function("rising_factorial", (Real(ordinary=(-10, 20), exponents=(-100, 20)), Int(high=100, ordinary=(0, 12))),
             lambda x, n: product(x, n, 1), lambda x, n: [product_slope(x, n, 1)]),
    Function("falling_factorial", (Real(ordinary=(-10, 20), exponents=(-100, 20)), Int(high=100, ordinary=(0, 12))),
             lambda x, n: product(x, n, -1), lambda x, n: [product_slope(x, n, -1)]),
    Function("lmgamma", (Int(low=1, high=40, ordinary=(1, 6)), Real(low=0.0, ordinary=(0.0, 30.0), exponents=(-10, 300))),
             lmgamma, lambda k, x: [None, mp.fsum(digamma(x - mp.mpf(j) / 2) for j in range(k))],
             where=lambda k, x: 2 * x > k - 1),
]
