"""Both tails of the incomplete gamma and beta functions with their derivatives, each with all digits of the working precision."""

import mpmath as mp


def gamma_tails(a, x):
    """P(a, x), Q(a, x), and dP by a and by log x."""
    if x > 2000 and x > 2 * a:
        return _far_gamma_tails(a, x)
    lost = int((x - a - a * mp.log(x / a)) / mp.log(10)) if x > a else 0
    lost += max(0, int(-mp.log10(a)))
    with mp.workdps(mp.mp.dps + 15 + lost):
        total, weighted = _gamma_series(a, x)
        factor = mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))
        p = factor * total
        by_a = p * (mp.log(x) - mp.digamma(a + 1)) + factor * weighted
        return p, 1 - p, by_a, factor * a


def _gamma_series(a, x):
    """Σ x^k/((a + 1) … (a + k)) and its derivative with respect to a, in integers, which are much faster than floating point."""
    bits = mp.mp.prec + 20
    one = 1 << bits
    shape, variable = int(mp.ldexp(a, bits)), int(mp.ldexp(x, bits))
    term = total = one
    slope = weighted = 0
    while term:
        shape += one
        term = term * variable // shape
        slope -= (one << bits) // shape
        total += term
        weighted += term * slope
    return mp.ldexp(total, -bits), mp.ldexp(weighted, -2 * bits)


def _beta_terms(a, b, x, y):
    """Σ (a + b)_k/(a + 1)_k x^k and its derivatives with respect to a and b."""
    bits = mp.mp.prec + 20
    one = 1 << bits
    above, below, variable = (int(mp.ldexp(v, bits)) for v in (a + b, a + 1, x))
    term = total = one
    slope_a = slope_b = weighted_a = weighted_b = 0
    while term:
        term = term * above // below * variable >> bits
        rise = (one << bits) // above
        slope_b += rise
        slope_a += rise - (one << bits) // below
        total += term
        weighted_a += term * slope_a
        weighted_b += term * slope_b
        above += one
        below += one
    return mp.ldexp(total, -bits), mp.ldexp(weighted_a, -2 * bits), mp.ldexp(weighted_b, -2 * bits)


def _far_gamma_tails(a, x):
    def upper(shape):
        fraction = mp.mpf(0)
        for k in range(int(mp.mp.dps**2 / float(min(x, 1e9)) * 3) + 60, 0, -1):
            fraction = k * (shape - k) / (x + 2 * k + 1 - shape + fraction)
        return mp.exp(shape * mp.log(x) - x - mp.loggamma(shape)) / (x + 1 - shape + fraction)

    digits = mp.mp.dps
    with mp.workdps(3 * digits):
        step = a * mp.mpf(10) ** -digits
        q = upper(a)
        by_a = -(upper(a + step) - upper(a - step)) / (2 * step)
        return 1 - q, q, by_a, mp.exp(a * mp.log(x) - x - mp.loggamma(a))


def beta_tails(a, b, x, y):
    """I_x(a, b), its complement, and dI by a, by b and by x, x + y being 1."""
    rise = max(0, (a + b) * x - a) + 300 / y
    if rise > max(0, (a + b) * y - b) + 300 / x:
        q, p, by_b, by_a, by_y = _beta_series(b, a, y, x)
        return p, q, -by_a, -by_b, by_y
    return _beta_series(a, b, x, y)


def _beta_series(a, b, x, y):
    lost = max(0, int(-mp.log10(min(a, b))))
    if x * (a + b) > a:
        lost += int(-(a * mp.log(x * (a + b) / a) + b * mp.log(y * (a + b) / b)) / mp.log(10))
    with mp.workdps(mp.mp.dps + 15 + lost):
        total = a + b
        sum_, weighted_a, weighted_b = _beta_terms(a, b, x, y)
        log_x, log_y = (mp.log(x), mp.log1p(-x)) if x < y else (mp.log1p(-y), mp.log(y))
        factor = mp.exp(a * log_x + b * log_y + mp.loggamma(total) - mp.loggamma(a + 1) - mp.loggamma(b))
        p = factor * sum_
        both = mp.digamma(total)
        by_a = p * (log_x + both - mp.digamma(a + 1)) + factor * weighted_a
        by_b = p * (log_y + both - mp.digamma(b)) + factor * weighted_b
        return p, 1 - p, by_a, by_b, factor * a / (x * y)
