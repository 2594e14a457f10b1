"""The installed package compiles, runs and evaluates with an empty PATH, in which neither Node nor make is found."""

from __future__ import annotations

import os
import pickle
import re
import signal
import threading
import warnings
from typing import Any

import numpy as np
import pytest

import leapfrog

SCHOOLS = """
data { int<lower=0> J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] eta; }
transformed parameters { vector[J] theta = mu + tau * eta; }
model { mu ~ normal(0, 5); tau ~ normal(0, 5); eta ~ std_normal(); y ~ normal(theta, sigma); }
generated quantities {
  array[J] real y_rep = normal_rng(theta, sigma);
  vector[J] log_lik;
  for (j in 1:J) log_lik[j] = normal_lpdf(y[j] | theta[j], sigma[j]);
}
"""
DATA = {
    "J": 8,
    "y": np.array([28, 8, -3, 7, -1, 1, 18, 12]),
    "sigma": [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0],
}
# Posterior means by 200,000 draws.
MEANS = {"mu": 4.46, "tau": 3.30}


@pytest.fixture(scope="module")
def model() -> leapfrog.Model:
    return leapfrog.compile(SCHOOLS)


@pytest.fixture(scope="module")
def fit(model: leapfrog.Model) -> leapfrog.Fit:
    return model.sample(DATA, chains=4, seed=1)


def test_no_other_node() -> None:
    assert os.environ.get("PATH", "") == ""


FUNCTIONS = """
functions {
  vector scaled(vector x, real a) { return a * x; }
  int twice(int n) { return 2 * n; }
  real twice(real x) { print("real"); return 2 * x; }
  real total(vector x) { return sum(x); }
  real total(row_vector x) { return -sum(x); }
  array[] int counts_rng(int n) { array[n] int k; for (i in 1:n) k[i] = poisson_rng(50); return k; }
  tuple(matrix, array[,] tuple(int, complex_vector)) parts(tuple(int, complex) x) {
    return ([[1, 2]], {{(x.1, [x.2, conj(x.2)]')}});
  }
  real positive(real x) { if (x <= 0) reject("x is ", x); return x; }
  real add_lp(real x) { target += x; return x; }
}
"""


def test_functions(capsys: pytest.CaptureFixture[str]) -> None:
    functions = leapfrog.compile(FUNCTIONS).functions
    assert functions.scaled(np.array([1.0, 2.0]), 10).tolist() == [10, 20]
    assert functions.scaled([], np.int64(1)).shape == (0,)
    assert functions.twice(2) == 4 and isinstance(functions.twice(2), int)
    assert capsys.readouterr().out == ""
    assert functions.twice(2.0) == 4 and isinstance(functions.twice(2.0), float)
    assert capsys.readouterr().out == "real\n" * 2
    assert np.isnan(functions.twice(float("nan")))
    assert functions.total([1, 2], signature=["row_vector"]) == -3
    drawn = functions.counts_rng(4, seed=3)
    assert drawn.dtype == np.int64 and np.array_equal(drawn, functions.counts_rng(4, seed=3))
    matrix, ((item,),) = functions.parts((3, 1 + 2j))
    assert matrix.shape == (1, 2)
    assert item[0] == 3 and item[1].tolist() == [1 + 2j, 1 - 2j]
    for call, message in (
        (lambda: functions.total([1]), "fit more than one function"),
        (lambda: functions.positive(-1), r"x is -1 \(in 'string', line 12"),
        (lambda: functions.scaled(1, 2), "x must be a vector, but is 1"),
        (lambda: functions.add_lp(1), "changes the log density"),
    ):
        with pytest.raises(leapfrog.StanError, match=message):
            call()


def test_plots(fit: leapfrog.Fit) -> None:
    for kind in ("intervals", "ridgelines", "parallel", "matrix"):
        assert len(fit.plot(kind).svg) == 1
    for kind in (
        "trace",
        "density",
        "distribution",
        "ranks",
        "ecdf",
        "autocorrelation",
        "sample_size",
        "local_sample_size",
    ):
        assert len(fit.plot(kind, ["mu"]).svg) == 1
    with pytest.raises(leapfrog.ArgumentError, match="kind is toString, but must be one of intervals, matrix"):
        fit.plot("toString")


