"""The truths of outcomes among categories, and of ordered outcomes."""

import mpmath as mp

from points import short
from structured import Structured, count, ints, places, positive, simplex
from tape import exp, expm1, lgamma, log, log1p, log1p_exp, normal_below, number, total

SIZE = 3


def odds(rng, size=SIZE):
    """Log odds, of which one is sometimes so much greater that its probability is almost 1."""
    spread = rng.choice((1.0, 3.0, 20.0, 100.0))
    shift = rng.choice((0.0, 0.0, 5.0, -300.0, 1e6))
    return [float(f"{shift + rng.gauss(0, spread):.10g}") for _ in range(size)]


def outcome(rng, values):
    """Mostly the one with the greatest value, else any."""
    return 1 + (values.index(max(values)) if rng.random() < 0.5 else rng.randrange(len(values)))


def log_share(k, *b):
    """The logarithm of softmax(b)[k]."""
    return -log1p(total(exp(x - b[k - 1]) for i, x in enumerate(b) if i != k - 1))


def drawn(values_of):
    def draw(rng):
        values = values_of(rng)
        return [outcome(rng, values), *values]

    return draw


def coefficient(counts):
    return mp.loggamma(sum(counts) + 1) - mp.fsum(mp.loggamma(n + 1) for n in counts)


def multinomial(*x):
    counts, theta = x[:SIZE], x[SIZE:]
    return total([coefficient(counts), *(n * log(t) for n, t in zip(counts, theta) if n > 0)])


def multinomial_logit(*x):
    counts, b = x[:SIZE], x[SIZE:]
    return total([coefficient(counts), *(n * log_share(k + 1, *b) for k, n in enumerate(counts) if n > 0)])


def rise(x, n):
    return total(log(x + k) for k in range(n)) if n < 30 else lgamma(x + n) - lgamma(x)


def dirichlet_multinomial(*x):
    counts, alpha = x[:SIZE], x[SIZE:]
    return total([coefficient(counts), -rise(total(alpha), sum(counts)), *(rise(a, n) for a, n in zip(alpha, counts))])


def dirichlet(*x):
    theta, alpha = x[:SIZE], x[SIZE:]
    return lgamma(total(alpha)) + total((a - 1) * log(t) - lgamma(a) for a, t in zip(alpha, theta))


def counts(rng, most=6):
    return [count(rng, most) for _ in range(SIZE)]


def cuts(rng, least=-3.0):
    """Increasing cut points, some of them next to each other, with a location that is often far from them."""
    at = [rng.gauss(0, 3)]
    for _ in range(SIZE - 1):
        at.append(at[-1] + (rng.uniform(0.1, 3) if rng.random() < 0.7 else 10 ** rng.uniform(least, 1.5)))
    return [float(f"{x:.10g}") for x in at]


def ordered(far):
    def draw(rng):
        at = cuts(rng)
        eta = short(rng.gauss(0, 3) if rng.random() < 0.6 else rng.choice((-1, 1)) * 10 ** rng.uniform(0.5, far), rng)
        return [rng.randint(1, SIZE + 1), eta, *at]

    return draw


def ordered_logistic(k, eta, *c):
    if k == 1:
        return -log1p_exp(eta - c[0])
    if k == len(c) + 1:
        return -log1p_exp(c[-1] - eta)
    low, high = eta - c[k - 2], eta - c[k - 1]
    return -log1p_exp(-low) - log1p_exp(high) + log(-expm1(high - low))


def log_normal_below(x):
    x = number(x)
    return log(normal_below(x)) if x.value < 0 else log1p(-normal_below(-x))


def ordered_probit(k, eta, *c):
    if k == 1:
        return log_normal_below(c[0] - eta)
    if k == len(c) + 1:
        return log_normal_below(eta - c[-1])
    low, high = c[k - 2] - eta, c[k - 1] - eta
    middle = normal_below(high) - normal_below(low) if low.value < 0 else normal_below(-low) - normal_below(-high)
    return log(middle) if middle.value < 0.5 else log1p(-(normal_below(low) + normal_below(-high)))


FUNCTIONS = [
    Structured("categorical_lpmf", f"categorical_lpmf($1 | {places(2, SIZE)})", drawn(lambda rng: simplex(rng, SIZE)),
               lambda k, *theta: log(theta[k - 1])),
    Structured("categorical_logit_lpmf", f"categorical_logit_lpmf($1 | {places(2, SIZE)})", drawn(odds), log_share),
    Structured("multinomial_lpmf", f"multinomial_lpmf({ints(1, SIZE)} | {places(4, SIZE)})",
               lambda rng: [*counts(rng), *simplex(rng, SIZE)], multinomial),
    Structured("multinomial_logit_lpmf", f"multinomial_logit_lpmf({ints(1, SIZE)} | {places(4, SIZE)})",
               lambda rng: [*counts(rng), *odds(rng)], multinomial_logit),
    Structured("dirichlet_lpdf", f"dirichlet_lpdf({places(1, SIZE)} | {places(4, SIZE)})",
               lambda rng: [*simplex(rng, SIZE), *(positive(rng) for _ in range(SIZE))], dirichlet),
    Structured("dirichlet_multinomial_lpmf", f"dirichlet_multinomial_lpmf({ints(1, SIZE)} | {places(4, SIZE)})",
               lambda rng: [*counts(rng, 8), *(positive(rng, 6.0) for _ in range(SIZE))], dirichlet_multinomial),
    Structured("ordered_logistic_lpmf", f"ordered_logistic_lpmf($1 | $2, {places(3, SIZE)})", ordered(2.5), ordered_logistic),
    Structured("ordered_probit_lpmf", f"ordered_probit_lpmf($1 | $2, {places(3, SIZE)})", ordered(1.5), ordered_probit),
]
