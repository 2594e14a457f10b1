"""
Writes test/accuracy/shares.json: logarithms of probabilities and of 1 less probabilities, and their derivatives with respect to the argument, to
400 digits with mpmath, rounded to doubles. Run as `python test/accuracy/record/shares.py`.
"""

import json
from pathlib import Path

from mpmath import erfc, exp, expm1, log, log1p, mp, mpf, pi, sqrt

mp.dps = 400


def log1m_exp(x):
    return log(-expm1(x))


def normal(x):
    return erfc(-x / sqrt(2)) / 2


def density(x):
    return exp(-x * x / 2) / sqrt(2 * pi)


# log f, d log f, log (1 - f), d log (1 - f)
SHARES = {
    "logistic": lambda u: (-log1p(exp(-u)), 1 / (1 + exp(u)), -log1p(exp(u)), -1 / (1 + exp(-u))),
    "normal": lambda u: (
        log(normal(u)),
        density(u) / normal(u),
        log(normal(-u)),
        -density(u) / normal(-u),
    ),
    "cloglog": lambda u: (log1m_exp(-exp(u)), exp(u) / expm1(exp(u)), -exp(u), -exp(u)),
    "gumbel": lambda u: (-exp(u), -exp(u), log1m_exp(-exp(u)), exp(u) / expm1(exp(u))),
    "exponential": lambda u: (u, mpf(1), log1m_exp(u), -1 / expm1(-u)),
    "complement": lambda u: (log1m_exp(u), -1 / expm1(-u), u, mpf(1)),
}
WIDE = [0.1, 0.7, 2.9, 5.3, 8.5, 20.25, 37.9, 40, 45.5, 100, 700, 745]
POINTS = {
    "logistic": [s * u for u in [*WIDE, 800] for s in (1, -1)],
    "normal": [s * u for u in [0.1, 0.7, 2.9, 5.3, 8.2, 8.5, 20.25, 37.4, 38.5, 40, 45.5, 100] for s in (1, -1)],
    "cloglog": [-800, *[-u for u in WIDE], 0.1, 0.7, 1.5, 2.9, 3.5, 5.3],
    "gumbel": [-800, *[-u for u in WIDE], 0.1, 0.7, 1.5, 2.9, 3.5, 5.3],
    "exponential": [-1e-300, -1e-20, -1e-10, -1e-3, *[-u for u in WIDE], -800],
    "complement": [-1e-300, -1e-20, -1e-10, -1e-3, *[-u for u in WIDE], -800],
}

rows = {
    name: [[float(u), *[float(number) for number in of(mpf(float(u)))]] for u in POINTS[name]] for name, of in SHARES.items()
}
# a, b, log(Phi(b) - Phi(a)) and its derivatives
ENDS = [-100, -45.5, -38, -20.25, -8.5, -5.3, -2.9, -0.7, 0, 0.1, 1.5, 4.25, 8.5, 20.25, 37.9, 45.5, 100]
rows["intervals"] = [
    [float(number) for number in (a, b, log(mass), -density(a) / mass, density(b) / mass)]
    for k, first in enumerate(ENDS)
    for second in ENDS[k + 1 :]
    for a, b in [(mpf(first), mpf(second))]
    for mass in [normal(b) - normal(a) if b < 0 else normal(-a) - normal(-b)]
]
path = Path(__file__).parent.parent / "shares.json"
path.write_text(
    "{\n"
    + ",\n".join(
        f'  "{name}": [\n' + ",\n".join(f"    {json.dumps(row)}" for row in points) + "\n  ]" for name, points in rows.items()
    )
    + "\n}\n"
)