def test_warm_start(model: leapfrog.Model, fit: leapfrog.Fit) -> None:
    again = model.sample(DATA, chains=4, seed=2, iter_warmup=0, iter_sampling=10, warm_start=fit)
    for mine, earlier in zip(again.chains, fit.chains):
        assert mine.step_size == earlier.step_size
        assert np.array_equal(mine.inv_metric, earlier.inv_metric)


def test_continue(model: leapfrog.Model, fit: leapfrog.Fit) -> None:
    first = model.sample(DATA, chains=4, seed=1, iter_sampling=900)
    rest = model.sample(DATA, iter_sampling=100, continue_from=first)
    assert np.array_equal(np.concatenate([first.draws(), rest.draws()], axis=1), fit.draws())


def test_until(model: leapfrog.Model, fit: leapfrog.Fit) -> None:
    until = {"ess_bulk": np.int64(500), "rhat": 1.05, "quantities": ["mu"], "max_iterations": 1000}
    short = model.sample(DATA, chains=4, seed=1, iter_sampling=50, until=until)
    assert short.stopped is not None and short.stopped["reason"] == "precise"
    count = short.stopped["iterations"]
    assert count % 50 == 0 and short.num_draws == count
    assert np.array_equal(short.draws(), fit.draws()[:, :count])
    assert fit.stopped is None
    with pytest.raises(leapfrog.ArgumentError, match="ess_bulk must be a number above 0"):
        model.sample(DATA, until={"ess_bulk": -1})


def test_draws(fit: leapfrog.Fit) -> None:
    assert fit.is_complete
    assert fit.variables == ("mu", "tau", "eta", "theta", "y_rep", "log_lik")
    assert fit.draws().shape == (4, 1000, len(fit.columns))
    assert fit.draws("theta").shape == (4, 1000, 8)
    assert fit.draws("theta[2]").shape == (4, 1000)
    assert np.array_equal(fit["theta"][..., 1], fit["theta.2"])
    assert np.allclose(fit["theta"], fit["mu"][..., None] + fit["tau"][..., None] * fit["eta"])
    assert fit.stan_variable("theta").shape == (4000, 8)
    for name, mean in MEANS.items():
        assert abs(fit[name].mean() - mean) < 0.5
    with pytest.raises(KeyError):
        fit.draws("beta")
    assert all(chain.inv_metric.shape == (10,) and chain.step_size > 0 for chain in fit.chains)


def test_same_seed_gives_the_same_draws(model: leapfrog.Model, fit: leapfrog.Fit) -> None:
    assert np.array_equal(model.sample(DATA, chains=4, seed=1).draws(), fit.draws())
    assert not np.array_equal(model.sample(DATA, chains=4, seed=2).draws(), fit.draws())


def test_statistics(fit: leapfrog.Fit) -> None:
    summary = fit.summary(["mu", "theta[2]"])
    assert summary.names == ("mu", "theta[2]")
    assert summary["mu"]["mean"] == pytest.approx(fit["mu"].mean(), rel=1e-12)
    assert summary["theta.2"]["sd"] == pytest.approx(fit["theta[2]"].std(ddof=1), rel=1e-12)
    assert summary["mu"]["rhat"] < 1.02
    assert "theta[2]" in str(summary)
    checks = {finding.check: finding for finding in fit.diagnose()}
    assert {"divergences", "treedepth", "energy", "rhat", "ess"} <= set(checks)
    loo = fit.loo()
    assert loo.pointwise["pareto_k"].shape == (8,)
    assert loo.elpd.estimate == pytest.approx(loo.pointwise["elpd"].sum())
    with pytest.raises(leapfrog.ArgumentError):
        fit.loo("likelihood")


