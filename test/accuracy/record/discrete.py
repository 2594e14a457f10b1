"""The truths of the distributions of outcomes and counts."""

import math
import random

import mpmath as mp

from points import Int, Real
from truth import Function

PROBABILITY = Real(low=1e-300, high=1.0, ordinary=(0.0, 1.0), about=(0.5,))
RATE = Real(low=1e-300, ordinary=(0.0, 30.0), about=(1.0,))
MEAN = Real(low=1e-100, ordinary=(0.0, 30.0), about=(1.0,), exponents=(-100, 100))
SHAPE = Real(low=1e-10, ordinary=(0.0, 20.0), about=(1.0,), exponents=(-10, 10))
HEAVY = Real(low=1e-5, ordinary=(0.0, 20.0), about=(1.0,), exponents=(-5, 3))
LOG_ODDS = Real(ordinary=(-40.0, 40.0), about=(0.0, 709.78, -709.78, -745.1), exponents=(-300, 4))
LOG_RATE = Real(ordinary=(-40.0, 20.0), about=(0.0, 700.0, -700.0, -745.1), exponents=(-300, 4))
OUTCOME = Int(0, 1, (0, 1))
COUNT = Int(0, 2_000_000_000, (0, 60))
UP_TO = Int(0, 20_000, (0, 40))
TRIALS = Int(0, 2_000_000_000, (0, 100))
FEW_TRIALS = Int(0, 2_000, (0, 60))


def lchoose(n, k):
    return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


def log_rise(x, n):
    """log of x (x + 1) … (x + n - 1)"""
    return mp.fsum(mp.log(x + k) for k in range(n)) if n < 30 else mp.loggamma(x + n) - mp.loggamma(x)


def slope_of_rise(x, n):
    return mp.fsum(1 / (x + k) for k in range(n)) if n < 30 else mp.digamma(x + n) - mp.digamma(x)


def times_log(x, y):
    return x * mp.log(y) if x != 0 else mp.mpf(0)


def log1p_exp(x):
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


def inv_logit(x):
    return 1 / (1 + mp.exp(-x))


# Distribution functions: sums of masses, of the side that has no cancellation.


MOST_TERMS = 1000


def sum_of(term, ratio, k, step, end):
    """Σ of masses from k on, in steps of ±1 up to `end` (None: infinite); None if it converges slowly."""
    total = mp.mpf(0)
    least = mp.mpf(10) ** -(mp.mp.dps + 5)
    terms = 0
    while k != end:
        terms += 1
        if end is None and terms > MOST_TERMS:
            return None
        total += term
        factor = ratio(k) if step > 0 else 1 / ratio(k - 1) if k > 0 else mp.mpf(0)
        if factor == 0 or (factor < 1 and term < total * least * (1 - factor)):
            break
        term *= factor
        k += step
    return total


def tails(n, mass, ratio, largest=None):
    """P(≤ n) and P(> n); ratio(k) is mass(k + 1) / mass(k)."""
    if n < 0:
        return mp.mpf(0), mp.mpf(1)
    if largest is not None and n >= largest:
        return mp.mpf(1), mp.mpf(0)
    lower = sum_of(mass(n), ratio, n, -1, -1)
    if lower < 0.999:
        return lower, 1 - lower
    upper = sum_of(mass(n + 1), ratio, n + 1, 1, None if largest is None else largest + 1)
    if upper is None:
        with mp.workdps(mp.mp.dps - int(mp.log10(mass(n + 1)))):
            upper = 1 - sum_of(mass(n), ratio, n, -1, -1)
    return 1 - upper, upper


def log_of(value, rest):
    """log value, by the rest where value is near 1."""
    return mp.log(value) if value < 0.9 else mp.log1p(-rest)


