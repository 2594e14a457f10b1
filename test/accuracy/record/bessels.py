"""The truths of Bessel functions."""

import mpmath as mp

from points import Int, Real
from truth import Function

ORDER = Int(low=-60, high=60, ordinary=(-2, 4))
ANY = Real(ordinary=(-30, 30), about=(0.0, 2.404825557695773, 25.0, 3.8317059702075125), exponents=(-130, 3))
POSITIVE = Real(low=0.0, ordinary=(0.0, 40.0), about=(2.0, 25.0, 0.8935769662791675, 2.197141326031017), exponents=(-130, 3))


def halved(function, sign_below, sign_above):
    """Half of the orders below and above with the given signs: the derivative (Abramowitz and Stegun, 9.1.27 and 9.6.26)."""
    return lambda v, x: [None, (sign_below * function(v - 1, x) + sign_above * function(v + 1, x)) / 2]


def of_size(function, is_odd_signed):
    """The function of an integer order by the order's size: mpmath takes slow limits for negative ones."""
    return lambda v, x: function(abs(v), x) * (-1 if is_odd_signed and v < 0 and v % 2 == 1 else 1)


first = of_size(mp.besselj, True)
second = of_size(mp.bessely, True)
modified_first = of_size(mp.besseli, False)
modified_second = of_size(mp.besselk, False)


def log_first(v, x):
    return mp.log(mp.besseli(v, x))


def log_first_slopes(v, x):
    step = mp.mpf(10) ** -(mp.mp.dps // 3)
    by_order = (log_first(v + step, x) - log_first(v - step, x)) / (2 * step)
    return [by_order, (mp.besseli(v - 1, x) + mp.besseli(v + 1, x)) / (2 * mp.besseli(v, x))]


FUNCTIONS = [
    Function("bessel_first_kind", (ORDER, ANY), first, halved(first, 1, -1),
             extra=((0, 1e-120), (1, 1e-120), (2, 1e-115), (0, 1e-111), (0, 0.0), (1, 0.0))),
    Function("bessel_second_kind", (ORDER, POSITIVE), second, halved(second, 1, -1), where=lambda v, x: x > 0,
             extra=((0, 1e-120), (1, 1e-120), (2, 1e-115), (0, 1e-111))),
    Function("modified_bessel_first_kind", (ORDER, ANY), modified_first, halved(modified_first, 1, 1), extra=((0, 1e-120), (1, 0.0))),
    Function("modified_bessel_second_kind", (ORDER, POSITIVE), modified_second, halved(modified_second, -1, -1),
             where=lambda v, x: x > 0, extra=((0, 1e-120), (1, 1e-120), (1000, 800.0), (0, 740.0))),
    Function("log_modified_bessel_first_kind",
             (Real(low=-1.0, ordinary=(0.0, 10.0), about=(1.0,), exponents=(-4, 3)),
              Real(low=0.0, ordinary=(0.0, 100.0), about=(20.0, 60.0, 700.0), exponents=(-100, 4))),
             log_first, log_first_slopes, where=lambda v, x: v > -1 and x > 1e-20),
]
