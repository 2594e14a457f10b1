"""The same interface on a server, whose address is in LEAPFROG_TEST_SERVER."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from test_package import DATA, FUNCTIONS, MEANS, SCHOOLS

import leapfrog


@pytest.fixture(scope="module")
def server() -> leapfrog.Server:
    return leapfrog.connect(os.environ["LEAPFROG_TEST_SERVER"])


@pytest.fixture(scope="module")
def model(server: leapfrog.Server) -> leapfrog.RemoteModel:
    return server.compile(SCHOOLS)


def test_draws_are_those_of_this_process(model: leapfrog.RemoteModel) -> None:
    local = leapfrog.compile(SCHOOLS).sample(DATA, seed=3, save_warmup=True, iter_warmup=200, iter_sampling=100)
    fit = model.sample(DATA, seed=3, save_warmup=True, iter_warmup=200, iter_sampling=100)
    assert fit.columns == local.columns and fit.function == local.function
    assert np.array_equal(fit.draws(inc_warmup=True), local.draws(inc_warmup=True))
    for ours, theirs in zip(fit.chains, local.chains):
        assert ours.step_size == theirs.step_size
        assert np.array_equal(ours.inv_metric, theirs.inv_metric)
    assert fit.summary(["mu"]).names == ("mu",)
    assert np.array_equal(fit.summary()["mu"]["mean"], local.summary()["mu"]["mean"])
    assert [each.check for each in fit.diagnose()] == [each.check for each in local.diagnose()]
    assert fit.loo().elpd == local.loo().elpd
    assert leapfrog.compare({"remote": fit, "local": local}).models[1].difference == 0


def test_methods(model: leapfrog.RemoteModel) -> None:
    mode = model.optimize(DATA, seed=1)
    assert mode.draws("mu").shape == (1, 1)
    assert model.laplace(DATA, mode=mode, draws=50, jacobian=False, seed=1).draws("tau").shape == (1, 50)
    assert model.laplace(DATA, draws=50, seed=1).num_draws == 50
    assert model.pathfinder(DATA, seed=1, num_paths=2, draws=30).num_draws == 30
    assert model.variational(DATA, seed=1, draws=40).num_draws == 40
    fit = model.sample(DATA, chains=1, metric="dense_e", seed=1, inits={"mu": 1.0}, inv_metric=np.eye(10))
    assert fit.function.endswith("hmc_nuts_dense_e_adapt")
    assert abs(fit["mu"].mean() - MEANS["mu"]) < 1
    again = model.generate_quantities(DATA, previous_fit=fit, seed=2)
    assert again.draws("y_rep").shape == (1, 1000, 8)
    assert np.array_equal(again["log_lik"], fit["log_lik"])


def test_names_for_compiling(server: leapfrog.Server, tmp_path: Path) -> None:
    path = tmp_path / "normal.stan"
    path.write_text("parameters { real x; } model { x ~ std_normal(); }")
    model = server.compile(stan_file=path, model_name="normal")
    assert model.name == "normal" and model.code == path.read_text()
    with pytest.raises(leapfrog.ArgumentError, match="^exe_file is not an argument of compile"):
        server.compile(path, exe_file="normal")


def test_names_that_were_typed(model: leapfrog.RemoteModel) -> None:
    for given, message in (
        ({"adapt_delta": 2}, "^adapt_delta must be less than 1$"),
        ({"warmup": -1}, "^warmup must be at least 0$"),
        ({"output_dir": "fits"}, "^output_dir is not an argument of sample: a fit is in memory"),
        ({"cores": 2}, "^cores cannot be passed to a server"),
        ({"mode": {}}, "^mode is not an argument of sample"),
    ):
        with pytest.raises(leapfrog.ArgumentError, match=message):
            model.sample(DATA, **given)
    fit = model.sample(DATA, num_chains=1, warmup=30, iter_sampling=20, init=0.5, seed=1)
    assert repr(fit) == f"<leapfrog.Fit of hmc_nuts_diag_e_adapt: 1 chains, 20 draws each, {fit.server_name}>"


def test_derived_quantities(server: leapfrog.Server) -> None:
    program = SCHOOLS[: SCHOOLS.index("generated quantities")]
    fit = server.compile(program).sample(DATA, seed=3, chains=2, iter_sampling=100)
    local = leapfrog.compile(program).sample(DATA, seed=3, chains=2, iter_sampling=100)
    assert np.array_equal(fit.loo().pointwise["elpd"], local.loo().pointwise["elpd"])
    assert np.array_equal(fit.predict(seed=1).draws("y_rep"), local.predict(seed=1).draws("y_rep"))


def test_evaluations_and_functions(server: leapfrog.Server, model: leapfrog.RemoteModel) -> None:
    point = np.linspace(-1, 1, 10)
    assert model.log_prob(point, DATA) == leapfrog.compile(SCHOOLS).log_prob(point, DATA)
    functions = server.compile(FUNCTIONS).functions
    assert functions.scaled([1, 2], 10.0).tolist() == [10, 20]
    assert np.isnan(functions.twice(float("nan")))
    with pytest.raises(leapfrog.StanError, match="x is -1") as refused:
        functions.positive(-1)
    assert refused.value.code == "rejection"
    assert pickle.loads(pickle.dumps(model)).server_name == model.server_name


def test_includes(server: leapfrog.Server, tmp_path) -> None:
    (tmp_path / "lib.stan").write_text("real x;")
    (tmp_path / "model.stan").write_text("parameters {\n#include lib.stan\n}\nmodel { x ~ std_normal(); }")
    fit = server.compile(tmp_path / "model.stan").sample(chains=2, iter_sampling=10, seed=1)
    assert fit["x"].shape == (2, 10)


def test_errors(server: leapfrog.Server, model: leapfrog.RemoteModel) -> None:
    with pytest.raises(leapfrog.StanProgramError) as caught:
        server.compile("parameters { real x }")
    assert (caught.value.line, caught.value.column, caught.value.reason) == (1, 21, "not_compiled")
    with pytest.raises(leapfrog.StanProgramError) as unknown:
        server.compile("parameters { real theta; } model { thetaa ~ normal(0, 1); }")
    [diagnostic] = unknown.value.diagnostics
    assert (diagnostic.code, diagnostic.suggestion) == ("unknown-name", "theta")
    with pytest.raises(leapfrog.ArgumentError, match="^chains must be at least 1$") as invalid:
        model.sample(DATA, chains=-1)
    assert invalid.value.reason == "invalid_request"
    with pytest.raises(leapfrog.StanError, match="sigma") as refused:
        model.sample({**DATA, "sigma": [-1.0] * 8})
    assert refused.value.reason == "refused"
    with pytest.raises(leapfrog.ArgumentError, match="same values for all chains"):
        model.sample(DATA, inits=[{"mu": 1.0}] * 4)
    local = leapfrog.compile(SCHOOLS).optimize(DATA, seed=1)
    with pytest.raises(leapfrog.ArgumentError, match="a fit of the same server"):
        model.laplace(DATA, mode=local)
    with pytest.raises(leapfrog.EngineError, match="did not answer"):
        leapfrog.connect("http://127.0.0.1:9")
    temporary = server.compile("parameters { real y; } model { y ~ normal(0, 3); }")
    temporary.delete()
    with pytest.raises(leapfrog.EngineError, match=temporary.server_name.split("/")[1]) as missing:
        temporary.sample()
    assert missing.value.reason == "model_not_found"