def slopes_of(both):
    """Derivatives of P(≤ n) by differences of the smaller of the two."""

    def slope(at, k):
        side = int(both(*at)[0] > 0.5)
        step = at[k] * mp.mpf(10) ** -(mp.mp.dps // 3)
        above, below = (both(*(x + s if i == k else x for i, x in enumerate(at)))[side] for s in (step, -step))
        return (-1) ** side * (above - below) / (2 * step)

    return lambda *at: [None if isinstance(x, int) else slope(at, k) for k, x in enumerate(at)]


def distribution(name, arguments, both, **options):
    """The three forms; `both` gives P(≤ n) and P(> n)."""
    return [
        Function(f"{name}_cdf", arguments, lambda *x: both(*x)[0], slopes_of(both), **options),
        Function(f"{name}_lcdf", arguments, lambda *x: log_of(*both(*x)), **options),
        Function(f"{name}_lccdf", arguments, lambda *x: log_of(*reversed(both(*x))), **options),
    ]


def poisson(n, rate):
    mass = lambda k: mp.exp(k * mp.log(rate) - rate - mp.loggamma(k + 1))
    return tails(n, mass, lambda k: rate / (k + 1))


def binomial(n, N, theta):
    mass = lambda k: mp.exp(lchoose(N, k) + times_log(k, theta) + times_log(N - k, 1 - theta))
    return tails(n, mass, lambda k: (N - k) * theta / ((k + 1) * (1 - theta)), N)


def gamma_poisson(n, shape, log_zero, share):
    """Negative binomial: `log_zero` of the mass at 0, `share` of the failures."""
    mass = lambda k: mp.exp(log_rise(shape, k) - mp.loggamma(k + 1) + log_zero + k * mp.log(share))
    return tails(n, mass, lambda k: (shape + k) / (k + 1) * share)


def neg_binomial(n, alpha, beta):
    return gamma_poisson(n, alpha, -alpha * mp.log1p(1 / beta), 1 / (1 + beta))


def neg_binomial_2(n, mu, phi):
    return gamma_poisson(n, phi, -phi * mp.log1p(mu / phi), mu / (mu + phi))


def beta_binomial_mass(k, N, alpha, beta):
    return mp.exp(lchoose(N, k) + log_rise(alpha, k) + log_rise(beta, N - k) - log_rise(alpha + beta, N))


def beta_binomial(n, N, alpha, beta):
    ratio = lambda k: (N - k) * (alpha + k) / ((k + 1) * (beta + N - k - 1))
    if n < 0 or n >= N:
        return tails(n, None, None, N)
    # the masses may grow to both sides
    mass = beta_binomial_mass(0, N, alpha, beta)
    sums = [mp.mpf(0), mp.mpf(0)]
    for k in range(N + 1):
        sums[k > n] += mass
        if k < N:
            mass *= ratio(k)
    return tuple(sums)


def beta_neg_binomial_lpmf(n, r, alpha, beta):
    quotient = mp.loggamma(alpha + r) - mp.loggamma(alpha) + mp.loggamma(alpha + beta) - mp.loggamma(alpha + beta + r)
    return log_rise(r, n) + log_rise(beta, n) - log_rise(alpha + beta + r, n) - mp.loggamma(n + 1) + quotient


def beta_neg_binomial_slopes(n, r, alpha, beta):
    total = alpha + beta + r
    psi = mp.digamma
    by_total = -slope_of_rise(total, n) - psi(total)
    return [
        None,
        slope_of_rise(r, n) + by_total + psi(alpha + r),
        by_total + psi(alpha + r) - psi(alpha) + psi(alpha + beta),
        slope_of_rise(beta, n) + by_total + psi(alpha + beta),
    ]


def beta_neg_binomial(n, r, alpha, beta):
    mass = lambda k: mp.exp(beta_neg_binomial_lpmf(k, r, alpha, beta))
    return tails(n, mass, lambda k: (r + k) * (beta + k) / ((alpha + beta + r + k) * (k + 1)))


def yule_simon(n, alpha):
    """P(> n) = Γ(n + 1) Γ(alpha + 1) / Γ(n + alpha + 1)"""
    if n < 1:
        return mp.mpf(0), mp.mpf(1)
    with mp.workdps(mp.mp.dps + max(0, -int(mp.log10(alpha)))):
        below = mp.loggamma(n + 1) - log_rise(1 + alpha, n)
        return -mp.expm1(below), mp.exp(below)


def discrete_range(y, low, high):
    size = mp.mpf(high - low + 1)
    return min(max((y - low + 1) / size, 0), 1), min(max((high - y) / size, 0), 1)


def outcome(y, theta):
    return (mp.mpf(0), mp.mpf(1)) if y < 0 else (mp.mpf(1), mp.mpf(0)) if y > 0 else (1 - theta, theta)


def neg_binomial_2_log_slopes(n, eta, phi):
    odds = eta - mp.log(phi)
    return [None, n - (n + phi) * inv_logit(odds),
            slope_of_rise(phi, n) - n / phi - log1p_exp(odds) + (phi + n) / phi * inv_logit(odds)]


def near_mean(arrange, seed):
    """Large counts within a few standard deviations of their mean: `arrange(rng, n, mean)` puts the arguments in order."""
    rng = random.Random(seed)
    counts = [int(10 ** rng.uniform(4, 9.2)) for _ in range(40)]
    return tuple(arrange(rng, n, float(f"{n + rng.gauss(0, 2) * math.sqrt(n):.12g}")) for n in counts)


def trials_near(rng, n, mean):
    """As many successes as failures, about."""
    N = min(2_000_000_000, int(n * rng.uniform(1.2, 4)))
    return n, N, mean / N


def log_odds_near(rng, n, mean):
    n, N, share = trials_near(rng, n, mean)
    return n, N, math.log(share / (1 - share))


WITHIN = lambda n, N, *_: n <= N
INSIDE = lambda n, N, *_: n < N

FUNCTIONS = [
    Function("bernoulli_lpmf", (OUTCOME, PROBABILITY), lambda y, t: mp.log(t) if y == 1 else mp.log1p(-t),
             lambda y, t: [None, 1 / t if y == 1 else -1 / (1 - t)]),
    *distribution("bernoulli", (Int(0, 0, (0, 0)), PROBABILITY), outcome),
    Function("bernoulli_logit_lpmf", (OUTCOME, LOG_ODDS), lambda y, a: -log1p_exp(-a if y == 1 else a),
             lambda y, a: [None, inv_logit(-a) if y == 1 else -inv_logit(a)]),
    Function("binomial_lpmf", (COUNT, TRIALS, PROBABILITY),
             lambda n, N, t: lchoose(N, n) + times_log(n, t) + times_log(N - n, 1 - t),
             lambda n, N, t: [None, None, n / t - (N - n) / (1 - t)], where=WITHIN, extra=near_mean(trials_near, "binomial")),
    *distribution("binomial", (UP_TO, FEW_TRIALS, PROBABILITY), binomial, where=INSIDE),
    Function("binomial_logit_lpmf", (COUNT, TRIALS, LOG_ODDS),
             lambda n, N, a: lchoose(N, n) - n * log1p_exp(-a) - (N - n) * log1p_exp(a),
             lambda n, N, a: [None, None, n * inv_logit(-a) - (N - n) * inv_logit(a)], where=WITHIN,
             extra=near_mean(log_odds_near, "binomial_logit")),
    Function("beta_binomial_lpmf", (COUNT, TRIALS, SHAPE, SHAPE),
             lambda n, N, a, b: lchoose(N, n) + log_rise(a, n) + log_rise(b, N - n) - log_rise(a + b, N),
             lambda n, N, a, b: [None, None, slope_of_rise(a, n) - slope_of_rise(a + b, N),
                                 slope_of_rise(b, N - n) - slope_of_rise(a + b, N)], where=WITHIN),
    *distribution("beta_binomial", (Int(0, 300, (0, 30)), Int(0, 300, (0, 60)), SHAPE, SHAPE), beta_binomial,
                  where=INSIDE),
    Function("beta_neg_binomial_lpmf", (COUNT, SHAPE, SHAPE, SHAPE), beta_neg_binomial_lpmf, beta_neg_binomial_slopes),
    *distribution("beta_neg_binomial", (Int(0, 300, (0, 40)), HEAVY, HEAVY, HEAVY), beta_neg_binomial,
                  sensitive=False),
    Function("discrete_range_lpmf", (Int(-100, 100, (-5, 5)),) * 3, lambda y, low, high: -mp.log(mp.mpf(high - low + 1)),
             where=lambda y, low, high: low <= y <= high),
    *distribution("discrete_range", (Int(-2_147_483_648, 2_147_483_647, (-5, 5)),) * 3, discrete_range,
                  where=lambda y, low, high: low <= y < high, extra=((5, -2_147_483_648, 2_147_483_647),)),
    Function("hypergeometric_lpmf", (COUNT, COUNT, TRIALS, TRIALS),
             lambda n, N, a, b: lchoose(a, n) + lchoose(b, N - n) - lchoose(a + b, N),
             where=lambda n, N, a, b: n < N and n <= a and N - n <= b and a + b < 2**31),
    Function("poisson_lpmf", (COUNT, RATE), lambda n, rate: n * mp.log(rate) - rate - mp.loggamma(n + 1),
             lambda n, rate: [None, n / rate - 1], extra=near_mean(lambda _, n, mean: (n, mean), "poisson")),
    *distribution("poisson", (UP_TO, MEAN), poisson,
                  extra=((3, 800.0), (3, 1e-100), (0, 1e-100), (1000, 1.0))),
    Function("poisson_log_lpmf", (COUNT, LOG_RATE), lambda n, a: n * a - mp.exp(a) - mp.loggamma(n + 1),
             lambda n, a: [None, n - mp.exp(a)], extra=near_mean(lambda _, n, mean: (n, math.log(mean)), "poisson_log")),
    Function("neg_binomial_lpmf", (COUNT, SHAPE, MEAN),
             lambda n, a, b: log_rise(a, n) - mp.loggamma(n + 1) - a * mp.log1p(1 / b) - n * mp.log1p(b),
             lambda n, a, b: [None, slope_of_rise(a, n) - mp.log1p(1 / b), a / b / (1 + b) - n / (1 + b)],
             extra=near_mean(lambda rng, n, mean: (n, mean * (b := 10 ** rng.uniform(-2, 2)), b), "neg_binomial")),
    *distribution("neg_binomial", (Int(0, 2_000, (0, 40)), SHAPE, Real(low=1e-10, ordinary=(0.0, 10.0), exponents=(-10, 10))), neg_binomial),
    Function("neg_binomial_2_lpmf", (COUNT, MEAN, SHAPE),
             lambda n, m, p: log_rise(p, n) - mp.loggamma(n + 1) - p * mp.log1p(m / p) + n * mp.log(m / (m + p)),
             lambda n, m, p: [None, n / m - (n + p) / (m + p),
                              slope_of_rise(p, n) - mp.log1p(m / p) + (m - n) / (m + p)],
             extra=near_mean(lambda rng, n, mean: (n, mean, 10 ** rng.uniform(-2, 7)), "neg_binomial_2")),
    *distribution("neg_binomial_2", (Int(0, 2_000, (0, 40)), Real(low=1e-10, ordinary=(0.0, 30.0), exponents=(-10, 10)), SHAPE), neg_binomial_2, count=201),
    Function("neg_binomial_2_log_lpmf", (COUNT, LOG_RATE, SHAPE),
             lambda n, e, p: log_rise(p, n) - mp.loggamma(n + 1) - p * log1p_exp(e - mp.log(p)) - n * log1p_exp(mp.log(p) - e),
             neg_binomial_2_log_slopes, extra=near_mean(lambda rng, n, mean: (n, math.log(mean), 10 ** rng.uniform(-2, 7)), "neg_binomial_2_log")),
    Function("yule_simon_lpmf", (Int(1, 2_000_000_000, (1, 40)), SHAPE),
             lambda n, a: mp.log(a) + mp.loggamma(n) - log_rise(a + 1, n),
             lambda n, a: [None, 1 / a - slope_of_rise(a + 1, n)]),
    *distribution("yule_simon", (Int(1, 2_000_000_000, (1, 40)), SHAPE), yule_simon),
]
