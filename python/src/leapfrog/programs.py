"""Operations on programs that do not run them, and comparisons of fits."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Union

from . import _process
from ._process import Engine
from ._values import ValueWriter
from .errors import ArgumentError, error_of
from .fit import Fit, sampler_of_refits
from .model import source


def format(program: Union[str, os.PathLike[str]]) -> str:
    """The program in the layout of stanc's formatter. Raises StanProgramError if the program cannot be parsed."""
    reply, _ = _process.engine().request({"op": "analyze", **source(program, None)})
    if "formatted" not in reply:
        errors = reply["errors"]
        message = "\n".join(each["text"] for each in errors)
        raise error_of({"kind": "program", "message": message, "diagnostics": errors})
    return str(reply["formatted"])


@dataclass(frozen=True)
class Compared:
    """How well a model predicts, compared with the best one."""

    name: str
    elpd: float
    difference: float
    """`elpd` minus that of the best model."""
    standard_error: float
    """Standard error of the difference."""
    probability_worse: float
    """The probability that the model predicts worse than the best one, if the difference is normal; NaN for the best."""
    stacking: float
    """Weight in the average of predictive distributions that predicts best (Yao, Vehtari, Simpson and Gelman, 2018)."""
    pseudo_bma_plus: float
    """Weight by pseudo-BMA+, which depends only on the model's own predictions."""


@dataclass(frozen=True)
class Comparison:
    models: tuple[Compared, ...]
    """The models, best first."""
    cautions: tuple[str, ...]
    """Reasons why the numbers may be less reliable than they seem."""


def compare(
    fits: Mapping[str, Fit],
    variable: str = "log_lik",
    *,
    moment_match: bool = False,
    exact: bool = False,
    iter_warmup: Optional[int] = None,
    iter_sampling: Optional[int] = None,
    seed: Optional[int] = None,
) -> Comparison:
    """
    Compares how well models of the same observations predict, by `Fit.loo` with the same arguments (Vehtari, Gelman and Gabry, 2017, section 5.2).
    Raises ArgumentError for fits of different observations.
    """
    if not isinstance(fits, Mapping):
        raise ArgumentError("Fits to compare must be a mapping from names to fits.")
    sampler = sampler_of_refits(exact, {"iter_warmup": iter_warmup, "iter_sampling": iter_sampling, "seed": seed})
    if (moment_match or exact) and any(fit._origin is None for fit in fits.values()):
        raise ArgumentError("Moment matching and refits require fits whose models are known.")
    engine, writer = _process.engine(), ValueWriter()
    compared = [_compared(name, fit, engine, writer) for name, fit in fits.items()]
    header: dict[str, Any] = {"op": "compare", "fits": compared, "momentMatch": moment_match, "arrays": writer.arrays}
    if variable != "log_lik":
        header["variable"] = variable
    if sampler is not None:
        header["exact"] = sampler
    reply, _ = engine.request(header, writer.parts)
    models = tuple(
        Compared(
            name=each["name"],
            elpd=each["elpd"],
            difference=each["difference"],
            standard_error=each["standardError"],
            probability_worse=each["probabilityWorse"],
            stacking=each["stacking"],
            pseudo_bma_plus=each["pseudoBmaPlus"],
        )
        for each in reply["models"]
    )
    return Comparison(models, tuple(reply["cautions"]))


def _compared(name: str, fit: Fit, engine: Engine, writer: ValueWriter) -> dict[str, Any]:
    """A fit in the form in which the engine compares it."""
    header: dict[str, Any] = {"name": name, "fit": fit.key_in(engine)}
    if fit._origin is not None:
        model, data = fit._origin
        _, key = model._opened()
        header["of"] = {"model": key, "data": writer.variables(data)}
    return header
