"""Writes reference.jsonl, a line a function: {"name", "cases": [[argument..., value], ...]}, values computed with 60 digits (mpmath) at the exact
binary arguments and rounded once to the nearest double. Usage: python3 reference.py [points per range] > reference.jsonl"""

import json
import math
import random
import sys

import mpmath as mp

mp.mp.dps = 60
random.seed(20240229)
POINTS = int(sys.argv[1]) if len(sys.argv) > 1 else 12


def uniform(low, high):
    return [random.uniform(low, high) for _ in range(POINTS)]


def geometric(low, high, signed=False):
    points = [10 ** random.uniform(low, high) for _ in range(POINTS)]
    return [x * random.choice((-1, 1)) for x in points] if signed else points


def about(center, exponents=(-12, -1)):
    return [center + x for x in geometric(*exponents, signed=True)]


def pairs(xs, ys):
    ys = list(ys)
    return [(x, random.choice(ys)) for x in xs]


def inv_logit(x):
    return 1 / (1 + mp.exp(-x))


def log1p_exp(x):
    return mp.log1p(mp.exp(x))


def phi(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def inv_phi(p):
    if p < mp.mpf(10) ** -6:
        guess = -mp.sqrt(-2 * mp.log(p))
    else:
        guess = mp.mpf(0)
        for _ in range(200):
            step = (phi(guess) - p) / mp.npdf(guess)
            guess -= max(mp.mpf(-1) / 2, min(mp.mpf(1) / 2, step))
            if abs(step) < mp.mpf(10) ** -45:
                return guess
    for _ in range(200):
        step = (mp.log(phi(guess)) - mp.log(p)) * phi(guess) / mp.npdf(guess)
        guess -= max(mp.mpf(-1) / 2, min(mp.mpf(1) / 2, step))
        if abs(step) < mp.mpf(10) ** -45:
            break
    return guess


def log_gamma(x):
    return mp.log(abs(mp.gamma(x))) if x < 0 or x < 1e3 else mp.loggamma(x)


def log_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def log_choose(n, k):
    return -log_beta(n - k + 1, k + 1) - mp.log1p(n)


def slope(f, x):
    """Derivative by a central difference of order 4 with 90 digits: good to 40."""
    with mp.workdps(90):
        return central(f, x, x * mp.mpf(10) ** -11)


def central(f, x, h):
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


def inv_log_phi(p):
    if p > -30:
        guess = inv_phi(mp.exp(p))
    else:
        guess = -mp.sqrt(-2 * p - mp.log(-4 * mp.pi * p))
    for _ in range(100):
        value = phi(guess)
        step = (mp.log(value) - p) * value / mp.npdf(guess)
        guess -= step
        if abs(step) < mp.mpf(10) ** -40 * abs(guess):
            break
    return guess


def inv_beta(a, b, p):
    low, high = mp.mpf(0), mp.mpf(1)
    for _ in range(60):
        middle = (low + high) / 2
        if mp.betainc(a, b, 0, middle, regularized=True) < p:
            low = middle
        else:
            high = middle
    x = (low + high) / 2
    if x < mp.mpf(10) ** -8:
        x = mp.exp((mp.log(p * a) + log_beta(a, b)) / a)
    for _ in range(6):
        density = mp.exp((a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - log_beta(a, b))
        x -= (mp.betainc(a, b, 0, x, regularized=True) - p) / density
    return x


def owens_t(h, a):
    integrand = lambda x: mp.exp(-h * h * (1 + x * x) / 2) / (1 + x * x)
    return mp.quad(integrand, mp.linspace(0, a, 65)) / (2 * mp.pi)


ALL = uniform(-2, 2) + uniform(-40, 40) + geometric(-20, -1, True)
WIDE = ALL + uniform(-700, 700)
POSITIVE = uniform(0, 3) + geometric(-300, 300) + about(1) + geometric(-3, 3)
ANGLES = ALL + geometric(0, 5, True) + geometric(5, 300, True) + [
    k * float(mp.pi / 2) for k in (1, 2, 3, 4, 5, 100, 12345, 1e5, 6381956970095103.0 * 2.0**700)
]
GAMMA = uniform(0, 7) + geometric(-5, 3) + about(1) + about(2) + uniform(6, 30) + geometric(3, 200)
BETA = [(a, b, min(0.95, max(0.02, a / (a + b) * random.uniform(0.7, 1.3)))) for a, b in pairs(geometric(-1, 1.7), geometric(-1, 1.7))]

CASES = {
    "exp": (mp.exp, WIDE + uniform(-745, -708)),
    "exp2": (lambda x: mp.mpf(2) ** x, WIDE + [-3.0, 10.0]),
    "expm1": (mp.expm1, WIDE),
    "log": (mp.log, POSITIVE + geometric(-323, -308)),
    "log1p": (mp.log1p, [x for x in WIDE if x > -1] + about(-0.5) + geometric(0, 300)),
    "log1p_square": (lambda x: mp.log1p(x * x), ALL + [1e154, -2e154, 7.5e290]),
    "log2": (lambda x: mp.log(x) / mp.log(2), POSITIVE),
    "log10": (lambda x: mp.log(x) / mp.log(10), POSITIVE),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), ALL + geometric(-300, 300, True)),
    "pow": (lambda x, y: mp.power(x, y), [
        (x, y) for x, y in
        pairs(POSITIVE, uniform(-3, 3)) + pairs(about(1, (-6, -1)), geometric(2, 5, True)) + pairs(uniform(0, 20), uniform(-200, 200))
        if abs(y * mp.log(x)) < 700
    ]),
    "sin": (mp.sin, ANGLES),
    "cos": (mp.cos, ANGLES),
    "tan": (mp.tan, ANGLES),
    "asin": (mp.asin, uniform(-1, 1) + geometric(-10, -1, True)),
    "acos": (mp.acos, uniform(-1, 1) + geometric(-10, -1, True)),
    "atan": (mp.atan, ALL + geometric(-3, 3, True) + geometric(3, 300, True)),
    "atan2": (mp.atan2, pairs(ALL, uniform(-3, 3))),
    "sinh": (mp.sinh, WIDE),
    "cosh": (mp.cosh, WIDE),
    "tanh": (mp.tanh, ALL),
    "asinh": (mp.asinh, ALL + geometric(-3, 300, True)),
    "acosh": (mp.acosh, uniform(1, 3) + [1 + x for x in geometric(-10, 0)] + geometric(1, 300)),
    "atanh": (mp.atanh, uniform(-1, 1) + geometric(-20, -1, True)),
    "hypot": (mp.hypot, pairs(ALL, ALL) + [(3e200, 4e200), (3e-200, 4e-200)]),
    "inv_logit": (inv_logit, WIDE),
    "log1p_exp": (log1p_exp, WIDE),
    "log_inv_logit": (lambda x: -log1p_exp(-x), WIDE),
    "log1m_inv_logit": (lambda x: -log1p_exp(x), WIDE),
    "log1m_exp": (lambda x: mp.log(-mp.expm1(x)) if x > -1 else mp.log1p(-mp.exp(x)), [-abs(x) for x in WIDE] + about(-0.6931471805599453)),
    "log_diff_exp": (lambda x, y: x + mp.log(-mp.expm1(y - x)), [(max(p), min(p)) for p in pairs(ALL, ALL)]),
    "log_sum_exp": (lambda x, y: max(x, y) + mp.log1p(mp.exp(-abs(x - y))), pairs(ALL, [x for x in ALL if abs(x) > 1])),
    "lgamma": (log_gamma, GAMMA + uniform(-5, 0)),
    "tgamma": (mp.gamma, uniform(0, 7) + uniform(7, 171) + uniform(-20, 0)),
    "digamma": (mp.digamma, GAMMA + about(1.4616321449683622) + uniform(-5, 0)),
    "tetragamma": (lambda x: mp.psi(2, x), GAMMA + uniform(-5, 0)),
    "trigamma": (lambda x: mp.psi(1, x), GAMMA + uniform(-5, 0)),
    "lbeta": (log_beta, pairs(geometric(-3, 6), geometric(-3, 6))),
    "lgamma_rise": (lambda x, d: mp.loggamma(x + d) - mp.loggamma(x), pairs(geometric(-5, 10), geometric(-8, 5)) + [(x, -0.9 * x) for x in geometric(-2, 3)]),
    "digamma_rise": (lambda x, d: mp.digamma(x + d) - mp.digamma(x), pairs(geometric(-5, 10), geometric(-8, 5))),
    "lchoose": (log_choose, [(n, random.uniform(0, 1) * n) for n in geometric(0, 8)]),
    "erf": (mp.erf, ALL),
    "erfc": (mp.erfc, uniform(-3, 3) + uniform(0, 26) + geometric(-10, 0)),
    "Phi": (phi, uniform(-5, 5) + uniform(-37, 0)),
    "log_Phi": (lambda x: mp.log(phi(x)), uniform(-5, 5) + uniform(-37, 8) + [-x for x in geometric(2, 6)]),
    "inv_Phi": (inv_phi, uniform(0, 1) + geometric(-300, -1)),
    "gamma_p": (lambda a, x: mp.gammainc(a, 0, x, regularized=True), [
        (a, a * random.uniform(0.2, 2)) for a in geometric(-1, 2.5)] + pairs(geometric(-2, 1), geometric(-3, 0.5))),
    "gamma_q": (lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True), [
        (a, a * random.uniform(0.2, 2)) for a in geometric(-1, 2.5)] + pairs(geometric(-2, 1), geometric(-3, 1.5))),
    "inc_beta": (lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True), [
        (a, b, min(0.999, max(1e-3, a / (a + b) * random.uniform(0.7, 1.3)))) for a, b in pairs(geometric(-2, 3), geometric(-2, 3))]
        + [(a, b, random.uniform(0, 1)) for a, b in pairs(geometric(-1, 1), geometric(-1, 1))]),
    "gamma_p_da": (lambda a, x: slope(lambda s: mp.gammainc(s, 0, x, regularized=True), a), [
        (a, a * random.uniform(0.2, 2)) for a in geometric(-1, 2)] + pairs(geometric(-2, 1), geometric(-3, 1.3))),
    "inc_beta_da": (lambda a, b, x: slope(lambda s: mp.betainc(s, b, 0, x, regularized=True), a), BETA),
    "inc_beta_db": (lambda a, b, x: slope(lambda s: mp.betainc(a, s, 0, x, regularized=True), b), BETA),
    "log_modified_bessel_first_kind": (lambda v, x: mp.log(mp.besseli(v, x)), pairs(geometric(-1, 2), geometric(-3, 3.5)) + pairs([0.0] * 5, geometric(-2, 3))),
    "log_modified_bessel_first_kind_dv": (lambda v, x: slope(lambda s: mp.log(mp.besseli(s, x)), v), pairs(geometric(-3, 3), geometric(-5, 3.5))),
    "modified_bessel_first_kind": (mp.besseli, [(random.randint(-3, 20), x) for x in geometric(-2, 2, True)]),
    "modified_bessel_second_kind": (mp.besselk, [(random.randint(-2, 12), x) for x in geometric(-2, 2)]),
    "bessel_first_kind": (mp.besselj, [(random.randint(-2, 20), x) for x in geometric(-1, 3, True)]),
    "bessel_second_kind": (mp.bessely, [(random.randint(-2, 12), x) for x in geometric(-1, 3)]),
    "lambert_w0": (mp.lambertw, uniform(-0.3678, 0) + uniform(0, 5) + geometric(-10, 300) + [-x for x in geometric(-10, -1)]),
    "lambert_wm1": (lambda x: mp.lambertw(x, -1), uniform(-0.3678, 0) + [-x for x in geometric(-300, -1)]),
    "inv_log_Phi": (inv_log_phi, [-x for x in geometric(-10, 5)]),
    "inv_erfc": (lambda p: -inv_phi(p / 2) / mp.sqrt(2), uniform(0, 2) + geometric(-300, 0)),
    "inv_inc_beta": (inv_beta, [(a, b, random.uniform(0.01, 0.99)) for a, b, _ in BETA]),
    "owens_t": (owens_t, pairs(uniform(-6, 6) + uniform(-1, 1), uniform(-3, 3) + geometric(-2, 2, True))),
}


