"""Values and derivatives with as many digits as it takes: a number counts once two working precisions agree on it."""

import math
from dataclasses import dataclass
from typing import Callable, Optional

import mpmath as mp

from points import Int, points


@dataclass(frozen=True)
class Function:
    """A function of the library with its truth: an mpmath function of mpf arguments (ints stay ints).

    `gradient` gives all derivatives with respect to the real arguments in closed form; without it they are central differences at high
    precision, of `changing` where that is given: it differs from the truth by a constant, and is small where the truth would take too
    many digits. `call` has $1, $2 … for the arguments of a function of containers. `sensitive` False leaves out how far rounding the arguments alone moves the derivatives (costly functions)."""

    name: str
    arguments: tuple
    truth: Callable
    gradient: Optional[Callable] = None
    changing: Optional[Callable] = None
    where: Optional[Callable] = None
    extra: tuple = ()
    count: int = 200
    sensitive: bool = True
    digits: int = 50
    call: str = ""

    def record(self):
        recorded = []
        for at in points(self.name, self.arguments, self.where, self.extra, self.count):
            try:
                recorded.append(self._point(at))
            except Undetermined as problem:
                print(f"{self.name} at {at}: left out, {problem}", flush=True)
        types = ["int" if isinstance(argument, Int) else "real" for argument in self.arguments]
        call = {"call": self.call} if self.call else {}
        return {"function": self.name, **call, "arguments": types, "points": recorded}

    def _point(self, at):
        value = settled(lambda: self.truth(*exact(at)), magnitude(at) + self.digits)
        reals = [k for k, x in enumerate(at) if isinstance(x, float)]
        gradient = [None] * len(at)
        sensitivity = [0] * len(at)
        for k in reals:
            gradient[k] = settled(lambda k=k: self._slope(exact(at), k), magnitude(at) + 2 * self.digits)
            if self.sensitive and len(reals) > 0:
                with mp.workdps(magnitude(at) + 2 * self.digits):
                    sensitivity[k] = sum(self._drift(exact(at), k, j, gradient[k]) for j in reals)
        point = {"at": list(at), "value": as_json(value), "gradient": [g if g is None else as_json(g) for g in gradient]}
        if any(s > 3 * abs(g) for s, g in zip(sensitivity, gradient) if g is not None and mp.isfinite(s)):
            point["sensitivity"] = [None if g is None else as_json(s, 3) for s, g in zip(sensitivity, gradient)]
        return point

    def _slope(self, at, k):
        if self.gradient is not None:
            return self.gradient(*at)[k]
        step = min(abs(at[k]), mp.mpf(1)) if at[k] != 0 else mp.mpf(1)
        step *= mp.mpf(10) ** -(magnitude_digits() // 3)
        changing = self.changing or self.truth
        above = changing(*(x + step if i == k else x for i, x in enumerate(at)))
        below = changing(*(x - step if i == k else x for i, x in enumerate(at)))
        if mp.im(above) != 0 or mp.im(below) != 0:
            raise Undetermined("complex beside it")
        return (above - below) / (2 * step)

    def _drift(self, at, k, j, slope):
        """|x_j d(slope_k)/dx_j|, roughly."""
        share = mp.mpf(10) ** -18
        moved = [x * (1 + share) if i == j else x for i, x in enumerate(at)]
        try:
            return abs(self._slope(moved, k) - slope) / share
        except (ValueError, ZeroDivisionError, Undetermined, mp.libmp.NoConvergence):
            return mp.mpf(0)


class Undetermined(Exception):
    pass


FAILURES = (ValueError, ZeroDivisionError, OverflowError, mp.libmp.NoConvergence)


def settled(compute, digits):
    """What two precisions agree on to 20 digits."""
    last = None
    for share in (1, 1.5, 2.5, 5):
        with mp.workdps(int(digits * share)):
            try:
                value = compute()
            except FAILURES as problem:
                last, reason = None, repr(problem)
                continue
            if isinstance(value, mp.mpc):
                if abs(value.imag) > mp.mpf(10) ** -20 * abs(value.real):
                    raise Undetermined("a complex value")
                value = value.real
            value = mp.mpf(value)
        if mp.isnan(value):
            raise Undetermined("not a number")
        if last is not None and (value == last or abs(value - last) <= mp.mpf(10) ** -20 * abs(value)):
            return value
        if last is not None and abs(value) < mp.mpf(10) ** -400 and abs(last) < mp.mpf(10) ** -400:
            return mp.mpf(0)
        last, reason = value, f"precisions disagree: {mp.nstr(value, 8)}"
    raise Undetermined(reason)


def exact(at):
    return [x if isinstance(x, int) else mp.mpf(x) for x in at]


def magnitude(at):
    """Digits before the decimal point of the largest argument."""
    return max([0] + [math.ceil(math.log10(abs(x))) for x in at if isinstance(x, float) and abs(x) > 1])


def magnitude_digits():
    """Steps of differences: a third of the digits that are not before the point."""
    return min(mp.mp.dps, 150)


def as_json(x, digits=15):
    if x > mp.mpf(2) ** 1024:
        return "Infinity"
    if x < -(mp.mpf(2) ** 1024):
        return "-Infinity"
    if x == 0:
        return 0
    rounded = float(mp.nstr(x, digits, strip_zeros=True, min_fixed=0, max_fixed=0))
    return rounded if rounded != 0 else math.copysign(5e-324, x)
