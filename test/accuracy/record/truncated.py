"""Records the truncated normal density of y = 1 between 0 and 3 and its derivatives with respect to mu and log sigma, with 400 digits.

    python truncated.py > ../truncated.json
"""

import json

from mpmath import erfc, exp, log, mp, mpf, nstr, pi, sqrt

mp.dps = 400
OUTCOME, LOWER, UPPER = mpf(1), mpf(0), mpf(3)


def density(t):
    return exp(-t * t / 2) / sqrt(2 * pi)


def probability(a, b):
    if a > 0:
        return (erfc(a / sqrt(2)) - erfc(b / sqrt(2))) / 2
    return (erfc(-b / sqrt(2)) - erfc(-a / sqrt(2))) / 2


def row(mu, power):
    sigma = mpf(2) ** -power
    a, b, z = (LOWER - mu) / sigma, (UPPER - mu) / sigma, (OUTCOME - mu) / sigma
    p = probability(a, b)
    value = -z * z / 2 - log(sigma) - log(2 * pi) / 2 - log(p)
    by_mu = z / sigma + (density(b) - density(a)) / (sigma * p)
    by_log_sigma = z * z - 1 + (b * density(b) - a * density(a)) / p
    return {"mu": mu, "power": power, "numbers": [float(nstr(x, 20)) for x in (value, by_mu, by_log_sigma)]}


rows = [row(mu, power) for mu in (-9, 1, 5) for power in (0, 6, 12, 24, 36, 51, 150, 300)]
print(json.dumps(rows, indent=1))
