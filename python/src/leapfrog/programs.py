"""What can be done with programs without running them, and comparisons of fits."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Mapping, Union

from . import _process
from .errors import error_of
from .fit import Fit
from .model import source


def format(program: Union[str, os.PathLike[str]]) -> str:
    """The program in the layout of stanc's formatter. Raises StanProgramError for one that cannot be read."""
    reply, _ = _process.engine().request({"op": "analyze", **source(program, None)})
    if "formatted" not in reply:
        errors = reply["errors"]
        message = "\n".join(each["text"] for each in errors)
        raise error_of({"kind": "program", "message": message, "diagnostics": errors})
    return str(reply["formatted"])


@dataclass(frozen=True)
class Compared:
    """How well a model predicts beside the best one."""

    name: str
    elpd: float
    difference: float
    """`elpd` less that of the best model."""
    standard_error: float
    """Of the difference."""
    probability_worse: float
    """The probability that the model predicts worse than the best one, if the difference is normal; NaN of the best."""
    stacking: float
    """Weight in the average of predictive distributions that predicts best (Yao, Vehtari, Simpson and Gelman, 2018)."""
    pseudo_bma_plus: float
    """Weight by pseudo-BMA+, which depends on the model's own predictions only."""


@dataclass(frozen=True)
class Comparison:
    models: tuple[Compared, ...]
    """The best first."""
    cautions: tuple[str, ...]
    """Reasons to trust the numbers less."""


def compare(fits: Mapping[str, Fit], variable: str = "log_lik") -> Comparison:
    """Compares how well models of the same observations predict, by `Fit.loo` (Vehtari, Gelman and Gabry, 2017, section 5.2)."""
    engine = _process.engine()
    keys = {name: fit.with_log_likelihood(variable).key_in(engine) for name, fit in fits.items()}
    if not keys:
        raise ValueError("there are no fits to compare")
    reply, _ = engine.request({"op": "compare", "fits": keys, "variable": variable})
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
