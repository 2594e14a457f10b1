"""Functions of containers: the true value as a function of their elements, at the positions given by the call."""

import random
from dataclasses import dataclass
from typing import Callable

import mpmath as mp

from points import short
from tape import differentiated
from truth import as_json

DIGITS = 60
ROUNDED = mp.mpf(10) ** -15


@dataclass(frozen=True)
class Structured:
    """`call` has $1, $2 … for the numbers that `draw(rng)` gives; `truth` is a function of them in the words of `tape`.

    Cancellation takes digits from the truth itself, so that it is taken with twice the digits as well, until both agree."""

    name: str
    call: str
    draw: Callable
    truth: Callable
    count: int = 200
    digits: int = DIGITS

    def record(self):
        rng = random.Random(self.name)
        points = []
        while len(points) < self.count:
            at = self.draw(rng)
            point = self._point(at, rng)
            if point is not None:
                points.append(point)
        types = ["int" if isinstance(x, int) else "real" for x in at]
        return {"function": self.name, "call": self.call, "arguments": types, "points": points}

    def _point(self, at, rng):
        found = self._settled(at)
        if found is None:
            return None
        value, gradient = found
        sensitivity = [mp.mpf(0) for _ in at]
        with mp.workdps(2 * self.digits):
            for _ in range(3):
                beside = [x if isinstance(x, int) else mp.mpf(x) * (1 + rng.choice((-1, 1)) * ROUNDED) for x in at]
                _, moved = differentiated(self.truth, beside)
                for k, (one, other) in enumerate(zip(gradient, moved)):
                    sensitivity[k] += 0 if one is None else abs(other - one) / ROUNDED
        point = {"at": list(at), "value": as_json(value), "gradient": [g if g is None else as_json(g) for g in gradient]}
        if any(s > 3 * abs(g) for s, g in zip(sensitivity, gradient) if g is not None):
            point["sensitivity"] = [None if g is None else as_json(s, 3) for s, g in zip(sensitivity, gradient)]
        return point

    def _settled(self, at):
        last = None
        for share in (1, 2, 4, 8, 16, 32):
            with mp.workdps(self.digits * share):
                value, gradient = differentiated(self.truth, at)
            numbers = [value, *(g for g in gradient if g is not None)]
            if any(abs(x) > mp.mpf(10) ** 300 for x in numbers):
                return None
            if last is not None and all(abs(x - y) <= mp.mpf(10) ** -20 * abs(x) for x, y in zip(numbers, last)):
                return value, gradient
            last = numbers
        return None


def anything(rng, spread=3.0):
    """A number: ordinary mostly, else with an exponent of 10 within ±spread."""
    sign = rng.choice((-1, 1))
    return short(rng.gauss(0, 2) if rng.random() < 0.6 else sign * 10 ** rng.uniform(-spread, spread), rng)


def positive(rng, spread=3.0):
    return short(rng.uniform(0.05, 5) if rng.random() < 0.6 else 10 ** rng.uniform(-spread, spread), rng)


def count(rng, most=6):
    """A count: small mostly, up to 10^most."""
    return rng.randint(0, 12) if rng.random() < 0.7 else int(10 ** rng.uniform(0, most))


def simplex(rng, size):
    """Probabilities, some of them tiny; the greatest makes their sum 1 except for rounding."""
    parts = [rng.gammavariate(1, 1) if rng.random() < 0.7 else 10 ** rng.uniform(-30, -2) for _ in range(size)]
    parts = [float(f"{x / sum(parts):.6g}") for x in parts]
    greatest = parts.index(max(parts))
    parts[greatest] = float(f"{1 - sum(x for k, x in enumerate(parts) if k != greatest):.16g}")
    return parts


def places(first, rows, columns=None):
    """The text of a vector, or of a matrix by rows, of the numbers from $first on."""
    row = lambda start, size: "[" + ", ".join(f"${start + k}" for k in range(size)) + "]"
    if columns is None:
        return row(first, rows) + "'"
    return "[" + ", ".join(row(first + i * columns, columns) for i in range(rows)) + "]"


def ints(first, size):
    return "{" + ", ".join(f"${first + k}" for k in range(size)) + "}"
