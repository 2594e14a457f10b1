"""Solutions of initial value problems and their derivatives by parameters, by extrapolation in 80 bits.

Non-stiff problems: Gragg's modified midpoint rule, extrapolated in h^2 (Hairer, Norsett & Wanner, Solving Ordinary Differential
Equations I, section II.9). Stiff ones: the linearly implicit Euler method, extrapolated in h (Hairer & Wanner, Solving Ordinary
Differential Equations II, section IV.9), with the Jacobian of the states for the sensitivities as well.
"""

import numpy as np

from dual import LONG, Column, Dual

# Of a step, relative to the largest value of each quantity: above what rounding leaves of an extrapolation.
TOLERANCE = {"explicit": LONG(1e-15), "implicit": LONG(1e-14)}
EXPLICIT_STEPS = [2, 4, 6, 8, 10, 12, 14, 16, 18]
IMPLICIT_STEPS = list(range(1, 10))
REFINEMENTS = 3


def solve(function, start, parameters, initial_time, times, breaks=(), stiff=False, absolute=1, looser=1):
    """States at the times, an array of times x states x (1 + derivatives). `start` and `parameters` are duals."""
    k = Column(parameters)
    directions = len(start[0].d)

    def slope(t, u):
        dy = function(t, Column([Dual(row[0], row[1:]) for row in u]), k)
        out = np.zeros_like(u)
        for row, item in zip(out, dy.items):
            if isinstance(item, Dual):
                row[0], row[1:] = item.x, item.d
            else:
                row[0] = item
        return out

    def jacobian(t, u):
        """Of the states' slopes, and of the sensitivities' slopes by the states: by differences, which may be inexact."""
        n = len(u)
        unit = np.eye(n, dtype=LONG)
        constants = Column([Dual(p.x, unit[0] * 0) for p in parameters])
        dy = function(t, Column([Dual(row[0], unit[i]) for i, row in enumerate(u)]), constants)
        J = np.array([item.d if isinstance(item, Dual) else unit[0] * 0 for item in dy.items])
        base = slope(t, u)[:, 1:]
        couplings = np.zeros((n, n, directions), dtype=LONG)
        for j in range(n):
            moved = u.copy()
            moved[j, 0] += (delta := LONG(1e-9) * max(abs(u[j, 0]), LONG(1e-6) * absolute))
            couplings[:, j] = (slope(t, moved)[:, 1:] - base) / delta
        return J, couplings

    u = np.zeros((len(start), 1 + directions), dtype=LONG)
    for row, item in zip(u, start):
        row[0], row[1:] = item.x, item.d
    scale = np.maximum(np.abs(u), LONG(absolute))
    t, h = LONG(initial_time), LONG(1e-6)
    tolerance = TOLERANCE["implicit" if stiff else "explicit"] * looser
    stops = sorted({LONG(b) for b in breaks if initial_time < b < times[-1]} | {LONG(s) for s in times})
    found = {}
    for stop in stops:
        while t < stop:
            step = min(h, stop - t)
            # Within a step the right-hand side is that of the step's inside, so that a switch at its ends is not seen twice.
            inner, outer = t + LONG(1e-15) * step, t + step * (1 - LONG(1e-15))
            clamped = (lambda s, v: slope(min(max(s, inner), outer), v)) if breaks else slope
            advance = _implicit if stiff else _explicit
            order = len(IMPLICIT_STEPS) if stiff else 2 * len(EXPLICIT_STEPS)
            with np.errstate(all="ignore"):
                after, before = advance(clamped, jacobian, t, u, step)
                error = np.max(np.abs(after - before) / np.maximum(scale, np.abs(after)))
            error = float(error / tolerance) if np.isfinite(error) else 1e30
            if error <= 1:
                t, u = (stop if step == stop - t else t + step), after
                scale = np.maximum(scale, np.abs(u))
                if step == h or error > 1e-3:
                    # Rounding keeps the error from becoming much smaller than the tolerance, however short the step.
                    h = step * LONG(2.0 if error < 0.1 else 0.8 * error ** (-1 / order))
            else:
                h = step * LONG(max(0.1, 0.7 * error ** (-1 / order)))
        found[float(stop)] = u
    return np.array([found[float(s)] for s in times])


def solved(inverse, matrix, right):
    """The solution of a linear system, refined from an inverse in double precision."""
    found = inverse @ right
    for _ in range(REFINEMENTS):
        found = found + inverse @ (right - matrix @ found)
    return found


def _explicit(slope, _jacobian, t, u, step):
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


def _implicit(slope, jacobian, t, u, step):
    J, couplings = jacobian(t, u)
    unit = np.eye(len(u), dtype=LONG)
    table = []
    for j, n in enumerate(IMPLICIT_STEPS):
        h = step / n
        matrix = unit - h * J
        inverse = np.linalg.inv(matrix.astype(float)).astype(LONG)
        now = u
        for i in range(n):
            right = h * slope(t + (i + 1) * h, now)
            states = solved(inverse, matrix, right[:, :1])
            others = solved(inverse, matrix, right[:, 1:] + h * np.einsum("ijm,j->im", couplings, states[:, 0]))
            now = now + np.concatenate([states, others], axis=1)
        row = [now]
        for m in range(1, j + 1):
            ratio = LONG(n) / IMPLICIT_STEPS[j - m] - 1
            row.append(row[m - 1] + (row[m - 1] - table[m - 1]) / ratio)
        before, table = table[-1] if table else row[0], row
    return table[-1], before
