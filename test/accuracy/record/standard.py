"""The truths of Student's t, the skew normal and the von Mises distribution, whose distribution functions are integrals. Each gives
the probabilities below and above a place with the derivatives of the first one, once for all forms."""

import functools

import mpmath as mp

from mpmath.calculus.quadrature import GaussLegendre


def remembered(compute):
    """`compute` at the current working precision, once for the same arguments."""
    cached = functools.lru_cache(maxsize=None)(lambda digits, *x: compute(*x))
    return lambda *x: cached(mp.mp.dps, *x)


def rule():
    """48 nodes and weights on [-1, 1], enough for 30 digits of a panel, at the current precision."""
    return rounded_rule(mp.mp.prec)


@functools.lru_cache(maxsize=None)
def precise_rule():
    return GaussLegendre(mp.mp).calc_nodes(5, 400)


@functools.lru_cache(maxsize=None)
def rounded_rule(prec):
    return [(+node, +weight) for node, weight in precise_rule()]


def logarithm(p, rest):
    """log p, by its complement where that is small."""
    return mp.log(p) if p < 0.5 else mp.log1p(-rest)


def integral_forms(parts):
    """Truths with derivatives of cdf, lcdf and lccdf; `parts` gives (below, above, derivatives of below)."""

    def log_below(*x):
        below, above, _ = parts(*x)
        return logarithm(below, above)

    def log_above(*x):
        below, above, _ = parts(*x)
        return logarithm(above, below)

    return {
        "cdf": (lambda *x: parts(*x)[0], lambda *x: parts(*x)[2]),
        "lcdf": (log_below, lambda *x: [slope / parts(*x)[0] for slope in parts(*x)[2]]),
        "lccdf": (log_above, lambda *x: [-slope / parts(*x)[1] for slope in parts(*x)[2]]),
    }


def student_density(t, nu):
    return mp.exp(mp.loggamma((nu + 1) / 2) - mp.loggamma(nu / 2) - mp.log(mp.pi * nu) / 2 - (nu + 1) / 2 * mp.log1p(t * t / nu))


def student_tail(t, nu):
    """P(T ≤ -t), t ≥ 0."""
    if t * t < nu:
        return mp.mpf(1) / 2 - t * student_density(0, nu) * mp.hyp2f1(0.5, (nu + 1) / 2, 1.5, -t * t / nu)
    return mp.betainc(nu / 2, 0.5, 0, nu / (nu + t * t), regularized=True) / 2


@remembered
def student_parts(t, nu):
    """(below, above, density, derivative of below with respect to nu)"""
    tail = student_tail(abs(t), nu)
    step = nu * mp.mpf(10) ** -(mp.mp.dps // 4)
    slope = (student_tail(abs(t), nu + step) - student_tail(abs(t), nu - step)) / (2 * step)
    return (tail, 1 - tail, student_density(t, nu), slope) if t < 0 else (1 - tail, tail, student_density(t, nu), -slope)


def student(y, nu, mu, sigma):
    t = (y - mu) / sigma
    below, above, density, by_nu = student_parts(t, nu)
    return below, above, [density / sigma, by_nu, -density / sigma, -t * density / sigma]


def skew_tail(h, a):
    """1/π ∫ exp(-(h² + v²)/2) h/(h² + v²) dv from v = a h: the probability below -h with shape a ≥ 0."""
    q, start, total = a * h, mp.mpf(0), mp.mpf(0)
    if h == 0:
        return mp.atan2(1, a) / mp.pi
    while start * (q + start / 2) < 60:
        width = min(h + q + start, 4 / (q + start + 2)) / 2
        for node, weight in rule():
            s = start + width * (1 + node)
            total += width * weight * mp.exp(-s * (q + s / 2)) * h / (h * h + (q + s) ** 2)
        start += 2 * width
    return total * mp.exp(-(h * h + q * q) / 2) / mp.pi


@remembered
def skew_parts(z, alpha):
    """(below, above, derivatives of below with respect to z and alpha)"""
    h, root = abs(z), mp.sqrt(2)
    tail = skew_tail(h, abs(alpha))
    if z * alpha >= 0 and z > 0:
        pair = mp.erf(h / root) + tail, mp.erfc(h / root) - tail
    elif z * alpha >= 0 and z < 0 and alpha < 0:
        pair = mp.erfc(h / root) - tail, mp.erf(h / root) + tail
    else:
        pair = (tail, 1 - tail) if z < 0 or (z == 0 and alpha >= 0) else (1 - tail, tail)
    by_z = mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi) * mp.erfc(-alpha * z / root)
    return *pair, by_z, -mp.exp(-z * z * (1 + alpha**2) / 2) / (mp.pi * (1 + alpha**2))


def skew_normal(y, xi, omega, alpha):
    z = (y - xi) / omega
    below, above, by_z, by_alpha = skew_parts(z, alpha)
    return below, above, [by_z / omega, -by_z / omega, -z * by_z / omega, by_alpha]


def von_mises_mass(start, end, kappa):
    """∫ exp(κ (cos t - 1)) dt and ∫ (cos t - 1) exp(κ (cos t - 1)) dt, from the side of the greater density to where nothing counts."""
    if start >= end:
        return mp.mpf(0), mp.mpf(0)
    turns = [start, *(k * mp.pi for k in range(-3, 4) if start < k * mp.pi < end), end]
    parts = [falling_mass(*sorted(pair, key=lambda t: -mp.cos(t)), kappa) for pair in zip(turns, turns[1:])]
    return mp.fsum(mass for mass, _ in parts), mp.fsum(moment for _, moment in parts)


def falling_mass(high, low, kappa):
    """Of an interval in which the density falls from `high` to `low`, in panels in which it falls little."""
    mass = moment = mp.mpf(0)
    sign, at, far = mp.sign(low - high), high, abs(low - high)
    peak = mp.cos(high)
    while far > 0 and kappa * (peak - mp.cos(at)) < 3 * mp.mp.dps:
        width = min(far, 2 / (1 + mp.sqrt(kappa) + kappa * abs(mp.sin(at)))) / 2
        for node, weight in rule():
            less = -2 * mp.sin((at + sign * width * (1 + node)) / 2) ** 2
            share = width * weight * mp.exp(kappa * less)
            mass, moment = mass + share, moment + share * less
        at, far = at + 2 * sign * width, far - 2 * width
    return mass, moment


@remembered
def von_mises(y, mu, kappa):
    density = lambda t: mp.exp(kappa * (mp.cos(t - mu) - 1)) / whole
    below, first = von_mises_mass(-mp.pi - mu, y - mu, kappa)
    above, second = von_mises_mass(y - mu, mp.pi - mu, kappa)
    whole, mean = below + above, (first + second) / (below + above)
    by_kappa = (first - mean * below) / whole if below < above else (mean * above - second) / whole
    return below / whole, above / whole, [density(y), density(mp.pi) - density(y), by_kappa]
