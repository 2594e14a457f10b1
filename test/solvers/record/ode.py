"""Records what real Stan gives for initial value problems: python3 ode.py ORACLE [NAME...]

ORACLE is a program with the commands `build MODEL.stan`, which prints the path of an executable, whose `eval --data D --points P`
prints densities, gradients and what the program prints. One program has all problems of a file; data select problem and solver.
Each problem is kept below $SCRATCH; `python3 ode.py --merge` writes them all to `../ode.jsonl.gz`.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from problems import FOLDER, points, problems, reference, weights

TOLERANCES = [1e-4, 1e-5, 1e-6, 1e-8, 1e-10]
FINEST = 1e-13
# Steps from one output to the next; explicit solvers need more for stiff problems and are not to take long to fail.
LIMIT = 100000
LIMIT_OF_EXPLICIT = 20000
EXPLICIT = ["ode_rk45_tol", "ode_ckrk_tol"]
SOLVERS = json.loads((FOLDER / "solvers.json").read_text())
SCRATCH = Path(os.environ.get("SCRATCH", tempfile.gettempdir())) / "ode-records"


def program(file, members):
    """The template with a choice among problems and solvers."""
    slope = "\n".join(f"    if (problem == {i}) return {p['function']}(t, y, k);" for i, p in enumerate(members))
    solve = "\n".join(
        f"    if (solver == {i}) y = {call.replace('@ARGUMENTS@', ', problem')};" for i, call in enumerate(SOLVERS.values())
    )
    text = (FOLDER / "program.stan").read_text()
    text = text.replace("@FUNCTIONS@", (FOLDER / file).read_text()).replace("@SOLVE@", solve)
    text = text.replace("@SLOPE@", slope + '\n    reject("no such problem");').replace("@TYPES@", "int problem, ")
    text = text.replace("data {", "data {\n  int T;\n  int N;\n  int K;\n  int P;\n  int problem;\n  int solver;", 1)
    for name in "TNKP":
        text = text.replace(f"@{name}@", name)
    return text.replace("@DATA@", "")


def build(oracle, file, members):
    SCRATCH.mkdir(parents=True, exist_ok=True)
    path = SCRATCH / file
    path.write_text(program(file, members))
    return subprocess.run([oracle, "build", path], check=True, capture_output=True, text=True).stdout.strip()


def run(executable, data, at):
    (SCRATCH / "d.json").write_text(json.dumps(data))
    (SCRATCH / "p.json").write_text(json.dumps(at))
    command = [executable, "eval", "--data", SCRATCH / "d.json", "--points", SCRATCH / "p.json"]
    return [result(x) for x in json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)]


def result(found):
    density = found["jac"]
    if "error" in density:
        return {"error": density["error"].split("\n")[0].split(" (in '")[0]}
    if "write_array_error" in found:
        raise ValueError("fails without derivatives alone: " + found["write_array_error"])
    return {
        "value": density["lp"],
        "gradient": density["grad"],
        "valueAlone": found["write_array"][-1],
        "evaluations": len(found.get("print_wa", "")),
        "evaluationsWithGradient": len(found.get("print_lp", "")),
    }


def record(executable, index, problem):
    at = points(problem)
    solutions = [reference(problem, p) for p in at]
    absolute = problem.get("absolute", 1)
    scale = [float(f"{x:.2g}") for x in np.maximum(np.abs(solutions[0][:, :, 0]).max(axis=0), absolute)]
    names = list(SOLVERS)
    w = weights(len(scale), len(problem["times"])) / np.array(scale)
    exact = [np.tensordot(w, s, axes=2).astype(float).tolist() for s in solutions]

    is_stiff = problem.get("stiff", False)

    def solved(name, tolerance, chosen):
        data = dict(
            T=len(problem["times"]), N=len(scale), K=len(problem["nominal"]), P=len(at[0]), problem=index,
            solver=names.index(name), t0=problem["initialTime"], ts=problem["times"], start=problem["start"],
            scale=scale, nominal=problem["nominal"], rtol=tolerance or 1, atol=(tolerance or 1) * absolute,
            max_num_steps=LIMIT_OF_EXPLICIT if is_stiff and name in EXPLICIT else LIMIT, counted=1,
        )
        return run(executable, data, chosen)

    runs = []
    for name in names:
        if is_stiff and name in ("ode_rk45", "ode_ckrk"):
            continue
        for tolerance in TOLERANCES if name.endswith(("_tol", "_ctl")) else [None]:
            chosen = at
            if is_stiff and name in EXPLICIT:
                if tolerance not in (1e-4, 1e-6):
                    continue
                chosen = at[:1]
            runs.append({"solver": name, **({"tolerance": tolerance} if tolerance else {}), "results": solved(name, tolerance, chosen)})
    finest = {name: solved(name, FINEST, at) for name in (["ode_bdf_tol", "ode_adams_tol"] if is_stiff else ["ode_rk45_tol", "ode_adams_tol"])}
    agreement = {}
    for name, results in finest.items():
        numbers = [[r["value"], *r["gradient"]] if "value" in r else None for r in results]
        agreement[name] = [
            float(f"{np.max(np.abs(np.subtract(n, e))) / max(1, np.max(np.abs(e))):.1g}") if n else None for n, e in zip(numbers, exact)
        ]
    exact = [{"point": p, "value": e[0], "gradient": e[1:]} for p, e in zip(at, exact)]
    return {"name": problem["name"], "scale": scale, "exact": exact, "agreement": agreement, "runs": runs}


def merge():
    """Writes all that has been recorded, in the order of the problems."""
    recorded = [SCRATCH / f"{p['name']}.json" for p in problems()]
    lines = [json.dumps(json.loads(path.read_text())) + "\n" for path in recorded if path.exists()]
    (FOLDER.parent / "ode.jsonl.gz").write_bytes(gzip.compress("".join(lines).encode(), 9, mtime=0))
    print(f"{len(lines)} problems")


def main():
    if sys.argv[1:] == ["--merge"]:
        return merge()
    oracle, *only = sys.argv[1:]
    everything = problems()
    for file in ["models.stan", "forced.stan", "stiff.stan", "detest.stan"]:
        members = [p for p in everything if p["file"] == file]
        chosen = [(i, p) for i, p in enumerate(members) if not only or p["name"] in only or file in only]
        if not chosen:
            continue
        executable = build(oracle, file, members)
        for index, problem in chosen:
            target = SCRATCH / f"{problem['name']}.json"
            if target.exists() and not only:
                continue
            target.write_text(json.dumps(record(executable, index, problem)))
            print(problem["name"], json.loads(target.read_text())["agreement"], flush=True)


if __name__ == "__main__":
    main()
