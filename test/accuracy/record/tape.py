"""Reverse differentiation of mpmath arithmetic: a truth written in these words gives all its derivatives at once."""

import mpmath as mp


class Number:
    """A value with the numbers that it came from, each with the derivative with respect to it."""

    __slots__ = ("value", "sources", "adjoint")
    made = []

    def __init__(self, value, sources=()):
        self.value, self.sources, self.adjoint = value, sources, mp.mpf(0)
        Number.made.append(self)

    def __add__(self, other):
        other = number(other)
        return Number(self.value + other.value, ((self, 1), (other, 1)))

    def __sub__(self, other):
        other = number(other)
        return Number(self.value - other.value, ((self, 1), (other, -1)))

    def __mul__(self, other):
        other = number(other)
        return Number(self.value * other.value, ((self, other.value), (other, self.value)))

    def __truediv__(self, other):
        other = number(other)
        quotient = self.value / other.value
        return Number(quotient, ((self, 1 / other.value), (other, -quotient / other.value)))

    def __neg__(self):
        return Number(-self.value, ((self, -1),))

    def __radd__(self, other):
        return number(other) + self

    def __rsub__(self, other):
        return number(other) - self

    def __rmul__(self, other):
        return number(other) * self

    def __rtruediv__(self, other):
        return number(other) / self


def number(x):
    return x if isinstance(x, Number) else Number(mp.mpf(x))


def function(value, slope):
    """Of one number; `slope(x, value)`."""

    def of(x):
        x = number(x)
        result = value(x.value)
        return Number(result, ((x, slope(x.value, result)),))

    return of


log = function(mp.log, lambda x, _: 1 / x)
log1p = function(mp.log1p, lambda x, _: 1 / (1 + x))
exp = function(mp.exp, lambda _, y: y)
expm1 = function(mp.expm1, lambda _, y: y + 1)
sqrt = function(mp.sqrt, lambda _, y: 1 / (2 * y))
lgamma = function(mp.loggamma, lambda x, _: mp.digamma(x))
normal_below = function(lambda x: mp.erfc(-x / mp.sqrt(2)) / 2, lambda x, _: mp.npdf(x))


def log1p_exp(x):
    x = number(x)
    return log1p(exp(x)) if x.value < 0 else x + log1p(exp(-x))


def total(numbers):
    numbers = [number(x) for x in numbers]
    return Number(mp.fsum(x.value for x in numbers), tuple((x, 1) for x in numbers))


def differentiated(truth, at):
    """The value of `truth(*at)` and its derivatives with respect to the real arguments, None for ints."""
    Number.made = []
    arguments = [x if isinstance(x, int) else Number(mp.mpf(x)) for x in at]
    result = truth(*arguments)
    result.adjoint = mp.mpf(1)
    for made in reversed(Number.made):
        for source, partial in made.sources:
            source.adjoint += made.adjoint * partial
    return result.value, [None if isinstance(x, int) else x.adjoint for x in arguments]
