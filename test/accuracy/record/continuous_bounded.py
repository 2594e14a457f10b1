"""The truths of the beta distributions."""

import mpmath as mp

from distributions import density, distribution
from points import Real
from tails import beta_tails

UNIT = Real(low=1e-300, high=1.0, ordinary=(0.0, 1.0), about=(0.5,))
SHAPE = Real(low=1e-6, ordinary=(0.0, 30.0), about=(0.5, 1.0, 6.5), exponents=(-6, 5))
MEAN = Real(low=1e-6, high=1.0, ordinary=(0.0, 1.0), about=(0.5,), exponents=(-6, 0))


def feasible(y, a, b):
    """The series of the truth has not too many terms."""
    terms = [max(0, (a + b) * x - first) + 300 / max(1 - x, 1e-300) for x, first in ((y, a), (1 - y, b))]
    return min(terms) < 5e3


def beta(y, a, b):
    p, q, by_a, by_b, by_y = beta_tails(a, b, y, 1 - y)
    return p, q, [by_y, by_a, by_b]


def beta_proportion(y, mu, kappa):
    a, b = mu * kappa, (1 - mu) * kappa
    p, q, by_a, by_b, by_y = beta_tails(a, b, y, 1 - y)
    return p, q, [by_y, kappa * (by_a - by_b), mu * by_a + (1 - mu) * by_b]


def log_density(y, a, b):
    return (mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b) + (a - 1) * mp.log(y) + (b - 1) * mp.log1p(-y))


def slopes(y, a, b):
    both = mp.digamma(a + b)
    return [(a - 1) / y - (b - 1) / (1 - y), both - mp.digamma(a) + mp.log(y), both - mp.digamma(b) + mp.log1p(-y)]


def proportion_slopes(y, mu, kappa):
    by_y, by_a, by_b = slopes(y, mu * kappa, (1 - mu) * kappa)
    return [by_y, kappa * (by_a - by_b), mu * by_a + (1 - mu) * by_b]


PROPORTION = (UNIT, MEAN, SHAPE)

FUNCTIONS = [
    density("beta", (UNIT, SHAPE, SHAPE), log_density, slopes),
    *distribution("beta", (UNIT, SHAPE, SHAPE), beta, where=feasible),
    density("beta_proportion", PROPORTION, lambda y, mu, kappa: log_density(y, mu * kappa, (1 - mu) * kappa),
            proportion_slopes),
    *distribution("beta_proportion", PROPORTION, beta_proportion, forms=("lcdf", "lccdf"),
                  where=lambda y, mu, kappa: mu * kappa > 0 and feasible(y, mu * kappa, (1 - mu) * kappa)),
]