def test_comparison(model: leapfrog.Model, fit: leapfrog.Fit) -> None:
    pooled = leapfrog.compile(SCHOOLS.replace("tau ~ normal(0, 5)", "tau ~ normal(0, 0.1)")).sample(DATA, seed=1)
    compared = leapfrog.compare({"hierarchical": fit, "pooled": pooled})
    assert {each.name for each in compared.models} == {"hierarchical", "pooled"}
    assert compared.models[0].difference == 0
    for weights in ([each.stacking for each in compared.models], [each.pseudo_bma_plus for each in compared.models]):
        assert sum(weights) == pytest.approx(1)
    own = leapfrog.compare({"hierarchical": fit, "pooled": pooled}, "log_lik")
    assert own.models[1].difference == compared.models[1].difference
    matched = leapfrog.compare({"hierarchical": fit, "pooled": pooled}, moment_match=True)
    assert {each.elpd for each in matched.models} == {
        each.loo(moment_match=True).elpd.estimate for each in (fit, pooled)
    }
    edited = model.sample({**DATA, "y": list(reversed(DATA["y"]))}, chains=2, iter_sampling=100, seed=1)
    with pytest.raises(leapfrog.ArgumentError, match="Number 1 of y is 28 in a, and 12 in b"):
        leapfrog.compare({"a": fit, "b": edited})
    with pytest.raises(leapfrog.ArgumentError, match="at least two fits"):
        leapfrog.compare({"a": fit})
    for wrong in (lambda: leapfrog.compare({"a": fit, "b": pooled}, seed=1), lambda: fit.loo(seed=1)):
        with pytest.raises(leapfrog.ArgumentError, match="require exact=True"):
            wrong()


def test_arguments_of_another_type_are_refused(model: leapfrog.Model) -> None:
    values: dict[str, Any] = {"until": 1.01, "continue_from": 1}
    for name, value in values.items():
        with pytest.raises(leapfrog.ArgumentError, match="must be a mapping|continue_from must be a fit"):
            model.sample(DATA, seed=1, **{name: value})


def test_derived_quantities(model: leapfrog.Model) -> None:
    plain = leapfrog.compile(SCHOOLS[: SCHOOLS.index("generated quantities")])
    fit = plain.sample(DATA, chains=2, seed=1)
    own = model.generate_quantities(DATA, previous_fit=fit)
    terms = fit.log_likelihood().draws("log_lik__y")
    np.testing.assert_allclose(terms, own.draws("log_lik"), rtol=1e-12)
    loo, expected = fit.loo(), own.loo()
    np.testing.assert_allclose(loo.pointwise["elpd"], expected.pointwise["elpd"], rtol=1e-12)
    assert leapfrog.compare({"derived": fit, "own": own}).models[1].difference == pytest.approx(0, abs=1e-10)
    replicated = fit.predict(seed=1).draws("y_rep")
    assert replicated.shape == (2, 1000, 8)
    np.testing.assert_allclose(replicated.mean((0, 1)), fit.draws("theta").mean((0, 1)), atol=2.5)
    np.testing.assert_array_equal(plain.predict(DATA, previous_fit=fit, seed=1).draws("y_rep"), replicated)


def test_ambiguous_observations() -> None:
    model = leapfrog.compile(
        "data { vector[2] y; } parameters { real a; } model { a ~ std_normal(); target += -sum(square(y - a)); }"
    )
    fit = model.sample({"y": [1.0, 2.0]}, chains=1, iter_warmup=20, iter_sampling=20, seed=1)
    with pytest.raises(leapfrog.StanProgramError, match="an expression of data to the target that is not a density"):
        fit.loo()


def test_draws_of_an_earlier_fit_are_the_second_argument(model: leapfrog.Model, fit: leapfrog.Fit) -> None:
    for method in (model.generate_quantities, model.predict):
        np.testing.assert_array_equal(method(DATA, fit, seed=3).draws(), method(DATA, previous_fit=fit, seed=3).draws())
        with pytest.raises(leapfrog.ArgumentError, match="previous_fit is required"):
            method(DATA)
        with pytest.raises(leapfrog.ArgumentError, match=r"pass \(data, previous_fit\)"):
            method(fit, DATA)


