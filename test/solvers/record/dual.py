"""Stan functions as Python functions of numbers with derivatives, in extended precision (80 bits)."""

import re

import numpy as np

LONG = np.longdouble


class Dual:
    """A number and its derivatives along some directions."""

    __slots__ = ("x", "d")
    __array_ufunc__ = None

    def __init__(self, x, d):
        self.x, self.d = x, d

    def __add__(self, other):
        return Dual(self.x + other.x, self.d + other.d) if isinstance(other, Dual) else Dual(self.x + other, self.d)

    __radd__ = __add__

    def __neg__(self):
        return Dual(-self.x, -self.d)

    def __sub__(self, other):
        return Dual(self.x - other.x, self.d - other.d) if isinstance(other, Dual) else Dual(self.x - other, self.d)

    def __rsub__(self, other):
        return Dual(other - self.x, -self.d)

    def __mul__(self, other):
        if isinstance(other, Dual):
            return Dual(self.x * other.x, self.d * other.x + other.d * self.x)
        return Dual(self.x * other, self.d * other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, Dual):
            q = self.x / other.x
            return Dual(q, (self.d - other.d * q) / other.x)
        return Dual(self.x / LONG(other), self.d / LONG(other))

    def __rtruediv__(self, other):
        q = other / self.x
        return Dual(q, self.d * (-q / self.x))

    def __pow__(self, n):
        return Dual(self.x**n, self.d * (n * self.x ** (n - 1)))


def _lifted(function, slope):
    def lifted(a):
        if not isinstance(a, Dual):
            return function(LONG(a))
        y = function(a.x)
        return Dual(y, a.d * slope(a.x, y))

    return lifted


def _angle(y, x):
    if not isinstance(y, Dual):
        return np.arctan2(y, x)
    return Dual(np.arctan2(y.x, x.x), (y.d * x.x - x.d * y.x) / (x.x**2 + y.x**2))


FUNCTIONS = {
    "sqrt": _lifted(np.sqrt, lambda x, y: 1 / (2 * y)),
    "exp": _lifted(np.exp, lambda x, y: y),
    "log": _lifted(np.log, lambda x, y: 1 / x),
    "sin": _lifted(np.sin, lambda x, y: np.cos(x)),
    "cos": _lifted(np.cos, lambda x, y: -np.sin(x)),
    "tan": _lifted(np.tan, lambda x, y: 1 + y * y),
    "atan2": _angle,
    "abs": _lifted(np.abs, lambda x, y: np.sign(x)),
}


class Column:
    """A vector with Stan's indexes, from 1."""

    def __init__(self, items):
        self.items = list(items)

    def __getitem__(self, i):
        return self.items[i - 1]

    def __setitem__(self, i, item):
        self.items[i - 1] = item


def functions_of(text):
    """The functions of a Stan text, in the subset that the problems use: one statement a line, braces around every body."""
    lines, depth = [], 0
    for line in re.sub(r"//.*", "", text).splitlines():
        line = line.strip()
        if not line:
            continue
        if line.startswith("}"):
            depth -= 1
        if line != "}":
            lines.append("  " * depth + _statement(line))
        if line.endswith("{"):
            depth += 1
    scope = {**FUNCTIONS, "Column": Column, "LONG": LONG}
    exec("\n".join(lines), scope)
    return {name: scope[name] for name in re.findall(r"^vector (\w+)\(", text, re.M)}


def _statement(line):
    if found := re.fullmatch(r"vector (\w+)\((.*)\) \{", line):
        return f"def {found[1]}({', '.join(part.split()[-1] for part in found[2].split(','))}):"
    if found := re.fullmatch(r"for \((\w+) in (.+) : (.+)\) \{", line):
        return f"for {found[1]} in range({found[2]}, {found[3]} + 1):"
    if found := re.fullmatch(r"if \((.+)\) \{", line):
        return f"if {_expression(found[1])}:"
    if found := re.fullmatch(r"vector\[(\d+)\] (\w+);", line):
        return f"{found[2]} = Column([0] * {found[1]})"
    line = re.sub(r"^(real|vector\[\d+\]) ", "", line.rstrip(";"))
    return _expression(line)


def _expression(text):
    text = re.sub(r"(return|=) \[(.*)\]'", r"\1 Column([\2])", text)
    return text.replace("^", "**").replace("&&", "and")
