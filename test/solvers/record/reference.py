"""Solutions of initial value problems and their derivatives with respect to parameters, in 80 bits.

Non-stiff problems: Gragg's modified midpoint rule, extrapolated in h^2 (Hairer, Norsett & Wanner, Solving Ordinary Differential
Equations I, section II.9). Stiff ones: collocation at Radau's points, the method Radau IIA with `STAGES` stages of order
2 STAGES - 1 (Hairer & Wanner, Solving Ordinary Differential Equations II, section IV.5). The sensitivities solve the variational
equations of the same steps, so that they are the derivatives of the numerical solution.
"""

import mpmath
import numpy as np

from dual import LONG, Column, Dual

# Of an explicit step, relative to the largest value of each quantity: above what rounding leaves of an extrapolation.
TOLERANCE = LONG(1e-15)
EXPLICIT_STEPS = [2, 4, 6, 8, 10, 12, 14, 16, 18]
STAGES = 12
# Of the last terms of the solution's Legendre series in an implicit step. The error at its end is far smaller (superconvergence).
TAIL = LONG(1e-13)
# Newton's iteration ends when its changes no longer shrink below this.
SETTLED = LONG(1e-15)


class Problem:
    """A right-hand side with its derivatives, and what is relative to what."""

    def __init__(self, function, start, parameters, absolute):
        self.function, self.parameters, self.absolute = function, parameters, LONG(absolute)
        self.directions = len(start[0].d)
        self.start = np.array([[item.x, *item.d] for item in start], dtype=LONG)

    def slope(self, t, u):
        """Of the states and their sensitivities."""
        return self._rows(t, [Dual(row[0], row[1:]) for row in u], self.parameters, self.directions)

    def jacobian(self, t, y):
        """The states' slopes, and their derivatives with respect to the states and by the parameters."""
        n = len(y)
        unit, none = np.eye(n, dtype=LONG), np.zeros(self.directions, dtype=LONG)
        states = [Dual(v, np.concatenate([unit[i], none])) for i, v in enumerate(y)]
        parameters = [Dual(p.x, np.concatenate([0 * unit[0], p.d])) for p in self.parameters]
        rows = self._rows(t, states, parameters, n + self.directions)
        return rows[:, 0], rows[:, 1 : n + 1], rows[:, n + 1 :]

    def _rows(self, t, states, parameters, directions):
        rows = np.zeros((len(states), 1 + directions), dtype=LONG)
        for row, item in zip(rows, self.function(t, Column(states), Column(parameters)).items):
            if isinstance(item, Dual):
                row[0], row[1:] = item.x, item.d
            else:
                row[0] = item
        return rows


def solve(function, start, parameters, initial_time, times, breaks=(), stiff=False, absolute=1, looser=1):
    """States at the times, an array of times x states x (1 + derivatives). `start` and `parameters` are duals."""
    problem = Problem(function, start, parameters, absolute)
    method = Implicit(problem) if stiff else Explicit(problem, bool(breaks), TOLERANCE * looser)
    u = problem.start
    scale = np.maximum(np.abs(u), problem.absolute)
    t, h = LONG(initial_time), LONG(1e-6)
    stops = sorted({LONG(b) for b in breaks if initial_time < b < times[-1]} | {LONG(s) for s in times})
    found = {}
    for stop in stops:
        while t < stop:
            step = min(h, stop - t)
            with np.errstate(all="ignore"):
                after, error = method.step(t, u, step, scale)
            if error <= 1:
                t, u = (stop if step == stop - t else t + step), after
                scale = np.maximum(scale, np.abs(u))
                if step == h or error > 1e-3:
                    h = step * method.growth(error)
            else:
                h = step * LONG(max(0.1, 0.7 * error ** (-1 / method.order)))
        found[float(stop)] = u
    return np.array([found[float(s)] for s in times])


class Explicit:
    """The extrapolated midpoint rule."""

    order = 2 * len(EXPLICIT_STEPS)

    def __init__(self, problem, is_broken, tolerance):
        self.problem, self.is_broken, self.tolerance = problem, is_broken, tolerance

    def step(self, t, u, step, scale):
        after, before = self.extrapolated(self.slopes(t, step), t, u, step)
        error = np.max(np.abs(after - before) / np.maximum(scale, np.abs(after)))
        return after, float(error / self.tolerance) if np.isfinite(error) else 1e30

    def growth(self, error):
        """Rounding keeps the error from becoming much smaller than the tolerance, however short the step."""
        return LONG(2.0 if error < 0.1 else 0.8 * error ** (-1 / self.order))

    def slopes(self, t, step):
        """Within a step the right-hand side is that of the step's inside, so that a switch at its ends is not seen twice."""
        if not self.is_broken:
            return self.problem.slope
        inner, outer = t + LONG(1e-15) * step, t + step * (1 - LONG(1e-15))
        return lambda s, v: self.problem.slope(min(max(s, inner), outer), v)

    def extrapolated(self, slope, t, u, step):
        table = []
        first = slope(t, u)
        for j, n in enumerate(EXPLICIT_STEPS):
            h = step / n
            older, now = u, u + h * first
            for i in range(1, n):
                older, now = now, older + 2 * h * slope(t + i * h, now)
            row = [(older + now + h * slope(t + step, now)) / 2]
            for m in range(1, j + 1):
                ratio = (LONG(n) / EXPLICIT_STEPS[j - m]) ** 2 - 1
                row.append(row[m - 1] + (row[m - 1] - table[m - 1]) / ratio)
            before, table = table[-1] if table else row[0], row
        return table[-1], before


