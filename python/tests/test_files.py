"""Fits can be pickled, copied, saved and loaded, and work afterwards in any process."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from test_package import DATA, SCHOOLS

import leapfrog


@pytest.fixture(scope="module")
def fit() -> leapfrog.Fit:
    model = leapfrog.compile(SCHOOLS)
    return model.sample(DATA, chains=2, iter_warmup=300, iter_sampling=200, save_warmup=True, diagnostics=True, seed=1)


def saved(fit: leapfrog.Fit, folder: Path) -> leapfrog.Fit:
    fit.save(folder / "fit.arrow")
    return leapfrog.load(folder / "fit.arrow")


COPIES: dict[str, Callable[[leapfrog.Fit, Path], leapfrog.Fit]] = {
    "pickle": lambda fit, folder: pickle.loads(pickle.dumps(fit)),
    "copy": lambda fit, folder: copy.copy(fit),
    "deepcopy": lambda fit, folder: copy.deepcopy(fit),
    "save": saved,
    "save a loaded fit": lambda fit, folder: saved(saved(fit, folder), folder),
}


@pytest.mark.parametrize("way", COPIES)
def test_copies(way: str, fit: leapfrog.Fit, tmp_path: Path) -> None:
    again = COPIES[way](fit, tmp_path)
    leapfrog.close()
    for name in ("arguments", "columns", "diagnostic_columns", "function", "is_complete", "seed", "stopped"):
        assert getattr(again, name) == getattr(fit, name), name
    for chain, other in zip(fit.chains, again.chains):
        assert chain.id == other.id and chain.step_size == other.step_size
        for name in ("warmup", "draws", "diagnostics", "initial", "inv_metric"):
            np.testing.assert_array_equal(getattr(chain, name), getattr(other, name), name)
    assert str(again.summary()) == str(fit.summary())
    assert [each.message for each in again.diagnose()] == [each.message for each in fit.diagnose()]
    assert again.csv(2) == fit.csv(2)
    assert str(again.loo()) == str(fit.loo())
    assert str(again.loo(moment_match=True)) == str(fit.loo(moment_match=True))
    assert leapfrog.compare({"a": again, "b": fit}).models[1].difference == 0
    np.testing.assert_array_equal(again.predict(seed=2)["y_rep"], fit.predict(seed=2)["y_rep"])


@pytest.mark.parametrize("way", ["pickle", "save"])
def test_starts(way: str, fit: leapfrog.Fit, tmp_path: Path) -> None:
    again = COPIES[way](fit, tmp_path)
    model, data = again.model, again.data
    assert model is not None and data is not None
    point = np.linspace(-1, 1, 10)
    assert model.log_prob(point, data) == fit.model.log_prob(point, DATA)
    options: dict[str, Any] = {"chains": 2, "iter_warmup": 20, "iter_sampling": 20}
    for name, more in (("warm_start", {"seed": 3}), ("inits", {"seed": 3}), ("continue_from", {})):
        taken = {**options, **more} if more else {"chains": 2, "iter_sampling": 20}
        found = model.sample(data, **{name: again}, **taken)
        expected = fit.model.sample(DATA, **{name: fit}, **taken)
        np.testing.assert_array_equal(found.draws(), expected.draws(), name)
    np.testing.assert_array_equal(
        model.generate_quantities(data, again, seed=4).draws(), fit.model.generate_quantities(DATA, fit, seed=4).draws()
    )


def test_other_results(tmp_path: Path) -> None:
    model = leapfrog.compile(
        "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 1); y ~ normal(mu, 1); }"
    )
    data = {"N": 3, "y": [0.5, 1.0, -np.inf]}
    ordinary = {"N": 3, "y": [0.5, 1.0, 1.5]}
    short: dict[str, Any] = {"iter_warmup": 50, "iter_sampling": 50, "seed": 1}
    calibration = pickle.loads(pickle.dumps(model.sbc(ordinary, simulations=20, **short)))
    folds = copy.deepcopy(model.kfold(ordinary, folds=3, chains=1, **short))
    mode = saved(model.optimize(ordinary, seed=1), tmp_path)
    stopped = saved(model.sample(ordinary, until={"ess_bulk": 100}, iter_sampling=100, seed=1), tmp_path)
    leapfrog.close()
    assert len(calibration.plot().svg) == 1 and "elpd_kfold" in repr(folds)
    assert mode.num_draws == 1 and mode["mu"].shape == (1, 1)
    assert stopped.stopped is not None and stopped.stopped["reason"] == "precise"
    assert model.laplace(ordinary, mode=mode, draws=10, seed=1).num_draws == 10
    # Data keep values that JSON cannot represent.
    prior = saved(model.prior(data, chains=1, **short), tmp_path)
    assert prior.model is not None and prior.model.on(prior.data).log_prob([0.0]) == -np.inf


def test_another_process(fit: leapfrog.Fit, tmp_path: Path) -> None:
    fit.save(tmp_path / "fit.arrow")
    code = (
        "import leapfrog, sys; fit = leapfrog.load(sys.argv[1]); print(fit.loo(), fit.predict(seed=1)['y_rep'].sum())"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "fit.arrow")], check=True, capture_output=True, text=True
    )
    assert printed.stdout == f"{fit.loo()} {fit.predict(seed=1)['y_rep'].sum()}\n"


def largest(fit: leapfrog.Fit) -> tuple[float, leapfrog.Fit]:
    """Runs in a process of a pool."""
    return float(max(fit.summary().columns["mean"])), fit.predict(seed=1)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_multiprocessing(method: str, fit: leapfrog.Fit) -> None:
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map(largest, [fit, fit])
    mean, predictions = largest(fit)
    for other, replicated in found:
        assert other == mean
        np.testing.assert_array_equal(replicated.draws(), predictions.draws())
        assert str(replicated.summary(["y_rep"])) == str(predictions.summary(["y_rep"]))


def test_csv(fit: leapfrog.Fit, tmp_path: Path) -> None:
    paths = fit.to_csv(tmp_path / "draws", basename="schools")
    assert [Path(path).name for path in paths] == ["schools_1.csv", "schools_2.csv"]
    (tmp_path / "draws" / "schools_profile.csv").write_text("name,thread_id\n")
    for files in (paths, tmp_path / "draws"):
        again = leapfrog.from_csv(files, model=fit.model, data=DATA)
        leapfrog.close()
        np.testing.assert_array_equal(again.draws(inc_warmup=True), fit.draws(inc_warmup=True))
        assert again.function == fit.function and again.seed == fit.seed
        assert again.chains[1].step_size == pytest.approx(fit.chains[1].step_size, rel=1e-5)
        assert str(again.summary()) == str(fit.summary()) and str(again.loo()) == str(fit.loo())
        # The files have no unconstrained positions, which are rounded.
        np.testing.assert_allclose(again.predict(seed=2)["y_rep"], fit.predict(seed=2)["y_rep"], rtol=1e-10)
    unknown = leapfrog.from_csv(paths[0])
    assert unknown.model is None and len(unknown.chains) == 1
    with pytest.raises(leapfrog.ArgumentError, match="model of this fit is not known"):
        unknown.predict()
    with pytest.warns(UserWarning, match="contain the same chain"):
        leapfrog.from_csv([paths[0], paths[0]])


def test_wrong_files(fit: leapfrog.Fit, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.csv").write_text("a,b\n1,x\n")
    fit.save(tmp_path / "fit.arrow")
    (tmp_path / "cut.arrow").write_bytes((tmp_path / "fit.arrow").read_bytes()[:3000])
    for call, message in (
        (lambda: leapfrog.load(tmp_path / "none.arrow"), "none.arrow cannot be read: no such file"),
        (lambda: leapfrog.load(tmp_path / "text.csv"), "is not a saved fit"),
        (lambda: leapfrog.load(tmp_path / "cut.arrow"), "cut.arrow cannot be read as draws"),
        (lambda: leapfrog.from_csv(tmp_path / "empty"), "contains no CSV files with draws"),
        (lambda: leapfrog.from_csv(tmp_path / "text.csv"), 'line 2 has "x" for b'),
        (lambda: fit.save(tmp_path / "none" / "fit.arrow"), "fit.arrow cannot be written: no such file"),
    ):
        with pytest.raises(leapfrog.ArgumentError, match=message):
            call()
    assert not list(tmp_path.glob("*.unfinished"))
