"""Log evidences and Bayes factors."""

import math

import pytest

import leapfrog

PROGRAM = """data { int n; int y; } parameters { real<lower=0, upper=1> p; }
model { p ~ PRIOR; y ~ binomial(n, p); }"""
DATA = {"n": 12, "y": 9}


def fit_of(prior, data=DATA):
    return leapfrog.compile(PROGRAM.replace("PRIOR", prior)).sample(data, chains=4, seed=1)


def test_log_evidence():
    found = fit_of("beta(1, 1)").log_evidence(seed=2)
    assert abs(found.estimate + math.log(13)) < 5 * found.standard_error
    assert found.ok and found.draws == 4000
    assert str(found).startswith("log evidence -2.56")


def test_comparison():
    fits = {"narrow": fit_of("beta(2, 20)"), "uniform": fit_of("beta(1, 1)")}
    best, other = leapfrog.compare_evidence(fits).models
    assert (best.name, other.name) == ("uniform", "narrow")
    assert best.log_evidence == fits["uniform"].log_evidence().estimate
    assert other.log_bayes_factor < -3 and math.isclose(best.posterior + other.posterior, 1)
    weighed = leapfrog.compare_evidence(fits, {"narrow": 3, "uniform": 1}).models
    assert weighed[0].prior == 0.25 and weighed[0].posterior < best.posterior


def test_refusals():
    fit = fit_of("beta(1, 1)")
    with pytest.raises(leapfrog.ArgumentError, match="at least two fits"):
        leapfrog.compare_evidence({"a": fit})
    with pytest.raises(leapfrog.ArgumentError, match="Number 1 of y is 9 in a, and 2 in b"):
        leapfrog.compare_evidence({"a": fit, "b": fit_of("beta(1, 1)", {"n": 12, "y": 2})})
    with pytest.raises(leapfrog.ArgumentError, match="priors.a must be positive"):
        leapfrog.compare_evidence({"a": fit, "b": fit}, {"a": 0})
    model = leapfrog.compile("parameters { real x; } model { x ~ std_normal(); }")
    with pytest.raises(leapfrog.StanError, match="from an approximation"):
        model.pathfinder(seed=1).log_evidence()
