"""Argument names of CmdStanPy, cmdstanr, PyStan and RStan are accepted, or an error states what to use instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import leapfrog
from leapfrog import _process

TABLES = _process.engine().request({"op": "foreign arguments"})[0]
ROWS = TABLES["rows"]
CASES = [(row, method) for row in ROWS for method in row["methods"]]
METHODS = {
    "sample": {"iter_warmup": 30, "iter_sampling": 20, "chains": 1},
    "optimize": {},
    "variational": {"draws": 20, "adapt_engaged": False, "eta": 0.1},
    "pathfinder": {"draws": 20, "num_paths": 2},
    "laplace": {"draws": 20},
    "generate": {},
}
# The argument above that means the same, or that the value excludes.
SAME = {
    "num_chains": "chains",
    "num_warmup": "iter_warmup",
    "num_samples": "iter_sampling",
    "output_samples": "draws",
    "algorithm": "iter_warmup",
}


@pytest.fixture(scope="module")
def model() -> leapfrog.Model:
    return leapfrog.compile("parameters { real x; } model { x ~ std_normal(); } generated quantities { real y = x; }")


@pytest.fixture(scope="module")
def fit(model: leapfrog.Model) -> leapfrog.Fit:
    return model.sample(chains=1, iter_warmup=10, iter_sampling=5, seed=1)


def run(model: leapfrog.Model, fit: leapfrog.Fit, method: str, name: str, value: Any) -> leapfrog.Fit:
    row = next(row for row in ROWS if row["name"] == name and method in row["methods"])
    arguments = {key: each for key, each in METHODS[method].items() if key not in (name, SAME.get(row.get("means")))}
    if method == "generate":
        if row.get("means") != "fitted_params":
            arguments["previous_fit"] = fit
        return model.generate_quantities(None, **arguments, **{name: value})
    if name != "seed":
        arguments["seed"] = 1
    return getattr(model, method)(**arguments, **{name: value})


@pytest.mark.parametrize(("row", "method"), CASES, ids=[f"{method}-{row['name']}" for row, method in CASES])
def test_name(model: leapfrog.Model, fit: leapfrog.Fit, row: dict[str, Any], method: str) -> None:
    name, example, means = row["name"], row.get("example", fit), row.get("means")
    if "becomes" in row:
        alone = {"chains": 1, name: example}
        assert row["becomes"].items() <= model.sample(**alone).arguments.items()
    elif means is None:
        with pytest.raises(leapfrog.ArgumentError, match=rf"^{name} is not an argument of \w+: .+\.$"):
            run(model, fit, method, name, example)
        for value in row["harmless"]:
            run(model, fit, method, name, value)
    if means is None:
        return
    made = run(model, fit, method, name, example)
    if means == "num_chains":
        assert len(made.chains) == example
    elif means == "random_seed":
        assert made.seed == example
    elif means == "init":
        assert made.arguments["init_radius"] == example
    elif name == "pars":
        assert made.variables == ("x",)
    elif means in made.arguments:
        assert made.arguments[means] == example
    if isinstance(example, (int, float)) and name not in ("fixed_param", "show_progress"):
        with pytest.raises(leapfrog.ArgumentError, match=rf"^{name} must be"):
            run(model, fit, method, name, "wrong")


@pytest.mark.parametrize("row", TABLES["compile"], ids=[row["name"] for row in TABLES["compile"]])
def test_name_of_compile(row: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = "parameters { real x; } model { x ~ std_normal(); }"
    Path("coin.stan").write_text(code)
    name, example = row["name"], row["example"]
    if "instead" not in row:
        program = {} if row["means"] == "program" else {"program": code}
        made = leapfrog.compile(**program, **{name: example})
        assert made.code.strip() == code
        assert row["means"] != "name" or made.name == example
        return
    with pytest.raises(leapfrog.ArgumentError, match=rf"^{name} is not an argument of compile: .+\.$"):
        leapfrog.compile(code, **{name: example})
    for value in row.get("harmless", ()):
        leapfrog.compile(code, **{name: value})


def test_a_missing_program() -> None:
    with pytest.raises(leapfrog.ArgumentError, match="^program is required"):
        leapfrog.compile()
    with pytest.raises(leapfrog.ArgumentError, match=r"Did you mean stan_file\?$"):
        leapfrog.compile(stan_fil="coin.stan")
    with pytest.raises(leapfrog.ArgumentError, match="^stan_file means the same as program"):
        leapfrog.compile("model { }", stan_file="coin.stan")


def test_a_misspelled_name(model: leapfrog.Model) -> None:
    with pytest.raises(
        leapfrog.ArgumentError, match=r"^iter_samplng is not .* of sample\. Did you mean iter_sampling\?$"
    ):
        model.sample(iter_samplng=10)
    with pytest.raises(leapfrog.ArgumentError, match="^num_chains means the same as chains: pass one of them$"):
        model.sample(chains=2, num_chains=2)


def test_arguments_of_refits() -> None:
    model = leapfrog.compile(
        "data { vector[5] y; } parameters { real x; } model { x ~ std_normal(); y ~ normal(x, 1); }"
    )
    fit = model.sample({"y": [0.3, -1.2, 2.5, 0.7, 9.0]}, seed=1, iter_sampling=200)
    with pytest.raises(leapfrog.ArgumentError, match="^iter_warmup must be at least 0$"):
        fit.loo(exact=True, iter_warmup=-1)
    assert fit.loo(exact=True, iter_warmup=100, iter_sampling=100, seed=1).pointwise["elpd"].shape == (5,)


def test_chains_run_one_after_another(model: leapfrog.Model) -> None:
    order: list[int] = []

    def on_event(event: dict[str, Any]) -> None:
        if event["kind"] == "progress":
            order.append(event["chain"])

    given = {"chains": 4, "parallel_chains": 1, "seed": 1}
    fit = model._run("sample", None, given, on_event=on_event)
    assert order == sorted(order) and set(order) == {1, 2, 3, 4}
    assert (fit.draws() == model.sample(seed=1).draws()).all()


@pytest.mark.parametrize(
    ("inits", "message"),
    [
        ("text", "inits must be a fit, values, or a list of values, not str."),
        ([{"x": 1}, 2], "inits[1] must be values by their names, not int."),
    ],
)
def test_initial_values_of_another_type(model: leapfrog.Model, inits: Any, message: str) -> None:
    with pytest.raises(leapfrog.ArgumentError) as raised:
        model.sample(chains=2, iter_warmup=10, iter_sampling=5, inits=inits)
    assert str(raised.value) == message


def test_a_misspelled_initial_value_is_a_warning(model: leapfrog.Model) -> None:
    with pytest.warns(UserWarning, match='has no parameter "xx", so its value is ignored'):
        model.sample(chains=1, iter_sampling=10, inits={"xx": 1})


def test_data_that_is_none(model: leapfrog.Model) -> None:
    needs = leapfrog.compile("data { real y; } parameters { real x; } model { y ~ normal(x, 1); }")
    with pytest.raises(leapfrog.LeapfrogError, match="y"):
        needs.sample({"y": None})
