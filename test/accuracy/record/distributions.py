"""The forms of a distribution from both of its tails."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Callable

import mpmath as mp

from points import points
from truth import Function, Undetermined, FAILURES, as_json, exact, magnitude

DIGITS = 30
# Beyond these the value itself is not a double, and such a point is left out.
LEAST, MOST = mp.mpf(10) ** -290, mp.mpf(10) ** 306
ROUNDED = mp.mpf(10) ** -12


@dataclass(frozen=True)
class Form(Function):
    """A form of a distribution. All three are recorded at the same points, from one computation of the tails."""

    distribution: str = ""
    numbers: Callable = None
    tails: Callable = None

    def record(self):
        recorded = []
        for at in points(self.distribution, self.arguments, self.where, self.extra, 4 * self.count):
            try:
                recorded.append(self._point(at))
            except Undetermined:
                continue
            if len(recorded) == self.count:
                break
        return {"function": self.name, "arguments": ["real" for _ in self.arguments], "points": recorded}

    def _point(self, at):
        tails, moved = self.tails(*at)
        with mp.workdps(DIGITS):
            value, gradient = self.numbers(tails)
            if not LEAST < abs(value) < MOST:
                raise Undetermined("the value is not a double")
            drifts = [[abs(m - g) / ROUNDED for m, g in zip(self.numbers(other)[1], gradient)] for other in moved]
            sensitivity = [sum(column) for column in zip(*drifts)]
        point = {"at": list(at), "value": as_json(value), "gradient": [as_json(g) for g in gradient]}
        if any(s > 3 * abs(g) for s, g in zip(sensitivity, gradient)):
            point["sensitivity"] = [as_json(s, 3) for s in sensitivity]
        return point


def _cdf(tails):
    p, q, by = tails
    if q < LEAST:
        raise Undetermined("it is 1, by tails that are not doubles")
    return p, by


def _lcdf(tails):
    p, q, by = tails
    return mp.log(p) if p < q else mp.log1p(-q), [slope / p for slope in by]


def _lccdf(tails):
    p, q, by = tails
    return mp.log(q) if q < p else mp.log1p(-p), [-slope / q for slope in by]


FORMS = {"cdf": _cdf, "lcdf": _lcdf, "lccdf": _lccdf}


def distribution(name, arguments, tails, forms=tuple(FORMS), **options):
    """`tails(*at)` gives P, Q = 1 - P, and the derivatives of P with respect to the arguments, none of them by a difference of near numbers."""

    def flat(at, digits):
        with mp.workdps(magnitude(at) + digits):
            try:
                p, q, by = tails(*exact(at))
            except FAILURES as problem:
                raise Undetermined(repr(problem)) from problem
            return p, q, by

    def agree(one, other):
        numbers = zip((one[0], one[1], *one[2]), (other[0], other[1], *other[2]))
        return all(abs(x - y) <= mp.mpf(10) ** -18 * abs(y) for x, y in numbers)

    @lru_cache(maxsize=None)
    def settled(*at):
        found = flat(at, 2 * DIGITS)
        if not agree(flat(at, DIGITS), found):
            raise Undetermined("precisions disagree")
        moved = []
        for j in range(len(at)):
            with mp.workdps(magnitude(at) + 2 * DIGITS):
                beside = [y * (1 - ROUNDED) if j == k else y for k, y in enumerate(exact(at))]
                moved.append(tails(*beside))
        return found, moved

    return [
        Form(f"{name}_{form}", arguments, None, None, distribution=name, numbers=FORMS[form], tails=settled, **options)
        for form in forms
    ]


def density(name, arguments, truth, gradient=None, **options):
    return Function(f"{name}_lpdf", arguments, truth, gradient, **options)