def rows(function, arguments):
    result = []
    for argument in arguments:
        xs = argument if isinstance(argument, tuple) else (argument,)
        value = float(mp.re(function(*[mp.mpf(x) for x in xs])))
        result.append([*xs, value])
    return [row for row in result if mp.isfinite(row[-1])]


def about_gamma(low, high):
    """Shapes and arguments within eight standard deviations of the mean."""
    return [(a, max(1e-3, a + math.sqrt(a) * random.uniform(-8, 8))) for a in geometric(low, high)]


def about_beta(shapes):
    """Shapes and arguments within five standard deviations of the mean, and anywhere."""
    points = []
    for a, b in shapes:
        mean = a / (a + b)
        deviation = math.sqrt(mean * (1 - mean) / (a + b + 1))
        x = random.choice((mean + deviation * random.uniform(-5, 5), random.uniform(0, 1), 10 ** random.uniform(-9, 0)))
        points.append((a, b, min(1 - 1e-9, max(1e-9, x))))
    return points


SMALL_SHAPES = pairs(geometric(-6, 0), geometric(-8, 1.5))
BETA_SHAPES = about_beta(pairs(geometric(-5, 0), geometric(-4, 3)) + pairs(geometric(0, 3), geometric(-4, 0)) + pairs(geometric(-1, 3.3), geometric(-1, 3.3)))
BRANCH_POINT = [float(-1 / mp.e) + x for x in geometric(-16, -1)]

