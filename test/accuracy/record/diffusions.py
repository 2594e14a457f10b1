"""The truths of wiener_lpdf with variable drift, start and non-decision time."""

import random

import mpmath as mp

from located import digits
from points import Real, short
from positive import passage
from truth import Function

# Of Gauss and Legendre: points are taken where the integrands are so smooth that this many give 30 digits.
NODES = 24


def of_variable_drift(y, alpha, tau, beta, delta, spread):
    """The drift is normal with mean delta and standard deviation spread: its density is integrated in closed form."""
    t, w = y - tau, 1 - beta
    wider = 1 + spread**2 * t
    exponent = (spread**2 * alpha**2 * w**2 + 2 * delta * alpha * w - delta**2 * t) / (2 * wider)
    return exponent - mp.log(wider) / 2 + mp.log(passage(t / alpha**2, w) / alpha**2)


def of_all_variable(y, alpha, tau, beta, delta, spread, width, delay):
    """The start is uniform around beta, over `width`; the time before the diffusion is uniform from tau on, over `delay`."""

    def inner(start):
        return mean(lambda time: mp.exp(of_variable_drift(y, alpha, tau + delay * time, start, delta, spread)))

    return mp.log(mean(lambda place: inner(beta + width * (place - mp.mpf(1) / 2))))


rules = {}


def mean(f):
    """Of a function over the unit interval."""
    if mp.mp.prec not in rules:
        rules[mp.mp.prec] = rule()
    return mp.fsum(weight * f(node) for node, weight in rules[mp.mp.prec])


def rule():
    """Roots of the Legendre polynomial by Newton's method, with their weights, on the unit interval."""
    found = []
    for k in range(1, NODES + 1):
        x = mp.cos(mp.pi * (k - mp.mpf(1) / 4) / (NODES + mp.mpf(1) / 2))
        for _ in range(60):
            before, value = mp.mpf(1), x
            for n in range(2, NODES + 1):
                before, value = value, ((2 * n - 1) * x * value - (n - 1) * before) / n
            slope = NODES * (x * value - before) / (x * x - 1)
            step = value / slope
            x -= step
            if abs(step) < mp.mpf(10) ** (5 - mp.mp.dps):
                break
        found.append(((1 + x) / 2, 1 / ((1 - x * x) * slope**2)))
    return found


def points(seed, count, all_variable):
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        tau = short(10 ** rng.uniform(-2, 0), rng)
        elapsed = 10 ** rng.uniform(-0.8, 0.8)
        alpha, delta = rng.uniform(0.5, 3), rng.uniform(-3, 3)
        beta, spread = rng.uniform(0.2, 0.8), rng.uniform(0.1, 2)
        at = [digits(tau + elapsed), digits(alpha, 4), tau, digits(beta, 4), digits(delta, 4), digits(spread, 4)]
        if all_variable:
            at += [digits(rng.uniform(0.05, 0.3), 4), digits(elapsed * rng.uniform(0.05, 0.4), 4)]
        found.append(tuple(at))
    return tuple(found)


def function(name, count, truth, seed, digits):
    call = "wiener_lpdf($1 | " + ", ".join(f"${k}" for k in range(2, count + 1)) + ")"
    at = points(seed, 200 if count == 6 else 60, count == 8)
    arguments = tuple(Real() for _ in range(count))
    return Function(name, arguments, truth, extra=at, count=len(at), sensitive=False, digits=digits, call=call)


FUNCTIONS = [
    function("wiener_lpdf of variable drift", 6, of_variable_drift, "wiener 6", 30),
    function("wiener_lpdf of variable drift, start and time", 8, of_all_variable, "wiener 8", 20),
]