class Implicit:
    """Radau IIA. The unknowns of a step are the states at all stages; the last stage is its end."""

    order = STAGES

    def __init__(self, problem):
        self.problem = problem
        self.c, self.A, self.series = radau(STAGES)

    def step(self, t, u, step, scale):
        states = self.settled(t, u[:, 0], step, scale[:, 0])
        if states is None:
            return u, 1e30
        _slopes, matrix, forced = self.linearized(t, states, step)
        s, n, m = forced.shape
        right = u[None, :, 1:] + step * np.tensordot(self.A, forced, axes=1)
        sensitivities = solved(matrix, right.reshape(s * n, m)).reshape(s, n, m)
        stages = np.concatenate([states[:, :, None], sensitivities], axis=2)
        series = np.tensordot(self.series, stages - u[None], axes=1)[-2:]
        error = float(np.max(np.abs(series) / np.maximum(scale, np.abs(stages[-1]))) / TAIL)
        return stages[-1], error if np.isfinite(error) else 1e30

    def growth(self, error):
        return LONG(min(2.0, 0.8 * max(error, 1e-30) ** (-1 / self.order)))

    def settled(self, t, y, step, scale):
        """The states at the stages, by Newton's method; None if it does not converge."""
        states = np.tile(y, (len(self.c), 1))
        last = np.inf
        for _ in range(15):
            slopes, matrix, _forced = self.linearized(t, states, step)
            residual = states - y - step * self.A @ slopes
            change = eliminated(matrix, residual.reshape(-1, 1)).reshape(states.shape)
            states = states - change
            size = np.max(np.abs(change) / scale)
            if not size < 1e3:
                return None
            if size == 0 or (size < SETTLED and size > last / 2):
                return states
            last = size
        return states if last < SETTLED else None

    def linearized(self, t, states, step):
        """Slopes at the stages, the matrix of the linearized step, and the slopes' derivatives with respect to the parameters."""
        parts = [self.problem.jacobian(t + c * step, y) for c, y in zip(self.c, states)]
        slopes, jacobians, forced = (np.array(part) for part in zip(*parts))
        s, n = slopes.shape
        matrix = -step * np.einsum("ij,jab->iajb", self.A, jacobians).reshape(s * n, s * n)
        return slopes, matrix + np.eye(s * n, dtype=LONG), forced


def radau(stages):
    """Radau's points on (0, 1], the integrals from 0 to each of the Lagrange polynomials there, and Legendre series of what is known there."""
    with mpmath.workdps(60):
        polynomial = lambda x: mpmath.legendre(stages, 2 * x - 1) - mpmath.legendre(stages - 1, 2 * x - 1)
        coefficients = mpmath.taylor(polynomial, 0, stages)[::-1]
        c = sorted(mpmath.re(x) for x in mpmath.polyroots(coefficients, maxsteps=500, extraprec=400))
        powers = mpmath.matrix(stages, stages)
        integrals = mpmath.matrix(stages, stages)
        legendre = mpmath.matrix(stages, stages)
        for i, x in enumerate(c):
            for j in range(stages):
                powers[i, j] = x**j
                integrals[i, j] = x ** (j + 1) / (j + 1)
                legendre[i, j] = mpmath.legendre(j, 2 * x - 1)
        A = integrals * powers**-1
        series = legendre**-1
        long = lambda matrix: np.array([[LONG(mpmath.nstr(x, 25)) for x in row] for row in matrix.tolist()])
        return np.array([LONG(mpmath.nstr(x, 25)) for x in c]), long(A), long(series)


def solved(matrix, right):
    """The solution of a linear system, refined once, so that elements far smaller than others are also accurate."""
    found = eliminated(matrix, right)
    return found + eliminated(matrix, right - matrix @ found)


def eliminated(matrix, right):
    """The solution of a linear system by Gauss' elimination with row pivots, in 80 bits."""
    a = np.concatenate([matrix, right], axis=1)
    n = len(matrix)
    for i in range(n):
        p = i + int(np.argmax(np.abs(a[i:, i])))
        if p != i:
            a[[i, p]] = a[[p, i]]
        a[i + 1 :, i:] -= np.outer(a[i + 1 :, i] / a[i, i], a[i, i:])
    x = np.zeros_like(right)
    for i in reversed(range(n)):
        x[i] = (a[i, n:] - a[i, i + 1 : n] @ x[i + 1 :]) / a[i, i]
    return x
