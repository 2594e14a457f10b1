#!/usr/bin/env python3
"""Writes incomplete.jsonl: incomplete gamma functions of large shapes by quadrature of the density, 40 digits rounded once (mpmath).

A line is [a, x, log P, its derivatives with respect to a and log x, log Q, its derivatives]."""

import json
from pathlib import Path

import mpmath as mp

mp.mp.dps = 50
SHAPES = (9999.0, 1e4, 12345.678, 1e5, 1e6, 3.7e7, 1e9, 1e11, 1e12, 1e13, 1e15)
# distances from the mean in standard deviations, and as shares of the mean
DEVIATIONS = (0, 0.001, 0.3, 1, 3, 8, 30)
SHARES = (0.02, 0.1, 0.2499, 0.2501, 0.5, 0.9)
REACH = 20


def tail(a, x, side):
    """The probability of the tail that begins at x, as its logarithm, and the mean of log(u/x) - ψ(a) + log x over the tail, u its
    points: the derivative of the logarithm with respect to a. The density falls by a factor e over `unit` at least, or as a normal one does."""
    slope = side * (x - a + 1) / x
    unit = x / mp.sqrt(a) if slope * x <= mp.sqrt(a) else 1 / slope
    log_density = lambda u: (a - 1) * mp.log1p(u / x) - u
    ends = [side * unit * k for k in (*range(0, REACH, 2), *range(REACH, 140, 10)) if side > 0 or unit * k < x]
    density = lambda u: mp.exp(log_density(u))
    weighted = lambda u: mp.log1p(u / x) * density(u)
    total, moment = (side * mp.quad(f, ends, maxdegree=8) for f in (density, weighted))
    at_x = (a - 1) * mp.log(x) - x - mp.loggamma(a)
    return at_x + mp.log(total), moment / total + mp.log(x) - mp.digamma(a), side * -x / total


def near(number):
    return 0 if abs(number) < mp.mpf(10) ** -320 else float(number)


def row(a, x):
    side = 1 if x > a else -1
    small = tail(mp.mpf(a), mp.mpf(x), side)
    odds = -mp.exp(small[0]) / -mp.expm1(small[0])
    large = (mp.log1p(-mp.exp(small[0])), small[1] * odds, small[2] * odds)
    p, q = (large, small) if side > 0 else (small, large)
    return [a, x, *map(near, p), *map(near, q)]


def main():
    points = {(a, a + s * d * a**0.5) for a in SHAPES for d in DEVIATIONS for s in (-1, 1)}
    points |= {(a, a + s * d * a) for a in SHAPES for d in SHARES for s in (-1, 1)}
    path = Path(__file__).parent / "incomplete.jsonl"
    path.write_text("".join(json.dumps(row(a, x), separators=(",", ":")) + "\n" for a, x in sorted(points)))


if __name__ == "__main__":
    main()