def test_other_methods(model: leapfrog.Model, fit: leapfrog.Fit) -> None:
    mode = model.optimize(DATA, seed=1, jacobian=True)
    assert mode.draws("theta").shape == (1, 1, 8)
    assert model.laplace(DATA, mode=mode, draws=100, seed=1).draws("theta").shape == (1, 100, 8)
    assert model.pathfinder(DATA, seed=1).draws("theta").shape == (1, 1000, 8)
    assert model.pathfinder(DATA, seed=1, num_paths=1, draws=50).num_draws == 50
    normal = model.variational(DATA, seed=1, draws=200)
    assert normal.num_draws == 200
    assert normal.chains[0].warmup.shape[0] == 1
    assert normal.draws("mu", inc_warmup=True).shape == (1, 201)
    again = model.generate_quantities(DATA, fit, seed=2)
    # Parameters of draws are unconstrained and constrained again, which rounds.
    assert np.allclose(again["log_lik"], fit["log_lik"], rtol=1e-12)
    some = [{"mu": 1, "tau": 2, "eta": np.zeros(8)}, {"mu": 3, "tau": 1, "eta": np.ones(8)}]
    found = model.generate_quantities(DATA, previous_fit=some, seed=1)["log_lik"][0, :, 0]
    by_hand = [-0.5 * ((28 - theta) / 15) ** 2 - np.log(15) - 0.5 * np.log(2 * np.pi) for theta in (1, 4)]
    assert np.allclose(found, by_hand, rtol=1e-12)


def test_initial_values(model: leapfrog.Model) -> None:
    inits = [{"mu": chain, "tau": 1, "eta": np.zeros(8)} for chain in (1, 2)]
    fit = model.sample(DATA, chains=2, iter_warmup=10, iter_sampling=10, inits=inits, seed=1)
    assert [chain.initial[0] for chain in fit.chains] == [1, 2]
    near = model.sample(DATA, chains=1, iter_warmup=10, iter_sampling=10, inits=0.01, seed=1)
    assert np.abs(near.chains[0].initial).max() <= 0.01
    named = model.sample(
        DATA, chains=np.int64(2), init=inits, num_warmup=10, num_samples=np.int32(10), seed=np.uint32(1)
    )
    assert np.array_equal(named.draws(), fit.draws())
    later = model.sample(DATA, chains=2, iter_warmup=10, iter_sampling=10, inits=fit, seed=1, metric="dense_e")
    assert later.chains[0].inv_metric.shape == (10, 10)
    same = model.sample(
        DATA,
        chains=1,
        iter_warmup=0,
        iter_sampling=10,
        metric="dense_e",
        adapt_engaged=False,
        step_size=0.1,
        inv_metric=later.chains[0].inv_metric,
        save=["mu"],
        seed=1,
    )
    assert same.variables == ("mu",)


