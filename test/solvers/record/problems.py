"""The problems of `ode/problems.json`, at the points at which they are solved."""

import json
from pathlib import Path

import numpy as np

from dual import LONG, Dual, functions_of
from reference import solve

FOLDER = Path(__file__).resolve().parent.parent / "ode"
PATTERNS = ([0, 0, 0, 0], [1, -0.8, 0.6, 0.5], [-0.7, 1, -0.9, -0.4])


def problems():
    return json.loads((FOLDER / "problems.json").read_text())


def points(problem):
    """Logarithms of multipliers of the parameters, and of the initial state last."""
    size = len(problem["nominal"])
    spread = problem.get("spread", 0.1)
    return [[spread * x for x in [*pattern[:size], pattern[3]]] for pattern in PATTERNS]


def reference(problem, point, **options):
    """The solution with derivatives by the point's elements: times x states x (1 + derivatives)."""
    function = functions_of((FOLDER / problem["file"]).read_text())[problem["function"]]
    unit = np.eye(len(point), dtype=LONG)
    grow = [Dual(np.exp(LONG(x)), unit[i] * np.exp(LONG(x))) for i, x in enumerate(point)]
    parameters = [nominal * g for nominal, g in zip(problem["nominal"], grow)]
    start = [LONG(x) * grow[-1] for x in problem["start"]]
    return solve(
        function,
        start,
        parameters,
        problem["initialTime"],
        problem["times"],
        problem.get("breaks", ()),
        problem.get("stiff", False),
        problem.get("absolute", 1),
        looser=problem.get("looser", 1),
        **options,
    )


def weights(states, times):
    """As in `ode/program.stan`."""
    return np.array([[1 + (3 * i + 5 * j) % 7 / 7 for j in range(1, states + 1)] for i in range(1, times + 1)])
