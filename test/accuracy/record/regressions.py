"""The truths of generalized linear models: two instances and two attributes."""

import mpmath as mp

from categorical import cuts, log_share, odds, ordered_logistic, outcome, rise
from points import short
from structured import Structured, anything, count, ints, places, positive
from tape import exp, log, log1p_exp, total

ROWS = ATTRIBUTES = 2


def design(rng):
    """By rows; sometimes so that both predictors are far on one side."""
    if rng.random() < 0.3:
        sign = rng.choice((-1, 1))
        return [short(sign * rng.uniform(1, 40), rng) for _ in range(4)], [short(rng.uniform(0.1, 3), rng) for _ in range(2)]
    return [anything(rng, 1.5) for _ in range(4)], [anything(rng, 1.0) for _ in range(2)]


def predictors(x, alpha, beta):
    return [alpha + x[2 * n] * beta[0] + x[2 * n + 1] * beta[1] for n in range(ROWS)]


def regression(name, outcomes, truth, others=(), trials=False, reals=False):
    """`outcomes(rng, signs)` gives those of both instances, `truth(outcomes, eta, *others)` one term."""
    many = 2 * ROWS if trials else ROWS
    first = many + 1

    def draw(rng):
        x, beta = design(rng)
        alpha = anything(rng, 1.0)
        eta = [alpha + x[2 * n] * beta[0] + x[2 * n + 1] * beta[1] for n in range(ROWS)]
        return [*outcomes(rng, eta), *x, alpha, *beta, *(each(rng) for each in others)]

    def sum_of(*at):
        y, x, alpha, beta, rest = at[:many], at[many : many + 4], at[many + 4], at[many + 5 : many + 7], at[many + 7 :]
        return total(truth(y[n::ROWS], eta, *rest) for n, eta in enumerate(predictors(x, alpha, beta)))

    left = places(1, ROWS) if reals else ints(1, ROWS)
    right = [ints(ROWS + 1, ROWS)] if trials else []
    right += [places(first, ROWS, ATTRIBUTES), f"${first + 4}", places(first + 5, ATTRIBUTES)]
    right += [f"${first + 7 + k}" for k in range(len(others))]
    return Structured(name, f"{name}({left} | {', '.join(right)})", draw, sum_of)


def likely(rng, eta):
    """Outcomes that mostly agree with the signs of the predictors."""
    return [int((e > 0) == (rng.random() < 0.8)) for e in eta]


def shares(rng, eta):
    trials = [1 + count(rng, 4) for _ in eta]
    kind = rng.random()
    return [*((N if e > 0 else 0) if kind < 0.4 else rng.randint(0, N) for N, e in zip(trials, eta)), *trials]


def lchoose(N, n):
    return mp.loggamma(N + 1) - mp.loggamma(n + 1) - mp.loggamma(N - n + 1)


def normal(y, eta, sigma):
    z = (y[0] - eta) / sigma
    return -mp.log(2 * mp.pi) / 2 - log(sigma) - z * z / 2


def neg_binomial(y, eta, phi):
    n = y[0]
    ratio = eta - log(phi)
    return rise(phi, n) - mp.loggamma(n + 1) - phi * log1p_exp(ratio) - n * log1p_exp(-ratio)


def numbers_of(rng, eta):
    return [short(rng.gauss(0, 5), rng) for _ in eta]


def counts_of(rng, eta):
    return [count(rng, 4) for _ in eta]



def categorical_draw(rng):
    """Of shares that are next to neither 0 nor 1, where one quick sum of exponentials for all rows leaves no relative accuracy."""
    while True:
        x, _ = design(rng)
        alpha, beta = odds(rng), [anything(rng, 1.0) for _ in range(6)]
        eta = [[alpha[k] + x[2 * n] * beta[k] + x[2 * n + 1] * beta[3 + k] for k in range(3)] for n in range(ROWS)]
        y = [outcome(rng, each) for each in eta]
        gaps = [[each[k - 1] - other for i, other in enumerate(each) if i != k - 1] for each, k in zip(eta, y)]
        if max(map(abs, alpha)) < 1e5 and all(abs(g) < 7 for gap in gaps for g in gap):
            return [*y, *x, *alpha, *beta]


def categorical_truth(*at):
    y, x, alpha, beta = at[:2], at[2:6], at[6:9], at[9:]
    eta = lambda n: [alpha[k] + x[2 * n] * beta[k] + x[2 * n + 1] * beta[3 + k] for k in range(3)]
    return total(log_share(y[n], *eta(n)) for n in range(ROWS))


def ordered_draw(rng):
    x, beta = design(rng)
    return [*(rng.randint(1, 4) for _ in range(ROWS)), *x, *beta, *cuts(rng, -2.0)]


def ordered_truth(*at):
    y, x, beta, c = at[:2], at[2:6], at[6:8], at[8:]
    return total(ordered_logistic(y[n], x[2 * n] * beta[0] + x[2 * n + 1] * beta[1], *c) for n in range(ROWS))


FUNCTIONS = [
    regression("normal_id_glm_lpdf", numbers_of, normal, (positive,), reals=True),
    regression("bernoulli_logit_glm_lpmf", likely, lambda y, eta: -log1p_exp(-eta if y[0] == 1 else eta)),
    regression("poisson_log_glm_lpmf", counts_of, lambda y, eta: y[0] * eta - exp(eta) - mp.loggamma(y[0] + 1)),
    regression("neg_binomial_2_log_glm_lpmf", counts_of, neg_binomial, (positive,)),
    regression("binomial_logit_glm_lpmf", shares,
               lambda y, eta: lchoose(y[1], y[0]) - y[0] * log1p_exp(-eta) - (y[1] - y[0]) * log1p_exp(eta), trials=True),
    Structured("categorical_logit_glm_lpmf",
               f"categorical_logit_glm_lpmf({ints(1, 2)} | {places(3, 2, 2)}, {places(7, 3)}, {places(10, 2, 3)})",
               categorical_draw, categorical_truth),
    Structured("ordered_logistic_glm_lpmf",
               f"ordered_logistic_glm_lpmf({ints(1, 2)} | {places(3, 2, 2)}, {places(7, 2)}, {places(9, 3)})",
               ordered_draw, ordered_truth),
]