def test_densities(model: leapfrog.Model) -> None:
    posterior = model.on(DATA)
    point = np.linspace(-1, 1, 10)
    value, gradient = posterior.log_prob_grad(point)

    def density(u: np.ndarray) -> float:
        """The program's log density, written in Python."""
        mu, tau, eta = u[0], np.exp(u[1]), u[2:]
        theta = mu + tau * eta
        y, sigma = DATA["y"], np.array(DATA["sigma"])
        normal = lambda x, m, s: -0.5 * ((x - m) / s) ** 2 - np.log(s) - 0.5 * np.log(2 * np.pi)  # noqa: E731
        terms = normal(mu, 0, 5) + normal(tau, 0, 5) + normal(eta, 0, 1).sum() + normal(y, theta, sigma).sum()
        return float(terms + u[1])

    assert value == pytest.approx(density(point), rel=1e-13)
    assert posterior.log_prob(point) == value
    step = 1e-5
    differences = [(density(point + step * e) - density(point - step * e)) / (2 * step) for e in np.eye(10)]
    assert np.allclose(gradient, differences, atol=1e-6)
    assert posterior.log_prob(point, jacobian=False) == pytest.approx(value - point[1], rel=1e-13)
    many = np.stack([point, 2 * point, -point])
    values, gradients = posterior.log_prob_grad(many)
    assert values[0] == value and np.array_equal(gradients[0], gradient)
    assert np.array_equal(posterior.log_prob(many), values)
    hessian = posterior.hessian(point)
    columns = [
        (posterior.log_prob_grad(point + step * e)[1] - posterior.log_prob_grad(point - step * e)[1]) / (2 * step)
        for e in np.eye(10)
    ]
    assert np.allclose(hessian, columns, atol=1e-6)
    with pytest.raises(leapfrog.ArgumentError, match="memory must be at least 1 MiB for the Hessian"):
        posterior.hessian(point, memory=0)
    values = posterior.constrain(point, transformed_parameters=True)
    assert values["tau"] == pytest.approx(np.exp(point[1]))
    assert np.allclose(values["theta"], point[0] + np.exp(point[1]) * point[2:])
    assert np.allclose(posterior.unconstrain({name: values[name] for name in ("mu", "tau", "eta")}), point)
    assert model.log_prob(point, DATA) == value
    with pytest.raises(ValueError):
        posterior.log_prob([1, 2])


def test_rejections() -> None:
    model = leapfrog.compile('parameters { real x; } model { if (x > 1) reject("x is ", x); target += x; }')
    posterior = model.on()
    assert posterior.log_prob_grad([0.5])[0] == 0.5
    with pytest.raises(leapfrog.StanError, match="x is 2"):
        posterior.log_prob_grad([2.0])
    assert posterior.log_prob([0.25]) == 0.25


def test_values_of_all_types() -> None:
    model = leapfrog.compile("""
    data {
      int n; array[2] int k; matrix[2, 3] m; array[2] vector[3] v; complex z; array[0] real none;
      tuple(int, vector[2]) t; real big;
    }
    generated quantities {
      int n_ = n; array[2] int k_ = k; matrix[2, 3] m_ = m; array[2] vector[3] v_ = v; complex z_ = z;
      tuple(int, vector[2]) t_ = t; array[2] tuple(real, complex) u = {(1, to_complex(2, 3)), (4, to_complex(5, 6))};
      real big_ = big; real nan = not_a_number();
    }
    """)
    m = np.arange(6.0).reshape(2, 3)
    data = {
        "n": True,
        "k": [3, 4],
        "m": np.asfortranarray(m),
        "v": m.tolist(),
        "z": 1 - 2j,
        "none": [],
        "t": (5, [6.5, 7.5]),
        "big": float("inf"),
    }
    fit = model.sample(data, algorithm="fixed_param", chains=1, iter_sampling=1)
    draw = {name: fit.draws(name) for name in fit.variables}
    assert draw["n_"][0, 0] == 1 and draw["big_"][0, 0] == np.inf and np.isnan(draw["nan"][0, 0])
    assert np.array_equal(draw["k_"][0, 0], [3, 4])
    assert np.array_equal(draw["m_"][0, 0], m) and np.array_equal(draw["v_"][0, 0], m)
    assert draw["z_"][0, 0] == 1 - 2j
    assert draw["t_"][0][0, 0] == 5 and np.array_equal(draw["t_"][1][0, 0], [6.5, 7.5])
    assert np.array_equal(draw["u"][1][0, 0], [2 + 3j, 5 + 6j])
    with pytest.raises(leapfrog.StanError):
        model.sample({**data, "n": 1.5}, algorithm="fixed_param", chains=1)
    with pytest.raises(leapfrog.StanError):
        model.sample({**data, "k": [1, 2**40]}, algorithm="fixed_param", chains=1)


