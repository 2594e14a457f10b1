"""Kinds of problems: where real Stan is run, and what is exact."""

import mpmath
import numpy as np
from scipy.optimize import fsolve

from dual import LONG, Column, Dual, functions_of
from reference import solve

PATTERNS = ([0, 0, 0, 0], [1, -0.8, 0.6, 0.5], [-0.7, 1, -0.9, -0.4])
FINE = [1e-4, 1e-5, 1e-6, 1e-8, 1e-10]


def multipliers(point):
    unit = np.eye(len(point), dtype=LONG)
    return [Dual(np.exp(LONG(x)), unit[i] * np.exp(LONG(x))) for i, x in enumerate(point)]


class Family:
    """What differs between kinds. `choice` is what a program with many problems chooses among them by."""

    choice = "problem"
    tolerances = FINE
    #: One more element of a point multiplies the initial states.
    varies_start = False

    def points(self, problem):
        size = len(problem["nominal"])
        spread = problem.get("spread", 0.1)
        return [[spread * x for x in pattern[:size] + (pattern[3:] if self.varies_start else [])] for pattern in PATTERNS]

    def sizes(self, problem):
        return {"N": len(problem["start"]), "T": len(problem.get("times", [])), "K": len(problem["nominal"])}


class DifferentialEquations(Family):
    varies_start = True

    def solution(self, problem, point, text):
        grow = multipliers(point)
        k = [nominal * g for nominal, g in zip(problem["nominal"], grow)]
        one = grow[-1] if self.varies_start else Dual(LONG(1), grow[0].d * 0)
        return solve(
            functions_of(text)[problem.get("explicit", problem["function"])],
            [LONG(x) * one for x in problem["start"]],
            k,
            problem["initialTime"],
            problem["times"],
            problem.get("breaks", ()),
            problem.get("stiff", False),
            problem.get("absolute", 1),
            problem.get("looser", 1),
        )

    def exact(self, problem, points, text):
        """Sizes of the states, and for each point the value and its derivatives."""
        solutions = [self.solution(problem, point, text) for point in points]
        scale = [float(f"{x:.2g}") for x in np.maximum(np.abs(solutions[0][:, :, 0]).max(axis=0), problem.get("absolute", 1))]
        w = [[1 + (3 * i + 5 * j) % 7 / 7 for j in range(1, len(scale) + 1)] for i in range(1, len(problem["times"]) + 1)]
        return scale, [np.tensordot(np.array(w) / np.array(scale), s, axes=2).astype(float).tolist() for s in solutions]


class ResidualEquations(DifferentialEquations):
    varies_start = False


class Systems(Family):
    def exact(self, problem, points, text):
        function = functions_of(text)[problem["function"]]
        return [], [self.root(function, problem, point) for point in points]

    def root(self, function, problem, point):
        """MINPACK's root, by Newton's method in 80 bits from there; derivatives by the implicit function theorem."""
        k = [nominal * g for nominal, g in zip(problem["nominal"], multipliers(point))]
        constants = Column([Dual(p.x, 0 * p.d) for p in k])
        numbers = Column([p.x for p in k])

        def residual(x):
            return np.array([float(f) for f in function(Column([LONG(v) for v in x]), numbers).items])

        n = len(problem["start"])
        unit = np.eye(n, dtype=LONG)
        x = np.array([LONG(v) for v in fsolve(residual, problem["start"], xtol=1e-14)])
        by_constants = Column([Dual(p.x, np.concatenate([0 * unit[0], p.d])) for p in k])
        for _ in range(8):
            f = function(Column([Dual(v, np.concatenate([unit[i], 0 * k[0].d])) for i, v in enumerate(x)]), by_constants).items
            J = np.array([item.d for item in f])
            step = refined(J[:, :n], np.array([item.x for item in f]))
            x = x - step
        if not np.max(np.abs(step)) < 1e-15 * max(1, np.max(np.abs(x))):
            raise ArithmeticError(f"no root of {problem['name']}")
        w = np.array([1 + 5 * j % 7 / 7 for j in range(1, n + 1)])
        return [float(w @ x), *(-(w @ refined(J[:, :n], J[:, n:]))).astype(float)]


def refined(matrix, right):
    inverse = np.linalg.inv(matrix.astype(float)).astype(LONG)
    found = inverse @ right
    for _ in range(4):
        found = found + inverse @ (right - matrix @ found)
    return found


class Integrals(Family):
    choice = "x_i[1]"
    tolerances = [1e-3, 1e-5, 1e-6, 1e-8, 1e-10]

    def sizes(self, problem):
        return {"K": len(problem["nominal"])}

    def exact(self, problem, points, _text):
        with mpmath.workdps(50):
            return [], [self.by_closed_form(problem, point) for point in points]

    def by_closed_form(self, problem, point):
        form = CLOSED_FORMS[problem["function"]]

        def value(*p):
            return form(*(mpmath.mpf(n) * mpmath.exp(x) for n, x in zip(problem["nominal"], p)))

        unit = np.eye(len(point), dtype=int).tolist()
        return [float(value(*point)), *(float(mpmath.diff(value, tuple(point), tuple(u))) for u in unit)]


CLOSED_FORMS = {
    "damped_cosine": lambda a, b: a / (a**2 + b**2),
    "beta_ends": mpmath.beta,
    "power_log": lambda a: -1 / (a + 1) ** 2,
    "gaussian": lambda a: mpmath.sqrt(2 * mpmath.pi / a),
    "student": lambda a: mpmath.sqrt(a * mpmath.pi) * mpmath.gamma(a / 2) / mpmath.gamma((a + 1) / 2),
    "cosine_20": lambda a: mpmath.sin(a) / a,
    "narrow_peak": lambda a: 2 * mpmath.atan(1 / a),
    "gamma_density": lambda a, b: mpmath.gamma(a) / b**a,
    "runge": lambda a: 2 * mpmath.atan(mpmath.sqrt(a)) / mpmath.sqrt(a),
    "elliptic": mpmath.ellipe,
    "lognormal": lambda a, b: b * mpmath.sqrt(2 * mpmath.pi),
    "power_tail": lambda a: 1 / (a - 1),
    "bessel": lambda a: mpmath.pi * mpmath.besselj(0, a),
    "kink": lambda a: (a**2 + (1 - a) ** 2) / 2,
    # The integral of x^b sin(a x) over (0, 1): DLMF 8.2.1 for the imaginary part of the incomplete gamma function.
    "sine_50": lambda a, b: mpmath.im((1j / a) ** (b + 1) * mpmath.gammainc(b + 1, 0, -1j * a)),
}

FAMILIES = {"ode": DifferentialEquations(), "dae": ResidualEquations(), "algebraic": Systems(), "quadrature": Integrals()}
