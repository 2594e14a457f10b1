"""Runs requests of the tests through the package: a line of JSON for each on standard input, an answer for each on standard output."""

import json
import math
import sys
from typing import Any

import leapfrog
from leapfrog import _progress, model as model_module

NAMES = {
    "num_chains": "chains",
    "num_warmup": "iter_warmup",
    "num_samples": "iter_sampling",
    "num_thin": "thin",
    "random_seed": "seed",
    "max_depth": "max_treedepth",
    "continue": "continue_from",
}
SUMMARIZED = ("mean", "mcse_mean", "sd", "q05", "q50", "q95", "ess_bulk", "ess_tail", "rhat")

models: dict[str, leapfrog.Model] = {}
fits: list[leapfrog.Fit] = []
last_lines: dict[int, str] = {}


class Recording(_progress.Progress):
    """Keeps the last line of each chain's log."""

    def __call__(self, event: dict[str, Any]) -> None:
        if event["kind"] == "log":
            last_lines[event["chain"]] = event["text"]


def renamed(request: dict[str, Any]) -> dict[str, Any]:
    return {NAMES.get(name, name): value for name, value in request.items()}


def answer_of(request: dict[str, Any]) -> dict[str, Any]:
    if "matches" in request:
        return {
            "observations": matched(fits[request["matches"]].loo(moment_match=True))
        }
    if "exact" in request:
        fit = fits[request.pop("exact")]
        return {"observations": matched(fit.loo(exact=True, **renamed(request)))}
    if "compares" in request:
        return {"compared": compared(request["compares"])}
    program, data = request.pop("program"), request.pop("data")
    if program not in models:
        models[program] = leapfrog.compile(program)
    if "method" in request:
        return statistics(getattr(models[program], request.pop("method"))(data, **renamed(request)))
    if request.pop("calibrates", False):
        return {"calibration": calibrate(models[program], data, request)}
    if request.pop("refits", False):
        return {"refits": refitted(models[program], data, request)}
    if request.pop("profiles", False):
        return {"statements": profile(models[program], data, request)}
    if request.pop("gradients", False):
        return gradient(models[program], data, **request)
    return sample(program, data, request)


def statistics(fit: leapfrog.Fit) -> dict[str, Any]:
    fits.append(fit)
    summary = fit.summary()
    rows = zip(*(summary.columns[name].tolist() for name in SUMMARIZED))
    findings = [f"{'ok     ' if each.ok else 'problem'}  {each.message}" for each in fit.diagnose()]
    found: dict[str, Any] = {
        "summary": {name: [finite(value) for value in row] for name, row in zip(summary.names, rows)},
        "diagnosis": findings,
    }
    if "log_lik" in fit.variables:
        found["loo"] = estimates(fit)
    return {"fit": len(fits) - 1, "statistics": found}


def estimates(fit: leapfrog.Fit) -> Any:
    try:
        return [[finite(each["elpd"]), finite(each["paretoK"])] for each in matched(fit.loo())]
    except leapfrog.LeapfrogError:
        return "refused"


def finite(value: float) -> Any:
    return value if math.isfinite(value) else "not finite"


def gradient(
    model: leapfrog.Model, data: dict[str, Any], point: list[float], **request: Any
) -> dict[str, Any]:
    posterior = model.on(data, **request)
    value, found = posterior.log_prob_grad(point, propto=True)
    assert posterior.log_prob(point, propto=True) == value
    assert posterior.another().log_prob(point, propto=True) == value
    posterior.close()
    return {"logDensity": value, "gradient": found.tolist()}


def refitted(
    model: leapfrog.Model, data: dict[str, Any], request: dict[str, Any]
) -> dict[str, Any]:
    found = model.kfold(data, **renamed(request))
    columns = zip(found.names, found.pointwise["fold"], found.pointwise["elpd"])
    observations = [
        {"name": name, "fold": int(fold), "elpd": float(elpd)}
        for name, fold, elpd in columns
    ]
    return {"message": found.message, "observations": observations}


def matched(loo: leapfrog.Loo) -> list[dict[str, Any]]:
    columns = zip(loo.names, loo.pointwise["elpd"], loo.pointwise["pareto_k"])
    return [
        {"name": name, "elpd": float(elpd), "paretoK": float(k)}
        for name, elpd, k in columns
    ]


def compared(named: dict[str, int]) -> list[dict[str, Any]]:
    found = leapfrog.compare({name: fits[index] for name, index in named.items()})
    return [
        {
            "name": each.name,
            "elpd": each.elpd,
            "difference": each.difference,
            "standardError": each.standard_error,
            "stacking": each.stacking,
            "pseudoBmaPlus": each.pseudo_bma_plus,
        }
        for each in found.models
    ]


def profile(
    model: leapfrog.Model, data: dict[str, Any], request: dict[str, Any]
) -> list[dict[str, Any]]:
    names = ("line", "executions", "cost", "share")
    return [
        {name: getattr(each, name) for name in names}
        for each in model.profile(data, **request).statements
    ]


def calibrate(
    model: leapfrog.Model, data: dict[str, Any], request: dict[str, Any]
) -> dict[str, Any]:
    found = model.sbc(data, **renamed(request))
    ranks = {name: values.tolist() for name, values in found.ranks.items()}
    return {
        "ok": found.ok,
        "message": found.message,
        "ranks": ranks,
        "probabilities": found.probabilities,
    }


def sample(
    program: str, data: dict[str, Any], request: dict[str, Any]
) -> dict[str, Any]:
    for name in ("continue", "warm_start"):
        if name in request:
            request[name] = fits[request[name]]
    last_lines.clear()
    method = (
        models[program].prior if request.pop("prior", False) else models[program].sample
    )
    fit = method(data, **renamed(request))
    fits.append(fit)
    chains = [
        {
            "id": chain.id,
            "draws": chain.draws.tolist(),
            "lastLine": last_lines.get(chain.id, ""),
        }
        for chain in fit.chains
    ]
    return {"fit": len(fits) - 1, "columns": list(fit.columns), "chains": chains}


model_module.progress = lambda *_: Recording()
for line in sys.stdin:
    try:
        answer = answer_of(json.loads(line))
    except leapfrog.LeapfrogError as error:
        answer = {"refusal": str(error)}
    print(json.dumps(answer), flush=True)