def test_errors(model: leapfrog.Model, tmp_path: os.PathLike[str]) -> None:
    with pytest.raises(leapfrog.StanProgramError) as caught:
        leapfrog.compile("parameters { real x }")
    assert (caught.value.line, caught.value.column) == (1, 21)
    assert 'Expected ";"' in str(caught.value) and isinstance(caught.value, leapfrog.StanError)
    with pytest.raises(leapfrog.StanProgramError) as unknown:
        leapfrog.compile("parameters { real theta; } model { thetaa ~ normal(0, 1); }")
    [diagnostic] = unknown.value.diagnostics
    assert (diagnostic.code, diagnostic.suggestion) == ("unknown-name", "theta")
    with pytest.raises(leapfrog.StanError, match="sigma"):
        model.sample({**DATA, "sigma": [-1.0] * 8})
    with pytest.raises(leapfrog.ArgumentError, match="^iter_sampling must be at least 0$"):
        model.sample(DATA, iter_sampling=-1)
    with pytest.raises(leapfrog.ArgumentError, match="nonsense is not an argument"):
        model.sample(DATA, nonsense=1)


def test_files(tmp_path) -> None:
    (tmp_path / "part.stan").write_text("real x;")
    (tmp_path / "whole.stan").write_text("parameters {\n#include part.stan\n}\nmodel { x ~ std_normal(); }")
    (tmp_path / "data.json").write_text("{}")
    model = leapfrog.compile(tmp_path / "whole.stan")
    assert model.sample(str(tmp_path / "data.json"), chains=1, iter_sampling=10).variables == ("x",)
    assert leapfrog.format("parameters{real x;}") == "parameters {\n  real x;\n}\n"


def test_pickles(model: leapfrog.Model) -> None:
    again = pickle.loads(pickle.dumps(model))
    assert again.sample(DATA, chains=1, iter_sampling=10, seed=1).num_draws == 10
    posterior = pickle.loads(pickle.dumps(model.on(DATA)))
    assert posterior.log_prob(np.zeros(10)) == model.log_prob(np.zeros(10), DATA)


def test_another_engine(model: leapfrog.Model, fit: leapfrog.Fit) -> None:
    leapfrog.close()
    # The next process may get the numbers of its descriptors.
    assert not [thread for thread in threading.enumerate() if thread.name == "leapfrog-engine"]
    assert fit["mu"].shape == (4, 1000)
    assert set(MEANS) < set(fit.summary())
    assert model.sample(DATA, chains=1, iter_sampling=10, seed=1).num_draws == 10


def test_progress(model: leapfrog.Model) -> None:
    class Recording(leapfrog._progress.Progress):
        def __init__(self) -> None:
            self.notes: list[str] = []

        def note(self, outlook):
            self.notes.append(outlook)

    shown = Recording()
    original = leapfrog.model.progress
    leapfrog.model.progress = lambda *_: shown
    try:
        model.sample(DATA, chains=2, iter_sampling=1000, seed=1)
    finally:
        leapfrog.model.progress = original
    assert any(re.match(r"R-hat \d\.\d\d \(.+\), ESS \d+ \(.+\), \d+ divergent", note) for note in shown.notes), (
        shown.notes
    )


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupts_keep_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    model = leapfrog.compile("parameters { real x; } model { x ~ std_normal(); }")

    class Interrupting(leapfrog._progress.Progress):
        """Interrupts once both chains have drawn."""

        def __init__(self) -> None:
            self.drawing: set[int] = set()
            self.sent = False

        def update(self, chain, state):
            if state["draws"] > 0:
                self.drawing.add(chain)
            if len(self.drawing) == 2 and not self.sent:
                self.sent = True
                os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(leapfrog.model, "progress", lambda *_: Interrupting())
    with pytest.raises(KeyboardInterrupt, match="the draws so far") as raised:
        model.sample(chains=2, iter_warmup=100, iter_sampling=1_000_000_000, refresh=1000, seed=1)
    monkeypatch.undo()
    assert isinstance(raised.value, leapfrog.Interrupted)
    fit = raised.value.fit
    assert not fit.is_complete and fit.num_draws > 0
    assert fit.summary(["x"])["x"]["sd"] > 0
    rest = model.sample(chains=2, iter_sampling=50, continue_from=fit)
    for chain, further in zip(fit.chains, rest.chains):
        draws = np.concatenate([chain.draws, further.draws])
        whole = model.sample(chains=2, iter_warmup=100, iter_sampling=len(draws), seed=1)
        assert np.array_equal(draws, whole.chains[chain.id - 1].draws)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_in_warmup_ends_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    model = leapfrog.compile("parameters { real x; } model { x ~ std_normal(); }")

    class Interrupting(leapfrog._progress.Progress):
        sent = False

        def update(self, chain, state):
            if not self.sent:
                self.sent = True
                os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(leapfrog.model, "progress", lambda *_: Interrupting())
    with pytest.raises(leapfrog.Interrupted) as raised:
        model.sample(chains=4, iter_warmup=1_000_000_000, refresh=1000, seed=1)
    assert raised.value.fit.num_draws == 0 and not raised.value.fit.is_complete


