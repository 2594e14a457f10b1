"""The truths of the gamma distributions and those of exponential powers."""

import mpmath as mp

from distributions import density, distribution
from points import Real
from tails import gamma_tails

VARIABLE = Real(low=1e-150, ordinary=(0.0, 30.0), about=(1.0,), exponents=(-150, 150))
SHAPE = Real(low=1e-300, ordinary=(0.0, 30.0), about=(0.5, 1.0, 6.5, 20.0), exponents=(-12, 6))
SCALE = Real(low=1e-100, ordinary=(0.0, 10.0), about=(1.0,), exponents=(-100, 100))


def near(a, x):
    """Where the truth is a double and its series not too long."""
    return 1e-300 < x < 1e300 and not (2e4 < x < 4 * a)


def gamma(y, alpha, beta):
    p, q, by_shape, by_log = gamma_tails(alpha, beta * y)
    return p, q, [by_log / y, by_shape, by_log / beta]


def inv_gamma(y, alpha, beta):
    q, p, by_shape, by_log = gamma_tails(alpha, beta / y)
    return p, q, [by_log / y, -by_shape, -by_log / beta]


def chi_square(y, nu):
    p, q, by_shape, by_log = gamma_tails(nu / 2, y / 2)
    return p, q, [by_log / y, by_shape / 2]


def inv_chi_square(y, nu):
    q, p, by_shape, by_log = gamma_tails(nu / 2, 1 / (2 * y))
    return p, q, [by_log / y, -by_shape / 2]


def exponential(y, beta):
    q = mp.exp(-beta * y)
    return -mp.expm1(-beta * y), q, [beta * q, y * q]


def frechet(y, alpha, sigma):
    u = (sigma / y) ** alpha
    p = mp.exp(-u)
    slope = p * u
    return p, -mp.expm1(-u), [slope * alpha / y, slope * mp.log(y / sigma), -slope * alpha / sigma]


def log_gamma(y, alpha, beta):
    return alpha * mp.log(beta) - mp.loggamma(alpha) + (alpha - 1) * mp.log(y) - beta * y


def gamma_slopes(y, alpha, beta):
    return [(alpha - 1) / y - beta, mp.log(beta * y) - mp.digamma(alpha), alpha / beta - y]


def log_inv_gamma(y, alpha, beta):
    return alpha * mp.log(beta) - mp.loggamma(alpha) - (alpha + 1) * mp.log(y) - beta / y


def inv_gamma_slopes(y, alpha, beta):
    return [beta / y**2 - (alpha + 1) / y, mp.log(beta / y) - mp.digamma(alpha), alpha / beta - 1 / y]


def log_frechet(y, alpha, sigma):
    return mp.log(alpha / sigma) + (alpha + 1) * mp.log(sigma / y) - (sigma / y) ** alpha


def frechet_slopes(y, alpha, sigma):
    u = (sigma / y) ** alpha
    return [(alpha * u - alpha - 1) / y, 1 / alpha + (1 - u) * mp.log(sigma / y), alpha * (1 - u) / sigma]


def doubled(slopes):
    """Of a density by shape alone, given that of the shape nu / 2 and rate or scale 1/2."""
    return lambda y, nu: [slopes(y, nu / 2, mp.mpf(1) / 2)[0], slopes(y, nu / 2, mp.mpf(1) / 2)[1] / 2]


def moderate(y, alpha, sigma):
    """(y / sigma)^alpha is neither 0 nor infinite, nor 1 except for a few digits, beside the mode, where derivatives vanish."""
    return 1e-3 < abs(alpha * (mp.log(y) - mp.log(sigma))) < 700


TRIPLE = (VARIABLE, SHAPE, SCALE)
FRECHET = (VARIABLE, Real(low=1e-3, ordinary=(0.0, 10.0), about=(1.0,), exponents=(-3, 3)), SCALE)

# above this, the upper tail is not a double
UNDERFLOWING = ((725.0, 1.0, 1.0), (726.0, 2.5, 1.0), (4.0, 0.3, 200.0), (50000.0, 40.0, 2.0))

FUNCTIONS = [
    density("gamma", TRIPLE, log_gamma, gamma_slopes),
    *distribution("gamma", TRIPLE, gamma, where=lambda y, a, b: near(a, b * y), extra=UNDERFLOWING),
    density("inv_gamma", TRIPLE, log_inv_gamma, inv_gamma_slopes),
    *distribution("inv_gamma", TRIPLE, inv_gamma, where=lambda y, a, b: near(a, b / y)),
    density("chi_square", (VARIABLE, SHAPE), lambda y, nu: log_gamma(y, nu / 2, mp.mpf(1) / 2), doubled(gamma_slopes)),
    *distribution("chi_square", (VARIABLE, SHAPE), chi_square, where=lambda y, nu: near(nu / 2, y / 2)),
    density("inv_chi_square", (VARIABLE, SHAPE), lambda y, nu: log_inv_gamma(y, nu / 2, mp.mpf(1) / 2),
            doubled(inv_gamma_slopes)),
    *distribution("inv_chi_square", (VARIABLE, SHAPE), inv_chi_square, where=lambda y, nu: near(nu / 2, 0.5 / y)),
    density("exponential", (VARIABLE, SCALE), lambda y, beta: mp.log(beta) - beta * y,
            lambda y, beta: [-beta, 1 / beta - y]),
    *distribution("exponential", (VARIABLE, SCALE), exponential),
    density("frechet", FRECHET, log_frechet, frechet_slopes, where=moderate),
    *distribution("frechet", FRECHET, frechet, where=moderate),
]
