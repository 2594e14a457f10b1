#!/usr/bin/env python3
"""Records reference numbers with real Stan, through BridgeStan (https://roualdes.us/bridgestan; pip install bridgestan).

    python3 record.py model FOLDER…              FOLDER/model.stan and data.json → FOLDER/expected.json
    python3 record.py cases IN.jsonl OUT.jsonl   function cases without `expected` → the same with it

BridgeStan compiles each program with its Stan; BRIDGESTAN names its folder where there is one already. Where a program has been compiled
elsewhere, `--library FILE.so` names the model's library (one program a call). `docs/reference-cases.md` describes the fields.

`cases --stanli` evaluates with stanli (https://pypi.org/project/stanli) instead, which contains stanc 2.40 and Stan Math 5.4 and needs no
compiler. It computes the density without its constants only, so the programs must have no dropped terms: `target +=` instead of `~`.
"""
import argparse
import json
import math
import pathlib
import random
import re
import sys
import tempfile

import bridgestan

FORMS = {
    "jacobian": dict(propto=False, jacobian=True),
    "propto_jacobian": dict(propto=True, jacobian=True),
    "plain": dict(propto=False, jacobian=False),
    "propto": dict(propto=True, jacobian=False),
}
POINTS = 3
RADIUS = 1.0
DRAWS = 20_000


def number(x):
    """A double as the cases have it: what JSON lacks is a text."""
    x = float(x)
    return x if math.isfinite(x) else "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"


def double(x):
    return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}[x] if isinstance(x, str) else float(x)


def first_line(error):
    """Stan's own words: BridgeStan puts the name of its function before them."""
    line = re.sub(r"^\w+\(\) failed with (?:the following )?(?:exception|error): ?", "", str(error).strip())
    return line.split("\n")[0].split(" (in '")[0]


def load(program, data, library):
    return bridgestan.StanModel(library or program, json.dumps(data), seed=1, capture_stan_prints=True, warn=False)


def outputs(model, point):
    """Values of all blocks; null if two streams of random numbers yield different values, because these are random."""
    every = dict(include_tp=True, include_gq=True)
    one, other = (model.param_constrain(point, rng=model.new_rng(seed), **every) for seed in (1, 2))
    return [number(a) if a == b or (a != a and b != b) else None for a, b in zip(one, other)]


def record_point(model, point):
    recorded = {"unconstrained": [number(x) for x in point]}
    try:
        recorded["log_prob"] = {name: number(model.log_density(point, **form)) for name, form in FORMS.items()}
        recorded["gradient"] = {
            name: [number(x) for x in model.log_density_gradient(point, **FORMS[name])[1]] for name in ("jacobian", "plain")
        }
        recorded["write_array"] = outputs(model, point)
    except RuntimeError as error:
        return {"unconstrained": recorded["unconstrained"], "error": first_line(error)}
    return recorded


def load_with_stanli(program, data):
    import stanli

    return stanli.bridgestan_model(stan_file=program, data=data, seed=1, capture_stan_prints=True)


def record_model(folder, library):
    data = json.loads((folder / "data.json").read_text())
    model = load(str(folder / "model.stan"), data, library)
    names, size = model.param_unc_names(), model.param_unc_num()
    draws = random.Random(1)
    points = [doubles([draws.uniform(-RADIUS, RADIUS) for _ in range(size)]) for _ in range(POINTS)]
    recorded = {
        "constrained_names": model.param_names(include_tp=True, include_gq=True),
        "unconstrained_names": names,
        "num_unconstrained": size,
        "points": [record_point(model, point) for point in points],
    }
    (folder / "expected.json").write_text(json.dumps(recorded, indent=1) + "\n")


def doubles(values):
    import numpy

    return numpy.array(values, dtype=float)


def record_case(case, library, stanli):
    """The `expected` of a function case: of each point, or the moments of the draws of a random function."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program.stan"
        program.write_text(case["program"])
        try:
            data = case.get("data", {})
            model = load_with_stanli(str(program), data) if stanli else load(str(program), data, library)
        except RuntimeError as error:
            return [{"error": first_line(error), "where": "data"}]
        points = [doubles([double(x) for x in point]) for point in case["points"]]
        if case["kind"] == "rng":
            return moments(model, points[0] if points else doubles([]))
        return [expected_at(model, point, full=stanli) for point in points]


def expected_at(model, point, full):
    """What a model gives at a point. `full`: it has no terms that are dropped, so both forms are the same."""
    try:
        value, gradient = model.log_density_gradient(point, propto=full, jacobian=True)
        dropped, gradient_dropped = model.log_density_gradient(point, propto=True, jacobian=True)
    except RuntimeError as error:
        return {"error": first_line(error), "where": "log_prob"}
    found = {"log_prob": number(value), "log_prob_propto": number(dropped), "gradient": [number(x) for x in gradient]}
    if [number(x) for x in gradient_dropped] != found["gradient"]:
        found["gradient_propto"] = [number(x) for x in gradient_dropped]
    try:
        found["write_array"] = outputs(model, point)
    except RuntimeError as error:
        return {"error": first_line(error), "where": "write_array"}
    return found


def moments(model, point):
    stream = model.new_rng(1)
    draws = [model.param_constrain(point, include_tp=True, include_gq=True, rng=stream) for _ in range(DRAWS)]
    columns = list(zip(*draws))
    means = [math.fsum(column) / DRAWS for column in columns]
    sds = [math.sqrt(math.fsum((x - m) ** 2 for x in column) / (DRAWS - 1)) for column, m in zip(columns, means)]
    return {"mean": [number(x) for x in means], "sd": [number(x) for x in sds], "draws": DRAWS}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["model", "cases"])
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--library", help="a library that BridgeStan's makefile has built from the program")
    parser.add_argument("--stanli", action="store_true", help="evaluate with stanli instead of a compiled program")
    given = parser.parse_args()
    if given.kind == "model":
        for folder in given.paths:
            record_model(folder, given.library)
        return
    if len(given.paths) != 2:
        parser.error("cases takes a file to read and a file to write")
    source, target = given.paths
    cases = [json.loads(line) for line in source.read_text().splitlines() if line.strip()]
    for case in cases:
        case.setdefault("expected", record_case(case, given.library, given.stanli))
    target.write_text("".join(json.dumps(case) + "\n" for case in cases))


if __name__ == "__main__":
    sys.exit(main())