def test_the_version_is_that_of_the_wheel() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", leapfrog.__version__)


def test_unusable_values_name_their_variable(model: leapfrog.Model) -> None:
    def problem(y: Any) -> str:
        with pytest.raises(leapfrog.ArgumentError) as raised:
            model.sample({**DATA, "y": y})
        return str(raised.value)

    missing = "Stan has no missing values: leave them out, or declare them as parameters."
    assert problem(None) == f"y is None or contains None. {missing}"
    assert problem([28, None, -3]) == f"y is None or contains None. {missing}"
    assert problem(np.ma.masked_greater(np.arange(8.0), 5)) == f"y has masked elements. {missing}"
    assert problem(([1.0, 2.0], None)) == f"y.2 is None or contains None. {missing}"
    assert problem(object()).startswith("y is or contains a value of the type object; values are numbers, ")
    assert problem(np.array(["2020-01-01"], "datetime64[D]")).startswith("y has elements of the type datetime64[D]")
    with pytest.raises(leapfrog.ArgumentError, match="y is None"):
        leapfrog._values.json_data({"y": None})
    with pytest.raises(leapfrog.StanError, match="non-int values.*name=J") as refused:
        model.sample({**DATA, "J": float("nan")})
    assert (refused.value.code, refused.value.variable, refused.value.line) == ("not-integer", "J", 2)
    kept = pickle.loads(pickle.dumps(refused.value))
    assert (str(kept), kept.detail) == (str(refused.value), refused.value.detail)
    masked = np.ma.masked_greater(DATA["y"], 100)
    seen = model.sample({**DATA, "y": masked}, iter_sampling=10, seed=1)
    assert np.array_equal(seen.draws(), model.sample(DATA, iter_sampling=10, seed=1).draws())


