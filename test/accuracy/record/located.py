"""Points of families with a location and a scale, or a scale alone: what is drawn is the place in the distribution."""

import math
import random

from points import short


def place(rng):
    """A standardized outcome: ordinary mostly, else far out in a tail or close to the middle."""
    kind = rng.random()
    if kind < 0.5:
        return rng.uniform(-6, 6)
    exponent = rng.uniform(0.7, 2) if kind < 0.7 else rng.uniform(2, 10) if kind < 0.85 else rng.uniform(-12, 0)
    return rng.choice((-1, 1)) * 10**exponent


def magnitude(rng):
    """A positive number: between 0 and 5 mostly, else with an exponent of 10 between -3 and 3."""
    return short(rng.uniform(0.01, 5) if rng.random() < 0.6 else 10 ** rng.uniform(-3, 3), rng)


def location(rng):
    kind = rng.random()
    if kind < 0.25:
        return 0.0
    return short(rng.uniform(-10, 10) if kind < 0.8 else rng.choice((-1, 1)) * 10 ** rng.uniform(-3, 3), rng)


def unit(rng):
    """By how much outcome, location and scale are multiplied: 1 except for some points."""
    return 10.0 ** rng.choice((-150, -20, 20, 150)) if rng.random() < 0.08 else 1.0


def digits(x, count=8):
    return float(f"{x:.{count}g}")


def everywhere(*_):
    return True


def on_line(name, arrange, count=200, where=everywhere, **shapes):
    """`arrange(y, location, scale, **shapes)` puts the arguments in order; `where(*point)` is true for the points that count."""
    rng = random.Random(name)
    out = []
    while len(out) < count:
        z, mu, sigma, times = place(rng), location(rng), magnitude(rng), unit(rng)
        if mu == 0:
            times = 1.0
        mu, sigma = digits(mu * times), digits(sigma * times)
        point = arrange(digits(mu + z * sigma), mu, sigma, **{key: draw(rng) for key, draw in shapes.items()})
        if where(*point):
            out.append(point)
    return tuple(out)


def on_half_line(name, arrange, count=200, where=everywhere, **shapes):
    """`arrange(y, scale, **shapes)`: the logarithm of y / scale is what a place is on the line, divided by 3."""
    rng = random.Random(name)
    out = []
    while len(out) < count:
        z, sigma, times = place(rng) / 3, magnitude(rng), unit(rng)
        if abs(z) > 100:
            continue
        sigma = digits(sigma * times)
        point = arrange(digits(sigma * math.exp(z)), sigma, **{key: draw(rng) for key, draw in shapes.items()})
        if where(*point):
            out.append(point)
    return tuple(out)
