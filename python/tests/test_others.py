"""The package with ArviZ, CmdStanPy, nutpie, pandas and polars."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import numpy as np
import pytest
from test_package import DATA, MEANS, SCHOOLS

import leapfrog


@pytest.fixture(scope="module")
def model() -> leapfrog.Model:
    return leapfrog.compile(SCHOOLS)


@pytest.fixture(scope="module")
def fit(model: leapfrog.Model) -> leapfrog.Fit:
    return model.sample(DATA, chains=4, seed=1, adapt_delta=0.9)


def test_arviz(fit: leapfrog.Fit) -> None:
    arviz = pytest.importorskip("arviz")
    data = fit.to_arviz(posterior_predictive=["y_rep"], observed_data={"y": DATA["y"]})
    assert set(data.posterior.data_vars) == {"mu", "tau", "eta", "theta"}
    assert data.posterior["theta"].shape == (4, 1000, 8)
    assert data.posterior_predictive["y_rep"].shape == (4, 1000, 8)
    assert data.sample_stats["diverging"].dtype == bool
    theirs = arviz.summary(data, var_names=["mu", "theta"], round_to="none")
    ours = fit.summary(["mu", "theta"])
    for theirs_name, ours_name in (("mu", "mu"), ("theta[0]", "theta[1]")):
        row = ours[ours_name]
        assert row["mean"] == pytest.approx(theirs.loc[theirs_name, "mean"])
        assert row["sd"] == pytest.approx(theirs.loc[theirs_name, "sd"])
        assert row["rhat"] == pytest.approx(theirs.loc[theirs_name, "r_hat"], rel=1e-6)
        assert row["ess_bulk"] == pytest.approx(theirs.loc[theirs_name, "ess_bulk"], rel=1e-6)
    assert data["observed_data"]["y"].values.tolist() == list(DATA["y"])
    loo = arviz.loo(data)
    # ArviZ 0 names the estimate elpd_loo, ArviZ 1 elpd.
    assert fit.loo().elpd.estimate == pytest.approx(loo.elpd if hasattr(loo, "elpd") else loo.elpd_loo, rel=0.01)


def test_arviz_takes_names_of_dimensions(fit: leapfrog.Fit) -> None:
    pytest.importorskip("arviz")
    schools = list("ABCDEFGH")
    data = fit.to_arviz(coords={"school": schools}, dims={"theta": ["school"]})
    assert data.posterior["theta"].dims == ("chain", "draw", "school")
    assert data.posterior["school"].values.tolist() == schools


def test_arviz_files(fit: leapfrog.Fit, tmp_path: Path) -> None:
    arviz = pytest.importorskip("arviz")
    path = tmp_path / "schools.nc"
    fit.save(path)
    theirs = arviz.from_netcdf(path)
    assert (theirs.posterior["theta"].values == fit.draws("theta")).all()
    again = leapfrog.load(path)
    assert (again.draws("theta") == fit.draws("theta")).all()
    assert again.method_variables()["divergent__"].sum() == fit.method_variables()["divergent__"].sum()
    assert again.loo().elpd.estimate == pytest.approx(fit.loo().elpd.estimate)


def test_data_frames(fit: leapfrog.Fit) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    frame = fit.to_pandas()
    assert frame.shape == (4000, 2 + len(fit.columns))
    assert np.array_equal(frame["theta[2]"], fit.draws("theta[2]").reshape(-1))
    assert frame["chain__"].tolist() == np.repeat([1, 2, 3, 4], 1000).tolist()
    assert fit.to_polars()["theta[2]"].to_list() == frame["theta[2]"].tolist()
    assert fit.summary(["mu"]).to_pandas().loc["mu", "mean"] == pytest.approx(fit["mu"].mean())


def test_cmdstanpy(tmp_path, monkeypatch) -> None:
    cmdstanpy = pytest.importorskip("cmdstanpy")
    logging.getLogger("cmdstanpy").setLevel(logging.ERROR)
    monkeypatch.setitem(os.environ, "MAKE", os.environ.get("MAKE", ""))
    monkeypatch.delitem(os.environ, "MAKE")
    cmdstanpy.set_cmdstan_path(leapfrog.cmdstan_path())
    (tmp_path / "schools.stan").write_text(SCHOOLS)
    data = {name: np.asarray(value).tolist() for name, value in DATA.items()}
    fit = cmdstanpy.CmdStanModel(stan_file=tmp_path / "schools.stan").sample(data, seed=1, show_progress=False)
    for name, mean in MEANS.items():
        assert abs(fit.stan_variable(name).mean() - mean) < 0.5


def test_nutpie(model: leapfrog.Model) -> None:
    nutpie = pytest.importorskip("nutpie")
    trace = nutpie.sample(leapfrog.for_nutpie(model, DATA), draws=1000, tune=500, chains=2, seed=1, progress_bar=False)
    assert trace.posterior["theta"].shape == (2, 1000, 8)
    for name, mean in MEANS.items():
        assert abs(float(trace.posterior[name].mean()) - mean) < 0.5
    theta = trace.posterior["mu"] + trace.posterior["tau"] * trace.posterior["eta"].values.transpose(2, 0, 1)[0]
    assert np.allclose(theta, trace.posterior["theta"].values[..., 0])


def test_nutpie_goes_on_after_rejections() -> None:
    nutpie = pytest.importorskip("nutpie")
    model = leapfrog.compile('parameters { real x; } model { if (x > 2) reject("x is ", x); x ~ std_normal(); }')
    trace = nutpie.sample(leapfrog.for_nutpie(model), draws=200, tune=200, chains=1, seed=1, progress_bar=False)
    assert float(trace.posterior["x"].max()) <= 2