def test_misspelled_initial_values_are_reported(model: leapfrog.Model, fit: leapfrog.Fit) -> None:
    with pytest.warns(UserWarning) as warned:
        model.sample(DATA, inits={"mu": 1.0, "tua": 2.0}, iter_sampling=10, seed=1)
    text = 'Initial values: the program has no parameter "tua", so its value is ignored. Did you mean "tau"?'
    assert [str(each.message) for each in warned] == [text]
    assert warned[0].filename == __file__
    # A draw, with its other columns.
    draw = {"mu": 1.0, "tau": 2.0, "theta": np.zeros(8), "lp__": -1.0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.sample(DATA, inits=draw, iter_sampling=10, seed=1)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupts_stop_calls_without_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    # With is_endless, nothing ends by itself.
    model = leapfrog.compile("""
        data { int is_endless; int N; vector[N] y; }
        transformed data { while (is_endless) print(""); }
        parameters { real mu; }
        model { mu ~ normal(0, 2); y ~ normal(mu, 1); }
    """)
    data = {"is_endless": 0, "N": 5, "y": [0.3, -1.2, 2.5, 0.7, 9.0]}
    endless = {**data, "is_endless": 1}
    fit = model.sample(data, seed=1)
    wait = leapfrog._process.Engine._wait
    waits = []

    def interrupted(answers):
        waits.append(answers)
        if len(waits) == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return wait(answers)

    calls = [
        lambda: model.sample(endless),
        lambda: model.prior(endless),
        lambda: model.sbc(endless),
        lambda: model.kfold(endless),
        lambda: model.optimize(endless),
        lambda: model.laplace(endless),
        lambda: model.generate_quantities(endless, previous_fit=fit),
        lambda: model.log_likelihood(endless, previous_fit=fit),
        lambda: model.predict(endless, previous_fit=fit),
        lambda: model.profile(endless),
        lambda: fit.loo(exact=True, iter_sampling=1_000_000_000),
    ]
    for call in calls:
        waits.clear()
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(leapfrog._process.Engine, "_wait", staticmethod(interrupted))
            call()
        assert waits
    assert np.array_equal(model.sample(data, seed=1).draws(), fit.draws())


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_during_simulations_raises(model: leapfrog.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupting(leapfrog._progress.Progress):
        """Interrupts once a simulation has been fitted."""

        sent = False

        def update(self, chain, state):
            if not self.sent and state.get("iteration"):
                self.sent = True
                os.kill(os.getpid(), signal.SIGINT)

    shown = Interrupting()
    monkeypatch.setattr(leapfrog.model, "progress", lambda *_: shown)
    with pytest.raises(KeyboardInterrupt):
        model.sbc(DATA, simulations=10_000, seed=1)
    assert shown.sent


def test_threads_share_the_engine(model: leapfrog.Model) -> None:
    alone = [model.sample(DATA, chains=1, iter_sampling=50, seed=seed)["mu"] for seed in range(3)]
    found = {}

    def run(seed: int) -> None:
        found[seed] = model.sample(DATA, chains=1, iter_sampling=50, seed=seed)["mu"]

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(found[seed], alone[seed]) for seed in range(3))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks of POSIX")
def test_forks_have_processes_of_their_own(model: leapfrog.Model) -> None:
    posterior = model.on(DATA)
    point = np.zeros(10)
    value = posterior.log_prob(point)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            is_same = posterior.log_prob(point) == value
            drawn = model.sample(DATA, chains=1, iter_sampling=10, seed=1).num_draws
            posterior.close()
            status = 0 if is_same and drawn == 10 else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    process = posterior._process
    assert posterior.log_prob(point) == value and posterior._process is process


def test_threads_do_not_change_the_log_density() -> None:
    rows = np.arange(8000)
    data = {"N": 8000, "x": np.sin(3 * rows), "y": np.cos(rows * rows % 1000)}
    model = leapfrog.compile(
        "data { int N; vector[N] x; vector[N] y; } parameters { real a; real b; }\n"
        "model { y ~ student_t(4, a + b * x, 1); x ~ student_t(5, a - b * y, 1); y ~ student_t(6, b * x, 1); }"
    )
    point = np.array([0.3, -0.2])
    whole = model.on(data).log_prob_grad(point)
    one, two, three = [model.on(data, threads=threads).log_prob_grad(point) for threads in (1, 2, 3)]
    for value, gradient in (two, three):
        assert value == one[0] and np.array_equal(gradient, one[1])
    # The order of the sum shows that the density was in slices.
    assert one[0] != whole[0] or not np.array_equal(one[1], whole[1])
    assert np.allclose(one[1], whole[1], rtol=1e-10)
    with pytest.raises(leapfrog.ArgumentError, match="threads"):
        model.on(data, threads=0)
    copied = pickle.loads(pickle.dumps(model.on(data, threads=2)))
    assert copied.log_prob(point, propto=False) == one[0]


def test_an_ended_evaluator_is_started_again(model: leapfrog.Model) -> None:
    posterior = model.on(DATA)
    value = posterior.log_prob(np.zeros(10))
    posterior._process._process.kill()
    with pytest.raises(leapfrog.EngineError):
        posterior.log_prob(np.zeros(10))
    assert posterior.log_prob(np.zeros(10)) == value
