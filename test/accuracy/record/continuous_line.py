"""The truths of distributions on the whole line."""

import mpmath as mp

from distributions import density, distribution
from points import Real

ANY = Real(ordinary=(-10.0, 10.0), exponents=(-100, 100))
NEAR = Real(ordinary=(-3.0, 3.0), exponents=(-100, 100))
SCALE = Real(low=1e-100, ordinary=(0.0, 5.0), about=(1.0,), exponents=(-100, 100))


def located(tails):
    """By y, mu and sigma, given P, Q and the density at z = (y - mu)/sigma."""

    def of(y, mu, sigma):
        z = (y - mu) / sigma
        p, q, slope = tails(z)
        return p, q, [slope / sigma, -slope / sigma, -slope * z / sigma]

    return of


def located_density(log_density, slope):
    def value(y, mu, sigma):
        return log_density((y - mu) / sigma) - mp.log(sigma)

    def gradient(y, mu, sigma):
        z = (y - mu) / sigma
        s = slope(z)
        return [s / sigma, -s / sigma, -(1 + s * z) / sigma]

    return value, gradient


def cauchy(z):
    p = mp.atan(-1 / z) / mp.pi if z < -1 else mp.mpf(1) / 2 + mp.atan(z) / mp.pi
    q = mp.atan(1 / z) / mp.pi if z > 1 else mp.mpf(1) / 2 - mp.atan(z) / mp.pi
    return p, q, 1 / (mp.pi * (1 + z * z))


def laplace(z):
    tail = mp.exp(-abs(z)) / 2
    return (tail, 1 - tail, tail) if z < 0 else (1 - tail, tail, tail)


def gumbel(z):
    u = mp.exp(-z)
    return mp.exp(-u), -mp.expm1(-u), u * mp.exp(-u)


def Phi(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


def exp_mod_normal(y, mu, sigma, rate):
    z, v = (y - mu) / sigma, rate * sigma
    digits = int(10 + abs(mp.log10(v)) + abs(mp.log10(abs(z) + 1))) * 4
    with mp.workdps(mp.mp.dps + digits):
        normal = mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)
        ratio = Phi(z - v) / (mp.exp(-((z - v) ** 2) / 2) / mp.sqrt(2 * mp.pi))
        tilted = normal * ratio  # exp(v²/2 - v z) Φ(z - v)
        p, q = Phi(z) - tilted, Phi(-z) + tilted
        by_z = v * tilted
        by_v = normal - (v - z) * tilted
        return p, q, [by_z / sigma, -by_z / sigma, -by_z * z / sigma + by_v * rate, by_v * sigma]


def log_exp_mod_normal(y, mu, sigma, rate):
    z, v = (y - mu) / sigma, rate * sigma
    with mp.workdps(mp.mp.dps + int(10 + abs(mp.log10(v)) + abs(mp.log10(abs(z) + 1))) * 4):
        return mp.log(rate) + v * v / 2 - v * z + mp.log(Phi(z - v))


def moderate(y, mu, sigma, *_):
    return 1e-3 < abs(y - mu) / sigma < 1e100


def tame(y, mu, sigma, rate=None):
    """The Gumbel distribution's double exponential is a double, and not beside the mode, where derivatives vanish."""
    z = (y - mu) / sigma
    return 1e-3 < abs(z) < 700 if rate is None else abs(z) < 1e5 and 1e-12 < rate * sigma < 1e5


def ordinary(y, mu, sigma, rate):
    """Derivatives of the density are differences of near numbers elsewhere."""
    return abs(y - mu) / sigma < 1e3 and 1e-6 < rate * sigma < 50


ARGUMENTS = (ANY, NEAR, SCALE)
# the square of the standardized variable is not a double
FAR = ((1e155, 0.5, 1.0), (-3.4e200, 2.0, 0.1), (7.1e290, 0.0, 1.2e-10), (-1e300, -3.0, 5e-7), (2.0, 1e180, 3.0))
MODIFIED = (ANY, NEAR, SCALE, Real(low=0.0, ordinary=(0.0, 5.0), about=(1.0,), exponents=(-12, 6)))
TAILS = ((24.57, 1.18, 0.518, 1.65), (-20.0, 1.0, 0.5, 2.0), (300.0, 0.0, 2.0, 3.0), (-70.0, 0.0, 1.0, 0.01))

FUNCTIONS = [
    density("cauchy", ARGUMENTS, *located_density(lambda z: -mp.log(mp.pi) - mp.log1p(z * z), lambda z: -2 * z / (1 + z * z)), where=moderate,
            extra=FAR),
    *distribution("cauchy", ARGUMENTS, located(cauchy), where=moderate),
    density("double_exponential", ARGUMENTS, *located_density(lambda z: -mp.log(2) - abs(z), lambda z: -mp.sign(z)),
            where=moderate),
    *distribution("double_exponential", ARGUMENTS, located(laplace), where=moderate),
    density("gumbel", ARGUMENTS, *located_density(lambda z: -z - mp.exp(-z), lambda z: mp.expm1(-z)), where=tame),
    *distribution("gumbel", ARGUMENTS, located(gumbel), where=tame),
    density("exp_mod_normal", MODIFIED, log_exp_mod_normal, where=ordinary),
    *distribution("exp_mod_normal", MODIFIED, exp_mod_normal, where=tame, extra=TAILS),
]
