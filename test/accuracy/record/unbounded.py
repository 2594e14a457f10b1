"""The truths of distributions on the line, from logistic to von_mises."""

import math
import random

import mpmath as mp

from located import digits, location, magnitude, on_line
from points import Real, short
from standard import integral_forms, logarithm, skew_normal, student, student_density, von_mises
from truth import Function

LINE = Real()


def lower_normal(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


def forms(family, below, above, density, points, only=("lpdf", "cdf", "lcdf", "lccdf"), **options):
    """The functions of a family by the probabilities below and above y and its log density, at the same points."""
    truths = {
        "lpdf": density,
        "cdf": below,
        "lcdf": lambda *x: logarithm(below(*x), above(*x)),
        "lccdf": lambda *x: logarithm(above(*x), below(*x)),
    }
    small = {"cdf": lambda *x: below(*x) if below(*x) < 0.5 else -above(*x)}
    arguments = tuple(LINE for _ in points[0])
    options = {"extra": points, "count": len(points), **options}
    return [Function(f"{family}_{form}", arguments, truths[form], changing=small.get(form), **options) for form in only]


def by_integral(family, parts, density, points, far=(), **options):
    """The functions of a family whose distribution function is an integral; each truth comes with its derivatives, or alone. The
    density is also taken `far` away, where the others have no truth that is a double."""
    arguments = tuple(LINE for _ in points[0])
    options = {"digits": 30, **options}
    truths = {"lpdf": density, **integral_forms(parts)}
    places = lambda form: far + points if form == "lpdf" else points
    record = lambda form: {"extra": places(form), "count": len(places(form)), **options}
    return [Function(f"{family}_{form}", arguments, *truth, **record(form)) for form, truth in truths.items()]


def normal():
    """Without the places where Phi is subnormal."""
    return forms(
        "normal",
        lambda y, mu, sigma: lower_normal((y - mu) / sigma),
        lambda y, mu, sigma: lower_normal((mu - y) / sigma),
        lambda y, mu, sigma: -mp.log(2 * mp.pi) / 2 - mp.log(sigma) - ((y - mu) / sigma) ** 2 / 2,
        on_line("normal", lambda *x: x, where=lambda y, mu, sigma: not 37 < (mu - y) / sigma < 39),
    )


def std_normal():
    return forms(
        "std_normal",
        lower_normal,
        lambda y: lower_normal(-y),
        lambda y: -mp.log(2 * mp.pi) / 2 - y**2 / 2,
        on_line("std_normal", lambda y, mu, sigma: (digits((y - mu) / sigma),)),
    )


def lower_logistic(z):
    return 1 / (1 + mp.exp(-z)) if z > 0 else mp.exp(z) / (1 + mp.exp(z))


def log_logistic(z):
    return logarithm(lower_logistic(z), lower_logistic(-z))


def logistic():
    return forms(
        "logistic",
        lambda y, mu, sigma: lower_logistic((y - mu) / sigma),
        lambda y, mu, sigma: lower_logistic((mu - y) / sigma),
        lambda y, mu, sigma: log_logistic((y - mu) / sigma) + log_logistic((mu - y) / sigma) - mp.log(sigma),
        on_line("logistic", lambda y, mu, sigma: (y, mu, sigma)),
    )


def skew_double_exponential():
    def below(y, mu, sigma, tau):
        if y < mu:
            return tau * mp.exp(-2 * (1 - tau) * (mu - y) / sigma)
        return tau - (1 - tau) * mp.expm1(-2 * tau * (y - mu) / sigma)

    def density(y, mu, sigma, tau):
        weight = 1 - tau if y < mu else tau
        return mp.log(2 * tau * (1 - tau) / sigma) - 2 * weight * abs(y - mu) / sigma

    share = lambda rng: short(rng.uniform(0, 1) if rng.random() < 0.8 else 10 ** rng.uniform(-12, -2), rng)
    inside = lambda y, mu, _, tau: y != mu and 0 < tau < 1
    points = on_line("skew_double_exponential", lambda *x, tau: (*x, tau), where=inside, tau=share)
    return forms(
        "skew_double_exponential",
        below,
        lambda y, mu, sigma, tau: below(-y, -mu, sigma, 1 - tau),
        density,
        points,
    )


def uniform():
    draw = lambda rng: short(rng.uniform(0.001, 0.999) if rng.random() < 0.6 else 10 ** rng.uniform(-12, -1), rng)
    inside = lambda y, low, width, share, end: (low + width * (share if end else 1 - share), low, low + width)
    between = lambda y, low, high: low < y < high
    points = on_line("uniform", inside, where=between, share=draw, end=lambda rng: rng.random() < 0.5)
    return forms(
        "uniform",
        lambda y, low, high: (y - low) / (high - low),
        lambda y, low, high: (high - y) / (high - low),
        lambda y, low, high: -mp.log(high - low),
        points,
    )


def student_t():
    return by_integral(
        "student_t",
        student,
        (lambda y, nu, mu, sigma: mp.log(student_density((y - mu) / sigma, nu) / sigma),),
        on_line("student_t", lambda y, mu, sigma, nu: (y, nu, mu, sigma), nu=magnitude),
        far=((1e155, 1.5, 0.5, 1.0), (-3.4e200, 0.2, 2.0, 0.1), (7.1e280, 300.0, 0.0, 1.2e-10), (2.0, 4.0, 1e180, 3.0)),
    )


def skew_normals():
    def density(y, xi, omega, alpha):
        z = (y - xi) / omega
        tilt = logarithm(lower_normal(alpha * z), lower_normal(-alpha * z))
        return mp.log(2 / omega) + tilt - z * z / 2 - mp.log(2 * mp.pi) / 2

    def slopes(y, xi, omega, alpha):
        z = (y - xi) / omega
        tilt = mp.exp(-(alpha * z) ** 2 / 2) / mp.sqrt(2 * mp.pi) / lower_normal(alpha * z)
        by_z = alpha * tilt - z
        return [by_z / omega, -by_z / omega, -(1 + z * by_z) / omega, z * tilt]

    points = on_line("skew_normal", lambda y, xi, omega, alpha: (y, xi, omega, alpha), alpha=location)
    return by_integral("skew_normal", skew_normal, (density, slopes), points, sensitive=False)


def von_mises_points():
    """Angles between -π and π, half of them a few standard deviations apart; concentrations up to 1e8, where those are 1e-4."""
    rng = random.Random("von_mises")
    angle = lambda: digits(rng.uniform(-3.14, 3.14) if rng.random() < 0.8 else rng.choice((-1, 1)) * (3.141592 - 10 ** rng.uniform(-6, 0)))
    out = []
    while len(out) < 200:
        kind, mu, y = rng.random(), angle(), angle()
        kappa = magnitude(rng) if kind < 0.7 else short(10 ** (rng.uniform(3, 8) if kind < 0.85 else rng.uniform(-10, -3)), rng)
        if rng.random() < 0.5:
            y = digits(mu + rng.gauss(0, 2) / math.sqrt(kappa)) if kappa > 1 else y
        if abs(y) < math.pi:
            out.append((y, mu, kappa))
    return tuple(out)


def von_mises_forms():
    density = lambda y, mu, kappa: kappa * mp.cos(mu - y) - mp.log(2 * mp.pi * mp.besseli(0, kappa))
    return by_integral("von_mises", von_mises, (density,), von_mises_points(), sensitive=False)


FUNCTIONS = [
    *logistic(),
    *normal(),
    *skew_double_exponential(),
    *skew_normals(),
    *std_normal(),
    *student_t(),
    *uniform(),
    *von_mises_forms(),
]
