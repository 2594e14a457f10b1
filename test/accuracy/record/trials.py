"""The truths of the number of successes among trials with different probabilities."""

import mpmath as mp

from points import short
from structured import Structured, places
from tape import log, log1p, number, total

MANY = 6


def probability(rng):
    kind = rng.random()
    if kind < 0.6:
        return short(rng.uniform(0.001, 0.999), rng)
    if kind < 0.8:
        return float(f"{10 ** rng.uniform(-90, -1):.10g}")
    return 1 - 10 ** rng.uniform(-12, -1)


def drawn(most):
    return lambda rng: [rng.randint(0, most), *(probability(rng) for _ in range(MANY))]


def masses(theta):
    found = [number(1)]
    for p in theta:
        stays = [m * (1 - p) for m in found] + [number(0)]
        grows = [number(0)] + [m * p for m in found]
        found = [a + b for a, b in zip(stays, grows)]
    return found


def mass(y, *theta):
    return log(masses(theta)[y])


def below(y, *theta):
    return total(masses(theta)[: y + 1])


def above(y, *theta):
    return total(masses(theta)[y + 1 :])


def log_of(smaller, larger):
    """The logarithm of a probability, by its complement where that is smaller."""
    return log(smaller) if smaller.value < mp.mpf(1) / 2 else log1p(-larger)


def form(name, truth, most=MANY):
    return Structured(name, f"{name}($1 | {places(2, MANY)})", drawn(most), truth)


FUNCTIONS = [
    form("poisson_binomial_lpmf", mass),
    form("poisson_binomial_cdf", below, MANY - 1),
    form("poisson_binomial_lcdf", lambda y, *theta: log_of(below(y, *theta), above(y, *theta)), MANY - 1),
    form("poisson_binomial_lccdf", lambda y, *theta: log_of(above(y, *theta), below(y, *theta)), MANY - 1),
]
