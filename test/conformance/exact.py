#!/usr/bin/env python3
"""Numbers of higher precision for function cases where real Stan's own are off: python3 exact.py FILE.jsonl IDS > exact.jsonl

FILE.jsonl holds function cases or models. Each case's program is read as far as its form goes (arguments cut from x, one function, a weighted sum), its function evaluated
with 50 digits by mpmath and differentiated numerically; a model is written out in MODELS. IDS is a file of ids, one per line.
"""
import json
import re
import sys

import mpmath as mp

from exact_written import WRITTEN

mp.mp.dps = 60
STEP = mp.mpf(10) ** -20
UNDEFINED = (ValueError, ZeroDivisionError, RecursionError, mp.libmp.NoConvergence)


def number(x):
    if isinstance(x, list):
        return [number(item) for item in x]
    return {"NaN": mp.nan, "Infinity": mp.inf, "-Infinity": -mp.inf}[x] if isinstance(x, str) else mp.mpf(x)


def gamma_p(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def gamma_q(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def beta_i(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def phi(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def student_below(y, nu, mu, sigma):
    t = (y - mu) / sigma
    series = mp.hyp2f1(mp.mpf(1) / 2, (nu + 1) / 2, mp.mpf(3) / 2, -t * t / nu)
    return mp.mpf(1) / 2 + t * mp.gamma((nu + 1) / 2) / (mp.sqrt(mp.pi * nu) * mp.gamma(nu / 2)) * series


def exp_mod_normal(y, mu, s, r):
    z = (y - mu) / s
    return phi(z) - mp.exp(r * r * s * s / 2 - r * (y - mu)) * phi(z - r * s)


def matern32(points, sigma, lengths):
    def entry(a, b):
        distance = mp.sqrt(sum(((p - q) / l) ** 2 for p, q, l in zip(a, b, lengths))) if a is not b else mp.mpf(0)
        return sigma**2 * (1 + mp.sqrt(3) * distance) * mp.exp(-mp.sqrt(3) * distance)

    return [[entry(a, b) for b in points] for a in points]


# distribution: (probability of at most y, of more than y, log density or None)
DISTRIBUTIONS = {
    "normal": (
        lambda y, m, s: phi((y - m) / s),
        lambda y, m, s: phi((m - y) / s),
        lambda y, m, s: -((y - m) / s) ** 2 / 2 - mp.log(s) - mp.log(2 * mp.pi) / 2,
    ),
    "std_normal": (phi, lambda y: phi(-y), None),
    "gamma": (
        lambda y, a, b: gamma_p(a, b * y),
        lambda y, a, b: gamma_q(a, b * y),
        lambda y, a, b: a * mp.log(b) - mp.loggamma(a) + (a - 1) * mp.log(y) - b * y,
    ),
    "inv_gamma": (
        lambda y, a, b: gamma_q(a, b / y),
        lambda y, a, b: gamma_p(a, b / y),
        lambda y, a, b: a * mp.log(b) - mp.loggamma(a) - (a + 1) * mp.log(y) - b / y,
    ),
    "chi_square": (
        lambda y, n: gamma_p(n / 2, y / 2),
        lambda y, n: gamma_q(n / 2, y / 2),
        lambda y, n: -n / 2 * mp.log(2) - mp.loggamma(n / 2) + (n / 2 - 1) * mp.log(y) - y / 2,
    ),
    "inv_chi_square": (
        lambda y, n: gamma_q(n / 2, 1 / y / 2),
        lambda y, n: gamma_p(n / 2, 1 / y / 2),
        lambda y, n: -n / 2 * mp.log(2) - mp.loggamma(n / 2) - (n / 2 + 1) * mp.log(y) - 1 / y / 2,
    ),
    "scaled_inv_chi_square": (
        lambda y, n, s: gamma_q(n / 2, n * s * s / y / 2),
        lambda y, n, s: gamma_p(n / 2, n * s * s / y / 2),
        lambda y, n, s: n / 2 * mp.log(n / 2) - mp.loggamma(n / 2) + n * mp.log(s) - (n / 2 + 1) * mp.log(y) - n * s * s / y / 2,
    ),
    "beta": (lambda y, a, b: beta_i(a, b, y), lambda y, a, b: beta_i(b, a, 1 - y), None),
    "student_t": (student_below, lambda y, n, m, s: student_below(2 * m - y, n, m, s), None),
    "exp_mod_normal": (exp_mod_normal, lambda *x: 1 - exp_mod_normal(*x), None),
    "logistic": (lambda y, m, s: 1 / (1 + mp.exp((m - y) / s)), lambda y, m, s: 1 / (1 + mp.exp((y - m) / s)), None),
    "exponential": (lambda y, b: -mp.expm1(-b * y), lambda y, b: mp.exp(-b * y), None),
    "pareto": (lambda y, l, a: 1 - (l / y) ** a, lambda y, l, a: (l / y) ** a, None),
    "pareto_type_2": (lambda y, m, l, a: 1 - (1 + (y - m) / l) ** -a, lambda y, m, l, a: (1 + (y - m) / l) ** -a, None),
    "poisson": (lambda n, r: gamma_q(n + 1, r), lambda n, r: gamma_p(n + 1, r), None),
}


def elements(arguments):
    """One tuple of scalars an element, scalars repeated."""
    size = max((len(a) for a in arguments if isinstance(a, list)), default=1)
    return [[a[k] if isinstance(a, list) else a for a in arguments] for k in range(size)]


def cumulative(name, arguments):
    family, form = name.rsplit("_", 1)
    below, above, _ = DISTRIBUTIONS[family]
    each = [(above if form == "lccdf" else below)(*element) for element in elements(arguments)]
    return mp.fprod(each) if form == "cdf" else mp.fsum(mp.log(p) for p in each)


def zip_map(f, a, b):
    if isinstance(a, list):
        return [zip_map(f, p, b[k] if isinstance(b, list) else b) for k, p in enumerate(a)]
    return [zip_map(f, a, q) for q in b] if isinstance(b, list) else f(a, b)


CONTAINERS = {"gamma_q": lambda a, x: zip_map(gamma_q, a, x), "gp_matern32_cov": matern32}


def cut(text, x):
    """The value of an argument's expression: x[i], x[i:j], conversions of them and arrays of such."""
    parts = re.sub(r"to_array_1d\((x\[\d+:\d+\])\)", r"\1", text.replace("'", ""))
    parts = re.sub(r"to_matrix\(x\[(\d+):(\d+)\], (\d+), (\d+)\)", r"matrix(\1, \3, \4)", parts)
    parts = re.sub(r"x\[(\d+):(\d+)\]", r"x[\1-1:\2]", parts)
    parts = re.sub(r"x\[(\d+)\]", r"x[\1-1]", parts).replace("{", "[").replace("}", "]")
    matrix = lambda start, rows, columns: [[x[start - 1 + i + rows * j] for j in range(columns)] for i in range(rows)]
    return eval(parts, {"x": x, "matrix": matrix})


def weighted(value, formula, indices):
    names = re.findall(r"for \((\w) in", formula)
    expression = re.search(r"target \+= (\(.*\)) \* r\[", formula).group(1)

    def visit(value, found):
        if isinstance(value, list):
            return mp.fsum(visit(item, {**found, names[len(found)]: k + 1}) for k, item in enumerate(value))
        exact = re.sub(r"[\d.]+", lambda digits: f'mpf("{digits.group(0)}")', expression)
        return eval(exact, {**found, "mpf": lambda digits: mp.mpf(float(digits))}) * value

    return visit(value, indices)


def log_mass_of_counts(n, r, alpha, beta):
    """beta_neg_binomial"""
    series = mp.log(mp.beta(n + r, alpha + beta)) - mp.log(mp.beta(r, alpha))
    return series + mp.loggamma(n + beta) - mp.loggamma(beta) - mp.loggamma(n + 1)


def correlations(case):
    """The transforms of correlations of three variables: log density and Jacobian of free values."""

    def evaluate(free):
        z = [mp.tanh(y) for y in free]
        slopes = [mp.sech(y) ** 2 for y in free]
        rows = [[1, 0, 0], [z[0], mp.sqrt(slopes[0]), 0]]
        rows.append([z[1], z[2] * mp.sqrt(slopes[1]), mp.sqrt(slopes[1] * slopes[2])])
        is_factor = case["function"] == "cholesky_factor_corr"
        powers = (1, mp.mpf(3) / 2, 1) if is_factor else (mp.mpf(3) / 2, mp.mpf(3) / 2, 1)
        value = rows if is_factor else [[mp.fdot(a, b) for b in rows] for a in rows]
        weight = lambda m, n: mp.mpf(0.7) + mp.mpf(0.29) * m - mp.mpf(0.13) * n
        total = mp.fsum(weight(m, n) * value[m - 1][n - 1] for m in (1, 2, 3) for n in (1, 2, 3))
        return total + mp.fsum(power * mp.log(slope) for power, slope in zip(powers, slopes))

    return evaluate


def log_ordered_probit(category, eta, cuts):
    low = -mp.inf if category == 1 else cuts[int(category) - 2]
    high = mp.inf if category > len(cuts) else cuts[int(category) - 1]
    return mp.log(phi(high - eta) - phi(low - eta))


def truncated_vectors(data, x, log_y):
    y = mp.exp(log_y)
    below, _, density = DISTRIBUTIONS["normal"]
    normal = mp.fsum(density(v, x, y) for v in data["v"]) - 3 * mp.log(below(4, x, y) - below(-1, x, y))
    counts = mp.fsum(n * log_y - y - mp.loggamma(n + 1) for n in data["k"]) - 2 * mp.log(-mp.expm1(-y))
    return normal + counts + log_y


def each(values, size):
    return values if isinstance(values, list) else [values] * size


def log_density(case):
    if case["id"] in WRITTEN:
        data = {name: number(value) for name, value in (case["data"] or {}).items()}
        return lambda x: WRITTEN[case["id"]](data, x)[0]
    if case["kind"] == "transform":
        return correlations(case)
    program = " ".join(case["program"].split())
    data = {name: number(value) for name, value in (case["data"] or {}).items()}
    arguments = re.findall(r" (a\d) = (.*?);", program)

    def evaluate(x):
        counts = re.search(r"y\[i\] ~ beta_neg_binomial\(.*\) T\[(\d+), (\d+)\]", program)
        if counts:
            logs = [log_mass_of_counts(n, *(mp.exp(z) for z in x)) for n in range(int(counts[1]), int(counts[2]) + 1)]
            mass = mp.log(sum(mp.exp(z) for z in logs))
            return sum(logs[int(n) - int(counts[1])] - mass for n in data["y"])
        values = {**data, **{name: cut(text, x) for name, text in arguments}}
        if case["id"] == "language/truncated_vectors/1":
            return truncated_vectors(data, *x)
        if "ordered_probit" in program:
            y = each(values["a1"], 1)
            cuts = values["a3"] if isinstance(values["a3"][0], list) else [values["a3"]] * len(y)
            return mp.fsum(log_ordered_probit(*row) for row in zip(y, each(values["a2"], len(y)), cuts))
        bounded = re.search(r"(a\d) ~ (\w+)\(([^)]*)\) T\[(\w*), ?(\w*)\]", program)
        if bounded:
            y, family, rest, low, high = bounded.groups()
            below, above, density = DISTRIBUTIONS[family]
            others = [values[name] for name in rest.split(", ")]
            mass = below(values[high], *others) if high else mp.mpf(1)
            mass = above(values[low], *others) if low and not high else mass - (below(values[low], *others) if low else 0)
            return density(values[y], *others) - mp.log(mass)
        mass = re.search(r"(a\d) ~ poisson\((a\d)\)", program)
        if mass:
            n, rate = (values[name] for name in mass.groups())
            return (n * mp.log(rate) if n else 0) - rate - mp.loggamma(n + 1)
        name, inside = re.search(r" r = (\w+)\((.*?)\);", program).groups()
        found = [values[k] for k in re.findall(r"a\d", inside)]
        if name in CONTAINERS:
            return weighted(CONTAINERS[name](*found), program, {})
        return mp.mpf(0.7) * cumulative(name, found)

    return evaluate


def finite(compute):
    """The number, or None if it is not finite or not defined."""
    try:
        found = compute()
        return float(found) if mp.isfinite(found) else None
    except UNDEFINED:
        return None


def exact(case):
    points = []
    evaluate = log_density(case)
    for point, recorded in zip(case["points"], case["expected"]):
        x = [number(v) for v in point]
        value = finite(lambda: mp.re(evaluate(x)))
        slopes = gradient(evaluate, x)
        points.append({"log_prob": value, "gradient": [None if value is None else slope for slope in slopes]})
        if case["id"] in WRITTEN:
            data = {name: number(value) for name, value in (case["data"] or {}).items()}
            results = [float(r) for r in WRITTEN[case["id"]](data, x)[1]]
            points[-1]["write_array"] = recorded["write_array"][: len(recorded["write_array"]) - len(results)] + results
        elif recorded["write_array"][-1] == recorded["log_prob"]:
            points[-1]["write_array"] = [*recorded["write_array"][:-1], value]
    return {"id": case["id"], "source": "mpmath", "points": points}


def truncated_normal_reporting(data, x, jacobian):
    normal, _, log_normal = DISTRIBUTIONS["normal"]
    mu0, tau, mu, share = mp.exp(x[0]), mp.exp(x[1]), x[2:6], 1 / (1 + mp.exp(-x[6]))
    low, high = mp.mpf(0.05), mp.mpf(5)
    sigma = low + (high - low) * share
    mass = lambda a, b, *rest: mp.log(normal(b, *rest) - normal(a, *rest))
    total = log_normal(mu0, 2, 2) - mp.log(1 - normal(0, 2, 2)) + mp.log(2 / mp.pi) - mp.log1p(tau * tau)
    total += log_normal(sigma, 1, 1) - mass(low, high, 1, 1) + mp.fsum(log_normal(m, mu0, tau) for m in mu)
    masses = [mass(lower, data["upper_limit"], m, sigma) for lower, m in zip(data["lower_limit"], mu)]
    for y, lab in zip(data["y"], data["lab"]):
        total += log_normal(y, mu[int(lab) - 1], sigma) - masses[int(lab) - 1]
    return total + (x[0] + x[1] + mp.log((high - low) * share * (1 - share)) if jacobian else 0)


def laplace_poisson_glmm(data, x, jacobian):
    intercept, beta = x[:2]
    alpha, rho, nugget = map(mp.exp, x[2:])
    places, y = data["s"], mp.matrix(data["y"])
    distance = lambda a, b: mp.sqrt(sum((p - q) ** 2 for p, q in zip(a, b)))
    K = mp.matrix([[alpha**2 * mp.exp(-distance(a, b) / rho) for b in places] for a in places])
    n = len(places)
    for i in range(n):
        K[i, i] += nugget**2 + mp.mpf(1e-8)
    offsets = mp.matrix([mp.log(e) + intercept + beta * v for e, v in zip(data["exposure"], data["x"])])
    a, theta = mp.matrix(n, 1), mp.matrix(n, 1)
    while True:
        rates = (offsets + theta).apply(mp.exp)
        system = mp.eye(n) + K * mp.diag(list(rates))
        b = mp.matrix([w * t for w, t in zip(rates, theta)]) + y - rates
        step = b - mp.diag(list(rates)) * mp.lu_solve(system, K * b) - a
        moved = mp.norm(K * step, mp.inf)
        a += step * min(1, 2 / moved)
        theta = K * a
        if moved < mp.mpf(10) ** -50:
            break
    likelihood = sum(k * t - r - mp.loggamma(k + 1) for k, t, r in zip(y, offsets + theta, rates))
    total = likelihood - (a.T * theta)[0] / 2 - mp.log(mp.det(system)) / 2
    total += -(intercept**2 + beta**2 + alpha**2) / 2 - 5 * mp.log(rho) - 6 / rho - (nugget / mp.mpf("0.3")) ** 2 / 2
    return total + (sum(x[2:]) if jacobian else 0)


MODELS = {"truncated_normal_reporting": truncated_normal_reporting, "laplace_poisson_glmm": laplace_poisson_glmm}


def gradient(evaluate, x):
    return [finite(lambda: mp.diff(lambda v: mp.re(evaluate(x[:k] + [v] + x[k + 1 :])), x[k], h=STEP)) for k in range(len(x))]


def exact_model(case):
    name, files = case["name"], case["files"]
    data = {key: number(value) for key, value in json.loads(files["data.json"]).items()}
    places = [number(point["unconstrained"]) for point in json.loads(files["expected.json"])["points"]]
    forms = {"jacobian": True, "plain": False}
    slopes = lambda x: {form: gradient(lambda v: MODELS[name](data, v, on), x) for form, on in forms.items()}
    return {"id": name, "source": "mpmath", "points": [{"gradient": slopes(x)} for x in places]}


if __name__ == "__main__":
    wanted = set(open(sys.argv[2]).read().split())
    for line in open(sys.argv[1]):
        case = json.loads(line)
        if case.get("id") in wanted:
            print(json.dumps(exact(case)), flush=True)
        elif case.get("name") in wanted:
            print(json.dumps(exact_model(case)), flush=True)
