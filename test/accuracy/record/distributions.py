"""The forms of a distribution from both of its tails."""

from functools import lru_cache

import mpmath as mp

from truth import Function


def distribution(name, arguments, tails, forms=("cdf", "lcdf", "lccdf"), **options):
    """`tails(*at)` gives P, Q = 1 - P, and the derivatives of P by the arguments, none of them by a difference of near numbers."""
    @lru_cache(maxsize=64)
    def known(precision, *point):
        return tails(*point)

    def at(*point):
        return known(mp.mp.prec, *point)

    def log_lower(*point):
        p, q, _ = at(*point)
        return mp.log(p) if p < q else mp.log1p(-q)

    def log_upper(*point):
        p, q, _ = at(*point)
        return mp.log(q) if q < p else mp.log1p(-p)

    def slopes(scale):
        def gradient(*point):
            p, q, by = at(*point)
            return [slope / scale(p, q) for slope in by]

        return gradient

    rows = {
        "cdf": (lambda *point: at(*point)[0], slopes(lambda p, q: 1)),
        "lcdf": (log_lower, slopes(lambda p, q: p)),
        "lccdf": (log_upper, slopes(lambda p, q: -q)),
    }
    return [Function(f"{name}_{form}", arguments, *rows[form], digits=30, **options) for form in forms]


def density(name, arguments, truth, gradient=None, **options):
    return Function(f"{name}_lpdf", arguments, truth, gradient, **options)
