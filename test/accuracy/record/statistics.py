"""
Writes test/accuracy/statistics.json: log densities of regressions and their gradients, summed row by row to 50 digits with mpmath, and the errors of
the same sums in doubles. The data are made by the same steps in test/accuracy/statistics.test.ts: a linear congruential generator (Numerical
Recipes, 7.1) and arithmetic in doubles. Run as `python test/accuracy/record/statistics.py`.
"""

import json
import math
from pathlib import Path

from mpmath import log, mp, mpf, pi

mp.dps = 50


def uniform(seed):
    """Numbers from -0.5 to 0.5."""
    state = seed
    while True:
        state = (state * 1664525 + 1013904223) % 2**32
        yield state / 2**32 - 0.5


def data(case):
    """Rows of covariates, the first of which is 1, outcomes and known scales."""
    u = uniform(case["seed"])
    rows, outcomes, scales = [], [], []
    for _ in range(case["rows"]):
        row = [1.0, case["mean"] + next(u)]
        for k in range(2, len(case["slopes"])):
            # nearly the column before it
            row.append(row[k - 1] + case["apart"] * next(u))
        y = 0.0
        for x, b in zip(row, case["slopes"]):
            y = y + b * x
        rows.append(row)
        outcomes.append(y + case["noise"] * next(u))
        scales.append(0.75 + next(u) if case["scaled"] else 1.0)
    return rows, outcomes, scales


def density(case, number, logarithm):
    """The value and the derivatives by slopes and scale at the case's position; `number` makes the numbers to compute with."""
    rows, outcomes, scales = data(case)
    *slopes, sigma = [number(p) for p in case["position"]]
    value = number(0)
    gradient = [number(0) for _ in case["position"]]
    for row, y, s in zip(rows, outcomes, scales):
        location = number(0)
        for x, b in zip(row, slopes):
            location = location + b * number(x)
        scale = sigma * number(s)
        z = (number(y) - location) / scale
        value = value - logarithm(2 * PI[number]) / 2 - logarithm(scale) - z * z / 2
        for k, x in enumerate(row):
            gradient[k] = gradient[k] + z / scale * number(x)
        gradient[-1] = gradient[-1] + (z * z - 1) / sigma
    return [value, *gradient]


PI = {mpf: pi, float: math.pi}


def cases():
    seed = 1
    for rows in (80, 300, 2000):
        for mean, noise in ((0.0, 1.0), (2000.0, 0.5), (1e6, 1.0), (1e6, 1e-2)):
            for slopes, apart in (([1.5, -2.0], 1.0), ([1.5, -2.0, 0.7, 1.1], 1.0), ([1.5, -2.0, 0.7], 1e-8)):
                for away in (0.0, 1e-3, 0.5):
                    for scaled in (False, True):
                        seed += 1
                        at = [b + away * (k + 1) / (3 if mean == 0 else mean) for k, b in enumerate(slopes)]
                        case = {"seed": seed, "rows": rows, "mean": mean, "noise": noise, "apart": apart}
                        case |= {"scaled": scaled, "slopes": slopes, "position": [*at, 0.6 * noise + 0.1 * away]}
                        truth = density(case, mpf, log)
                        byRows = density(case, float, math.log)
                        errors = [float(abs((mpf(a) - b) / b)) for a, b in zip(byRows, truth)]
                        yield case | {"truth": [float(t) for t in truth], "errors": [float(f"{e:.2g}") for e in errors]}


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "statistics.json"
    lines = ",\n".join(json.dumps(case) for case in cases())
    target.write_text(f"[\n{lines}\n]\n")
