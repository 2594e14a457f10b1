"""The truths of distributions on the positive half line, from loglogistic to wiener."""

import math
import random

import mpmath as mp

from distributions import distribution
from located import digits, location, magnitude, on_half_line
from points import Real, short
from tails import gamma_tails
from truth import Function
from unbounded import forms, log_logistic, lower_logistic, lower_normal


def loglogistic():
    place = lambda y, alpha, beta: beta * mp.log(y / alpha)
    return forms(
        "loglogistic",
        lambda *x: lower_logistic(place(*x)),
        lambda *x: lower_logistic(-place(*x)),
        lambda y, alpha, beta: mp.log(beta / y) + log_logistic(place(y, alpha, beta)) + log_logistic(-place(y, alpha, beta)),
        on_half_line("loglogistic", lambda y, alpha, beta: (y, alpha, beta), beta=magnitude),
        only=("lpdf", "cdf"),
    )


def lognormal():
    place = lambda y, mu, sigma: (mp.log(y) - mu) / sigma
    return forms(
        "lognormal",
        lambda *x: lower_normal(place(*x)),
        lambda *x: lower_normal(-place(*x)),
        lambda y, mu, sigma: -mp.log(2 * mp.pi) / 2 - mp.log(sigma * y) - place(y, mu, sigma) ** 2 / 2,
        on_half_line("lognormal", lambda y, _, mu, sigma: (y, mu, sigma), mu=location, sigma=magnitude),
    )


def survival(family, hazard, density, points):
    """A distribution that is exp(-hazard) above y."""
    below, above = lambda *x: -mp.expm1(-hazard(*x)), lambda *x: mp.exp(-hazard(*x))
    plain = forms(family, below, above, density, points, only=("lpdf", "cdf", "lcdf"))
    arguments = plain[0].arguments
    return [*plain, Function(f"{family}_lccdf", arguments, lambda *x: -hazard(*x), extra=points, count=len(points))]


def pareto():
    points = on_half_line(
        "pareto",
        lambda y, least, alpha: (digits(least * max(y / least, least / y)), least, alpha),
        where=lambda y, least, _: y > least,
        alpha=magnitude,
    )
    return survival(
        "pareto",
        lambda y, least, alpha: alpha * mp.log(y / least),
        lambda y, least, alpha: mp.log(alpha / y) - alpha * mp.log(y / least),
        points,
    )


def pareto_type_2():
    points = on_half_line(
        "pareto_type_2",
        lambda y, scale, mu, alpha: (digits(mu + y), mu, scale, alpha),
        where=lambda y, mu, *_: y > max(mu, 0) and (mu != 0 or y > 1e-20),
        mu=location,
        alpha=magnitude,
    )
    hazard = lambda y, mu, scale, alpha: alpha * mp.log1p((y - mu) / scale)
    return survival(
        "pareto_type_2",
        hazard,
        lambda y, mu, scale, alpha: mp.log(alpha / scale) - (1 + 1 / alpha) * hazard(y, mu, scale, alpha),
        points,
    )


def rayleigh():
    return survival(
        "rayleigh",
        lambda y, sigma: (y / sigma) ** 2 / 2,
        lambda y, sigma: mp.log(y / sigma**2) - (y / sigma) ** 2 / 2,
        on_half_line("rayleigh", lambda y, sigma: (y, sigma)),
    )


def weibull():
    """Without the places where the hazard itself is not a double."""
    points = on_half_line(
        "weibull",
        lambda y, sigma, alpha: (y, alpha, sigma),
        where=lambda y, alpha, sigma: alpha * math.log(y / sigma) < 700,
        alpha=magnitude,
    )
    hazard = lambda y, alpha, sigma: (y / sigma) ** alpha
    return survival(
        "weibull",
        hazard,
        lambda y, alpha, sigma: mp.log(alpha / y) + alpha * mp.log(y / sigma) - hazard(y, alpha, sigma),
        points,
    )


def scaled_inv_chi_square():
    """Without the places where the series of the truth is too long."""

    def tails(y, nu, s):
        q, p, by_shape, by_log = gamma_tails(nu / 2, nu * s * s / (2 * y))
        return p, q, [by_log / y, -by_shape / 2 - by_log / nu, -2 * by_log / s]

    def slopes(y, nu, s):
        x = s * s / y
        by_nu = (mp.log(nu * x / 2) + 1 - mp.digamma(nu / 2) - x) / 2
        return [(nu * x / 2 - nu / 2 - 1) / y, by_nu, nu / s - nu * s / y]

    at = lambda y, nu, s: nu * s * s / (2 * y)
    points = on_half_line(
        "scaled_inv_chi_square",
        lambda y, s, nu: (digits(y * s), nu, s),
        count=400,
        where=lambda *x: 1e-300 < at(*x) < 1e5 and 1e-140 < x[0] < 1e140,
        nu=magnitude,
    )
    arguments = tuple(Real() for _ in range(3))
    log_density = lambda y, nu, s: nu / 2 * mp.log(nu * s * s / 2) - mp.loggamma(nu / 2) - (nu / 2 + 1) * mp.log(y) - at(y, nu, s)
    return [
        Function("scaled_inv_chi_square_lpdf", arguments, log_density, slopes, extra=points),
        *distribution("scaled_inv_chi_square", arguments, tails, extra=points, where=lambda *_: False),
    ]


def passage(u, w):
    """Density at u of the first passage through 0 from w, between 0 and 1, without drift."""
    if u > 0.4:
        count = int(mp.sqrt(mp.mp.dps * 5 / (u * 9))) + 3
        return mp.pi * mp.fsum(k * mp.exp(-((k * mp.pi) ** 2) * u / 2) * mp.sin(k * mp.pi * w) for k in range(1, count))
    count = int(mp.sqrt(mp.mp.dps * 5 * u)) + 3
    terms = ((w + 2 * k) * mp.exp(-((w + 2 * k) ** 2 - w * w) / (2 * u)) for k in range(-count, count + 1))
    return mp.exp(-w * w / (2 * u)) * mp.fsum(terms) / mp.sqrt(2 * mp.pi * u**3)


def wiener():
    def density(y, alpha, tau, beta, delta):
        t, w = y - tau, 1 - beta
        return delta * alpha * w - delta**2 * t / 2 + mp.log(passage(t / alpha**2, w) / alpha**2)

    rng = random.Random("wiener")
    points = []
    for _ in range(200):
        tau = short(10 ** rng.uniform(-2, 0.3), rng)
        elapsed = 10 ** (rng.uniform(-1, 1) if rng.random() < 0.7 else rng.uniform(-3, 2))
        alpha, beta, delta = rng.uniform(0.3, 5), rng.uniform(0.02, 0.98), rng.uniform(-5, 5)
        points.append((digits(tau + elapsed), digits(alpha, 4), tau, digits(beta, 4), digits(delta, 4)))
    arguments = tuple(Real() for _ in range(5))
    return [Function("wiener_lpdf", arguments, density, extra=tuple(points), count=len(points), sensitive=False, digits=30)]


FUNCTIONS = [
    *loglogistic(),
    *lognormal(),
    *pareto(),
    *pareto_type_2(),
    *rayleigh(),
    *scaled_inv_chi_square(),
    *weibull(),
    *wiener(),
]
