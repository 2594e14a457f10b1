"""Log evidences of models, and their comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Optional

from . import _process
from ._values import ValueWriter
from .errors import ArgumentError

if TYPE_CHECKING:
    from .fit import Fit


@dataclass(frozen=True)
class EvidenceCompared:
    """A model compared with the one that has the greatest evidence."""

    name: str
    log_evidence: float
    standard_error: float
    """Monte Carlo standard error of `log_evidence`."""
    log_bayes_factor: float
    """`log_evidence` minus that of the best model."""
    bayes_factor_error: float
    """Monte Carlo standard error of `log_bayes_factor`."""
    prior: float
    """Probability of the model before the data."""
    posterior: float
    """Probability of the model given the data."""


@dataclass(frozen=True)
class EvidenceComparison:
    """Models of the same data, the one with the greatest evidence first."""

    models: tuple[EvidenceCompared, ...]
    cautions: tuple[str, ...]
    """Reasons why the numbers may be less reliable than they seem."""


def compare_evidence(
    fits: Mapping[str, Fit], priors: Optional[Mapping[str, float]] = None, *, seed: int = 1
) -> EvidenceComparison:
    """
    Bayes factors and probabilities of models of the same data, by `Fit.log_evidence`. `priors` are the probabilities of the models before the
    data, up to a common factor; equal by default. Raises ArgumentError for fits of different outcomes.
    """
    if not isinstance(fits, Mapping) or len(fits) < 2:
        raise ArgumentError("Fits to compare must be a mapping from names to at least two fits.")
    reply = request_evidence(fits, priors, seed)
    models = tuple(
        EvidenceCompared(
            name=each["name"],
            log_evidence=each["logEvidence"],
            standard_error=each["standardError"],
            log_bayes_factor=each["logBayesFactor"],
            bayes_factor_error=each["bayesFactorError"],
            prior=each["prior"],
            posterior=each["posterior"],
        )
        for each in reply["models"]
    )
    return EvidenceComparison(models, tuple(reply["cautions"]))


def request_evidence(fits: Mapping[str, Fit], priors: Optional[Mapping[str, float]], seed: int) -> dict[str, Any]:
    """The response of the engine."""
    engine, writer = _process.engine(), ValueWriter()
    sent = []
    for name, fit in fits.items():
        if fit._origin is None:
            raise ArgumentError("A log evidence requires a fit whose model is known.")
        model, data = fit._origin
        _, key = model._opened()
        sent.append({"name": name, "fit": fit.key_in(engine), "of": {"model": key, "data": writer.variables(data)}})
    header: dict[str, Any] = {"op": "evidence", "fits": sent, "seed": int(seed), "arrays": writer.arrays}
    if priors is not None:
        header["priors"] = {name: float(prior) for name, prior in priors.items()}
    return engine.request(header, writer.parts)[0]
