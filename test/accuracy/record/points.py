"""How the points of a domain are drawn: ordinary arguments, tiny and huge ones, ends, and the neighborhoods of named places."""

import math
import random
from dataclasses import dataclass

COUNT = 200


@dataclass(frozen=True)
class Real:
    """A real argument in [low, high] (ends are drawn if `closed`). `ordinary` is where most points lie; `about` names poles, zeros
    and places where formulas switch; tiny and huge arguments have exponents of 10 within `exponents`."""

    low: float = -math.inf
    high: float = math.inf
    ordinary: tuple = (-5.0, 5.0)
    about: tuple = ()
    exponents: tuple = (-300, 300)
    closed: bool = False

    def draw(self, rng):
        while True:
            x = self._propose(rng)
            inside = self.low <= x <= self.high if self.closed else self.low < x < self.high
            if inside and math.isfinite(x):
                return x

    def _propose(self, rng):
        kind = rng.random()
        sign = rng.choice((-1, 1)) if self.low < 0 < self.high else (1 if self.high > 0 else -1)
        if kind < 0.45:
            return short(rng.uniform(*self.ordinary), rng)
        if kind < 0.60:
            return short(sign * 10 ** rng.uniform(self.exponents[0], min(-1, self.exponents[1])), rng)
        if kind < 0.72:
            return short(sign * 10 ** rng.uniform(1, max(1, self.exponents[1])), rng)
        if kind < 0.82:
            return short(sign * 10 ** rng.uniform(max(-5, self.exponents[0]), min(5, self.exponents[1])), rng)
        ends = tuple(end for end in (self.low, self.high) if math.isfinite(end))
        places = self.about + ends
        if not places:
            return short(rng.uniform(*self.ordinary), rng)
        return beside(rng.choice(places), rng)


@dataclass(frozen=True)
class Int:
    """An int argument: small ones mostly, up to `high`."""

    low: int = 0
    high: int = 100
    ordinary: tuple = (0, 10)

    def draw(self, rng):
        if rng.random() < 0.7:
            return rng.randint(max(self.low, self.ordinary[0]), min(self.high, self.ordinary[1]))
        if self.low >= 0:
            return min(self.high, max(self.low, int(10 ** rng.uniform(0, math.log10(max(1, self.high)) + 0.01))))
        return rng.randint(self.low, self.high)


def short(x, rng):
    """`x` with few digits mostly, so that the files stay small; the decimal's double is the argument."""
    return float(f"{x:.{rng.choice((2, 4, 6))}g}")


def beside(place, rng):
    """The place itself, a double next to it, or a point close by."""
    kind = rng.random()
    if kind < 0.1:
        return place
    towards = rng.choice((-math.inf, math.inf))
    if kind < 0.25:
        return math.nextafter(place, towards)
    scale = abs(place) if place != 0 else 1.0
    exponent = rng.uniform(-15, -0.5) if place != 0 else rng.uniform(-300, -0.5)
    return place + short(math.copysign(1, towards) * scale * 10**exponent, rng)


def points(name, arguments, where=None, extra=(), count=COUNT):
    """`extra`, then random points, `count` in total; `where(*point)` is true for points in the domain."""
    rng = random.Random(name)
    out = [tuple(point) for point in extra]
    for _ in range(200 * count):
        if len(out) >= count:
            break
        point = tuple(argument.draw(rng) for argument in arguments)
        if where is None or where(*point):
            out.append(point)
    return out[:count]
