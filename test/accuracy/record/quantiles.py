"""The truths of quantile functions with parameters."""

import random

import mpmath as mp

from located import location
from points import Real, short
from standard import remembered, student_density
from truth import Function


def probability(rng):
    kind = rng.random()
    if kind < 0.4:
        return short(rng.uniform(0.001, 0.999), rng)
    if kind < 0.6:
        return float(f"{10 ** rng.uniform(-300, -2):.8g}")
    if kind < 0.75:
        return 1 - float(f"{10 ** rng.uniform(-14, -2):.8g}")
    return 0.5 + rng.choice((-1, 1)) * float(f"{10 ** rng.uniform(-14, -1):.8g}")


def freedom(rng):
    kind = rng.random()
    return short(rng.uniform(0.05, 30) if kind < 0.5 else 10 ** rng.uniform(-2, 3) if kind < 0.75 else 10 ** rng.uniform(3, 5), rng)


def middle(t, nu):
    """P(0 < T ≤ t)"""
    return t * student_density(0, nu) * mp.hyp2f1(0.5, (nu + 1) / 2, 1.5, -t * t / nu)


def tail(t, nu):
    """P(T ≤ -t), t > 0"""
    return mp.mpf(1) / 2 - middle(t, nu) if t < 3 and t * t < nu else mp.betainc(nu / 2, 0.5, 0, nu / (nu + t * t), regularized=True) / 2


@remembered
def student_quantile(p, nu):
    """Newton's method for log(tail) or log(middle) as a function of log t, which is concave."""
    if p == 0.5:
        return mp.mpf(0)
    q = min(p, 1 - p)
    peak = student_density(0, nu)
    inner = mp.mpf(1) / 2 - q
    near = inner / peak
    is_near = near < mp.sqrt(nu) / 2 and q > 0.25
    function = middle if is_near else tail
    target = inner if is_near else q
    sign = 1 if is_near else -1
    if is_near:
        t = near
    else:
        power = mp.exp((mp.log(peak / nu * mp.sqrt(nu) ** (nu + 1)) - mp.log(q)) / nu)
        z = mp.sqrt(-2 * mp.log(q))
        t = min(power, mp.sqrt(nu * mp.expm1(z * z / nu)))
    for digits in (20, mp.mp.dps):
        with mp.workdps(digits):
            for _ in range(80):
                value = function(t, nu)
                step = sign * mp.log(value / target) * value / (t * student_density(t, nu))
                t *= mp.exp(-step)
                if abs(step) < mp.mpf(10) ** (-digits * 0.6):
                    break
    return t if p > 0.5 else -t


def student_t_qf(p, nu, mu, sigma):
    return mu + sigma * student_quantile(p, nu)


def slopes(p, nu, mu, sigma):
    t = student_quantile(p, nu)
    density = student_density(t, nu)
    step = nu * mp.mpf(10) ** -(mp.mp.dps // 4)
    function = tail if abs(t) > 1 else lambda t, nu: -middle(t, nu)
    by_nu = (function(abs(t), nu + step) - function(abs(t), nu - step)) / (2 * step) if t != 0 else mp.mpf(0)
    return [sigma / density, sigma * (by_nu if t > 0 else -by_nu) / density, mp.mpf(1), t]


def drawn(count=200):
    rng = random.Random("student_t_qf")
    out = [(0.5, 4.0, 1.2, 2.0), (0.5, 0.3, -1.0, 0.5)]
    while len(out) < count:
        p, nu = probability(rng), freedom(rng)
        with mp.workdps(20):
            if abs(mp.log(min(p, 1 - p))) / nu > 600:
                continue
        out.append((p, nu, location(rng), short(rng.uniform(0.1, 5), rng)))
    return tuple(out)


POINTS = drawn()
LINE = Real()

FUNCTIONS = [
    Function("student_t_qf", (LINE, LINE, LINE, LINE), student_t_qf, slopes, extra=POINTS, count=len(POINTS), sensitive=False),
]
