"""PyStan 3 in this process: no compiler and no server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

stan = pytest.importorskip("stan")

from test_package import DATA, MEANS, SCHOOLS  # noqa: E402

import leapfrog  # noqa: E402
import leapfrog.pystan  # noqa: E402


@pytest.fixture(scope="module")
def posterior():
    return stan.build(SCHOOLS, data=DATA, random_seed=1)


def test_sampling(posterior) -> None:
    assert posterior.param_names == ("mu", "tau", "eta", "theta", "y_rep", "log_lik")
    fit = posterior.sample(num_chains=4, num_samples=1000)
    assert fit["theta"].shape == (8, 4000)
    for name, mean in MEANS.items():
        assert abs(fit[name].mean() - mean) < 0.5
    assert np.allclose(fit["theta"], fit["mu"] + fit["tau"] * fit["eta"])
    again = stan.build(SCHOOLS, data=DATA, random_seed=1).sample(num_chains=4, num_samples=1000)
    assert np.array_equal(again["mu"], fit["mu"])
    ours = leapfrog.compile(SCHOOLS).sample(DATA, seed=1)
    assert np.array_equal(np.sort(fit["mu"].ravel()), np.sort(ours["mu"].ravel()))
    init = [{"mu": 1.0}, {"mu": 2.0}]
    kept = posterior.sample(num_chains=2, num_samples=10, num_warmup=20, save_warmup=True, num_thin=2, init=init)
    assert kept["mu"].shape == (1, 30)


def test_fixed_param() -> None:
    model = stan.build("generated quantities { real x = normal_rng(0, 1); }", random_seed=1)
    assert model.fixed_param(num_chains=1, num_samples=100)["x"].std() > 0.5


def test_evaluations(posterior) -> None:
    point = np.linspace(-1, 1, 10).tolist()
    ours = leapfrog.compile(SCHOOLS).on(DATA)
    assert posterior.log_prob(point) == ours.log_prob(point)
    assert posterior.log_prob(point, adjust_transform=False) == ours.log_prob(point, jacobian=False)
    assert np.array_equal(posterior.grad_log_prob(point), ours.log_prob_grad(point)[1])
    constrained = posterior.constrain_pars(point, include_gqs=False)
    assert np.array_equal(constrained, ours.constrain_array(point, transformed_parameters=True))
    values = {"mu": constrained[0], "tau": constrained[1], "eta": constrained[2:10]}
    assert np.allclose(posterior.unconstrain_pars(values), point)


UNCHANGED = """
import site, sys
site.addsitedir(sys.argv[1])
assert "leapfrog" not in sys.modules
import stan
fit = stan.build("parameters { real x; } model { x ~ std_normal(); }", random_seed=1).sample(num_chains=1)
print(fit["x"].shape, stan.__spec__.loader is stan.__loader__, "leapfrog.pystan" in sys.modules)
"""


def test_environment_variable() -> None:
    """A program that does not import leapfrog: the .pth file of the package does."""
    folder = str(Path(leapfrog.__file__).parent.parent)
    environment = {**os.environ, "LEAPFROG_PYSTAN": "1"}
    command = [sys.executable, "-c", UNCHANGED, folder]
    found = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert found.stdout.endswith("(1, 1000) True True\n"), found.stderr
    unset = "import site, sys; site.addsitedir(sys.argv[1]); import stan; print('leapfrog.pystan' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", unset, folder], capture_output=True, text=True)
    assert found.stdout == "False\n", found.stderr


def test_errors(posterior) -> None:
    with pytest.raises(ValueError, match="Syntax error"):
        stan.build("parameters { real x }")
    with pytest.raises(ValueError, match="Semantic error"):
        stan.build("parameters { real x; } model { y ~ std_normal(); }")
    with pytest.raises(RuntimeError, match="sigma"):
        stan.build(SCHOOLS, data={**DATA, "sigma": [-1] * 8})
    with pytest.raises(ValueError, match="nonsense"):
        posterior.sample(nonsense=1)
    failing = stan.build('parameters { real x; } model { reject("never"); }')
    with pytest.raises(RuntimeError, match="Initialization failed"):
        failing.sample(num_chains=1)
