"""Records what real Stan gives for the problems of a folder of `..`: python3 record.py FAMILY ORACLE [NAME...]

ORACLE is a program with the commands `build MODEL.stan`, which prints the path of an executable, whose `eval --data D --points P`
prints densities, gradients and what the program prints. One program has all problems of a file; data select problem and solver.
Each problem is kept below $SCRATCH, and all of them are written to `../FAMILY.jsonl.gz`; with NAMEs, only those are recorded again.
"""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from families import FAMILIES

FOLDER = Path(__file__).resolve().parent.parent
SCRATCH = Path(os.environ.get("SCRATCH", tempfile.gettempdir())) / "solver-records"
# For the distance between real Stan's solutions and the exact ones.
FINEST = 1e-13
# The tolerances of functions of CVODES that are given none.
DEFAULT = 1e-10
# Steps from one output to the next; explicit solvers need more for stiff problems and are not to take long to fail.
LIMIT = 100000
LIMIT_OF_EXPLICIT = 20000
EXPLICIT = ("ode_rk45_tol", "ode_ckrk_tol")
# Points at which failures are counted where they are a matter of chance.
TRIALS = 60


class Recorder:
    def __init__(self, family, oracle):
        self.name, self.family, self.oracle = family, FAMILIES[family], oracle
        self.folder = FOLDER / family
        self.problems = json.loads((self.folder / "problems.json").read_text())
        self.solvers = json.loads((self.folder / "solvers.json").read_text())
        self.scratch = SCRATCH / family
        self.scratch.mkdir(parents=True, exist_ok=True)

    def program(self, file, members):
        """The template with a choice among problems and solvers."""

        def choice(call):
            name, arguments = call[1].lower(), call[2]
            lines = [f"if ({self.family.choice} == {i}) return {p[name]}({arguments});" for i, p in enumerate(members)]
            return "\n    ".join([*lines, 'reject("no such problem");'])

        def choices(assignment):
            calls = enumerate(self.solvers.values())
            return "\n    ".join(f"if (solver == {i}) {assignment[1]} = {call};" for i, call in calls)

        text = (self.folder / "program.stan").read_text()
        text = re.sub(r"return @(\w+)@\((.*)\);", choice, text)
        text = re.sub(r"(\w+) = @CALL@;", choices, text)
        chosen = self.family.choice == "problem"
        text = text.replace("@TYPES@", ", int problem" if chosen else "").replace("@ARGUMENTS@", ", problem" if chosen else "")
        text = text.replace("data {", "data {\n  int T;\n  int N;\n  int K;\n  int P;\n  int problem;\n  int solver;", 1)
        text = re.sub("@([TNKP])@", r"\1", text)
        return text.replace("@FUNCTIONS@", (self.folder / file).read_text())

    def build(self, file, members):
        path = self.scratch / file
        path.write_text(self.program(file, members))
        return subprocess.run([self.oracle, "build", path], check=True, capture_output=True, text=True).stdout.strip()

    def run(self, executable, data, at):
        (self.scratch / "d.json").write_text(json.dumps(data))
        (self.scratch / "p.json").write_text(json.dumps(at))
        command = [executable, "eval", "--data", self.scratch / "d.json", "--points", self.scratch / "p.json"]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return json.loads(out)

    def chance(self, executable, data, size):
        """Points, and how many of them have no value. With default tolerances Stan may take hours to fail; a limit of steps shortens that."""
        points = np.random.default_rng(1).uniform(-0.1, 0.1, (TRIALS, size)).tolist()
        found = self.run(executable, {**data, "counted": 0, "max_num_steps": LIMIT_OF_EXPLICIT}, points)
        return {"points": points, "failures": sum("write_array_error" in x for x in found)}

    def record(self, executable, index, problem):
        at = self.family.points(problem)
        text = (self.folder / problem["file"]).read_text()
        scale, exact = self.family.exact(problem, at, text)
        absolute = problem.get("absolute", 1)
        is_stiff = problem.get("stiff", False)
        # The finest tolerance at which a solver is recorded, where finer ones take hours.
        least = problem.get("least", {})
        names = list(self.solvers)

        def data(name, rtol, atol):
            found = dict(
                T=0, N=0, P=len(at[0]), problem=index, x_i=[index], x_r=[], solver=names.index(name),
                t0=problem.get("initialTime"), ts=problem.get("times"), start=problem.get("start"), nominal=problem["nominal"],
                low=problem.get("low"), high=problem.get("high"), scale=scale, counted=1,
                rtol=rtol, atol=atol,
                max_num_steps=LIMIT_OF_EXPLICIT if is_stiff and name in EXPLICIT else LIMIT,
            )  # fmt: skip
            found.update(self.family.sizes(problem))
            return {name: item for name, item in found.items() if item is not None}

        def solved(name, tolerance, chosen):
            found = self.run(executable, data(name, tolerance or 1, (tolerance or 1) * absolute), chosen)
            return [result(x) for x in found]

        runs, agreement = [], {}
        for name in names:
            is_explicit = name.startswith(("ode_rk45", "ode_ckrk"))
            if is_stiff and is_explicit and name not in EXPLICIT:
                continue
            has_tolerance = name.endswith(("_tol", "_ctl"))
            finest = least.get(name.removesuffix("_tol"), 0)
            for tolerance in self.family.tolerances if has_tolerance else [None]:
                if (tolerance or DEFAULT) < finest:
                    continue
                chosen = at
                if is_stiff and is_explicit:
                    if tolerance not in (1e-4, 1e-6):
                        continue
                    chosen = at[:1]
                results = solved(name, tolerance, chosen)
                if all(map(is_finite, results)):
                    run = {"solver": name, **({"tolerance": tolerance} if tolerance else {}), "results": results}
                    if (f"{name}/{tolerance:g}" if tolerance else name) in problem.get("chance", []):
                        finer = tolerance or DEFAULT
                        with_tolerance = data(name if tolerance else f"{name}_tol", finer, finer)
                        run["chance"] = self.chance(executable, with_tolerance, len(at[0]))
                    runs.append(run)
            if has_tolerance and name != "ode_adjoint_tol_ctl" and not (is_stiff and is_explicit) and finest == 0:
                agreement[name] = [distance(found, e) for found, e in zip(solved(name, FINEST, at), exact)]
        exact = [{"point": p, "value": e[0], "gradient": e[1:]} for p, e in zip(at, exact)]
        return {"name": problem["name"], "scale": scale, "exact": exact, "agreement": agreement, "runs": runs}

    def all(self, only):
        for file in dict.fromkeys(p["file"] for p in self.problems):
            members = [p for p in self.problems if p["file"] == file]
            missing = [(i, p) for i, p in enumerate(members) if not self.target(p).exists() or p["name"] in only]
            if not missing:
                continue
            executable = self.build(file, members)
            for index, problem in missing:
                recorded = self.record(executable, index, problem)
                self.target(problem).write_text(json.dumps(recorded))
                print(problem["name"], recorded["agreement"], flush=True)
                self.write()

    def target(self, problem):
        return self.scratch / f"{problem['name']}.json"

    def write(self):
        """All that has been recorded, in the order of the problems."""
        lines = [path.read_text() + "\n" for path in map(self.target, self.problems) if path.exists()]
        (FOLDER / f"{self.name}.jsonl.gz").write_bytes(gzip.compress("".join(lines).encode(), 9, mtime=0))


def result(found):
    density = found["jac"]
    message = density.get("error") or found.get("write_array_error")
    if message:
        return {"error": message.split("\n")[0].split(" (in '")[0]}
    return {
        "value": density["lp"],
        "gradient": density["grad"],
        "valueAlone": found["write_array"][-1],
        "evaluations": len(found.get("print_wa", "")),
    }


def is_finite(found):
    """Runs in which real Stan returns NaN compare with nothing and are left out."""
    return "error" in found or bool(np.all(np.isfinite([found["value"], found["valueAlone"], *found["gradient"]])))


def distance(found, exact):
    """Relative to the largest of 1 and the exact numbers; None if real Stan fails."""
    if "error" in found:
        return None
    off = np.max(np.abs(np.subtract([found["value"], *found["gradient"]], exact)))
    return float(f"{off / max(1, np.max(np.abs(exact))):.1g}")


if __name__ == "__main__":
    recorder = Recorder(*sys.argv[1:3])
    recorder.all(sys.argv[3:])
    recorder.write()
