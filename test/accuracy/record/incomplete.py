"""The truths of incomplete gamma and beta functions, Owen's T and hypergeometric functions."""

import mpmath as mp

from elementary import logistic
from points import Real
from special import phi, refined
from truth import Function

SHAPE = Real(low=0.0, ordinary=(0.0, 20.0), about=(1.0, 0.5), exponents=(-3, 3))
VARIABLE = Real(low=0.0, ordinary=(0.0, 40.0), about=(1.0,), exponents=(-10, 3))
UNIT = Real(low=0.0, high=1.0, ordinary=(0.0, 1.0), about=(0.5,), exponents=(-10, 0))


def positive(*numbers):
    return all(x > 1e-12 for x in numbers)


def gamma_p(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def gamma_q(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def gamma_density(a, x):
    return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


def by_shape(function, a, *rest):
    step = a * mp.mpf(10) ** -(mp.mp.dps // 3)
    return (function(a + step, *rest) - function(a - step, *rest)) / (2 * step)


def gamma_p_by_shape(a, x):
    """By the smaller of P and Q."""
    return by_shape(gamma_p, a, x) if x < a else -by_shape(gamma_q, a, x)


def inc_beta_upper(a, b, x):
    return mp.betainc(a, b, x, 1, regularized=True)


def inc_beta(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def beta_density(a, b, x):
    return mp.exp((a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b))


def inc_beta_slopes(a, b, x):
    function, sign = (inc_beta, 1) if x < a / (a + b) else (inc_beta_upper, -1)
    by_second = by_shape(lambda b, a: function(a, b, x), b, a)
    return [sign * by_shape(function, a, b, x), sign * by_second, beta_density(a, b, x)]


def inv_inc_beta(a, b, p):
    with mp.workdps(25):
        low, high = mp.mpf(-800), mp.mpf(40)
        for _ in range(45):
            middle = (low + high) / 2
            below = inc_beta(a, b, logistic(middle)) < p
            low, high = (middle, high) if below else (low, middle)
    return refined(logistic((low + high) / 2), lambda x: (inc_beta(a, b, x) - p) / beta_density(a, b, x))


def inv_inc_beta_slopes(a, b, p):
    x = inv_inc_beta(a, b, p)
    by_first, by_second, density = inc_beta_slopes(a, b, x)
    return [-by_first / density, -by_second / density, 1 / density]


def owens_t(h, a):
    if abs(a) > 1:
        tail = lambda x: mp.erfc(x / mp.sqrt(2)) / 2
        p, q = tail(abs(h)), tail(abs(a * h))
        return mp.sign(a) * ((p + q) / 2 - p * q - owens_t(a * h, 1 / abs(a)))
    end = min(abs(a), 40 / abs(h)) if h != 0 else abs(a)
    rate = -h * h / 2
    value = mp.quad(lambda x: mp.exp(rate * x * x) / (1 + x * x), mp.linspace(0, end, 9))
    return mp.sign(a) * mp.exp(rate) * value / (2 * mp.pi)


def owens_t_slopes(h, a):
    return [-phi(h) / 2 * mp.erf(a * h / mp.sqrt(2)), mp.exp(-h * h * (1 + a * a) / 2) / (2 * mp.pi * (1 + a * a))]


UPPER = Real(ordinary=(-3, 6), exponents=(-3, 1))
LOWER = Real(low=0.0, ordinary=(0.2, 10), exponents=(-2, 2))

FUNCTIONS = [
    Function("gamma_p", (SHAPE, VARIABLE), gamma_p, lambda a, x: [gamma_p_by_shape(a, x), gamma_density(a, x)],
             where=positive, sensitive=False),
    Function("gamma_q", (SHAPE, VARIABLE), gamma_q, lambda a, x: [-gamma_p_by_shape(a, x), -gamma_density(a, x)],
             where=positive, sensitive=False),
    Function("inc_beta", (SHAPE, SHAPE, UNIT), inc_beta, inc_beta_slopes,
             where=lambda a, b, x: positive(a, b, x, 1 - x), sensitive=False, count=205),
    Function("inv_inc_beta", (Real(low=0.0, ordinary=(0.2, 20.0), about=(1.0,), exponents=(-1, 2)),) * 2 + (UNIT,), inv_inc_beta,
             inv_inc_beta_slopes, where=lambda a, b, p: min(a, b) > 0.1 and positive(p, 1 - p), digits=40),
    Function("owens_t", (Real(ordinary=(-6, 6), about=(0.0,), exponents=(-20, 1.4)), Real(ordinary=(-3, 3), about=(0.0, 1.0), exponents=(-20, 10))),
             owens_t, owens_t_slopes, sensitive=False, digits=30),
    Function("hypergeometric_1F0", (Real(ordinary=(-10, 10)), Real(low=-1.0, high=1.0, ordinary=(-1.0, 1.0), exponents=(-300, 0))),
             lambda a, z: mp.exp(-a * mp.log1p(-z)),
             lambda a, z: [-mp.log1p(-z) * mp.exp(-a * mp.log1p(-z)), a * mp.exp(-(a + 1) * mp.log1p(-z))],
             where=lambda a, z: abs(z) < 1 and abs(a) < 1e6),
    Function("hypergeometric_2F1", (Real(ordinary=(-3, 6), exponents=(-3, 1)), Real(ordinary=(-3, 6), exponents=(-3, 1)),
                                    Real(low=0.0, ordinary=(0.2, 10), exponents=(-2, 2)), Real(high=1.0, ordinary=(-2, 0.95), exponents=(-6, 0.5))),
             mp.hyp2f1, where=lambda a, b, c, z: c > 0.01 and z < 0.999),
    Function("hypergeometric_3F2", (UPPER,) * 3 + (LOWER,) * 2 + (Real(low=-1.0, high=1.0, ordinary=(-0.9, 0.9), exponents=(-6, 0)),),
             lambda *x: mp.hyper(x[:3], x[3:5], x[5]), where=lambda *x: min(x[3:5]) > 0.01 and abs(x[5]) < 0.95,
             call="hypergeometric_3F2([$1, $2, $3]', [$4, $5]', $6)", sensitive=False, digits=30),
    Function("hypergeometric_pFq", (UPPER, LOWER, LOWER, Real(ordinary=(-3, 3), exponents=(-6, 1))),
             lambda *x: mp.hyper(x[:1], x[1:3], x[3]), where=lambda *x: min(x[1:3]) > 0.01,
             call="hypergeometric_pFq([$1]', [$2, $3]', $4)", sensitive=False, digits=30),
]