# more arguments for functions above: small and large shapes, tails, branch points, high orders
EDGES = {
    "gamma_p": SMALL_SHAPES + about_gamma(0, 4.5),
    "gamma_q": SMALL_SHAPES + about_gamma(0, 4.5),
    "gamma_p_da": SMALL_SHAPES + about_gamma(0, 4),
    "inc_beta": BETA_SHAPES,
    "inc_beta_da": BETA_SHAPES,
    "inc_beta_db": BETA_SHAPES,
    "log_modified_bessel_first_kind": pairs(geometric(-3, 3.5), geometric(-6, 4)),
    "modified_bessel_first_kind": [(random.randint(0, 60), x) for x in geometric(-3, 2.8)],
    "modified_bessel_second_kind": [(random.randint(0, 60), x) for x in geometric(-3, 2.8)],
    "bessel_first_kind": [(random.randint(0, 60), x) for x in geometric(-2, 4)],
    "bessel_second_kind": [(random.randint(0, 40), x) for x in geometric(-2, 4)],
    "lambert_w0": BRANCH_POINT,
    "lambert_wm1": BRANCH_POINT,
    "owens_t": pairs(geometric(-8, 1.3), geometric(-10, 6) + uniform(0.9, 1.1)),
    "lbeta": pairs(geometric(-8, 10), geometric(-8, 10)),
    "lchoose": [(n, random.uniform(0, 1) * n) for n in geometric(6, 12)],
}

# Last, so that the random arguments of the other functions stay the same.
CASES["log_modified_bessel_first_kind_dx"] = (
    lambda v, x: mp.besseli(v + 1, x) / mp.besseli(v, x) + v / x,
    pairs(geometric(-3, 2), geometric(-3, 3.5)) + pairs([0.0] * 8, geometric(-2, 9)) + [(0.0, 15.0), (0.0, 45.0), (1.0, 1e8)],
)

for name, (function, arguments) in CASES.items():
    cases = rows(function, arguments)
    likely = [row for row in rows(function, EDGES.get(name, [])) if abs(row[-1]) > 1e-50]
    print(json.dumps({"name": name, "cases": cases + likely}))
