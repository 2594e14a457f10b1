"""Cross-validation with refits: how well a program predicts observations from others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._columns import Floats
from .fit import Fit

_STATISTICS = ("fold", "elpd", "mcse")


class KFold:
    """The result of `Model.kfold`."""

    def __init__(self, fit: Fit) -> None:
        self.fit = fit
        """The run, whose draws are the estimates of each observation."""
        header, parts = fit._request({"op": "refits"})
        self.ok: bool = header["ok"]
        """Whether the chains of all refits agree."""
        self.message: str = header["message"]
        """The verdict."""
        self.elpd: float = header["elpd"]["estimate"]
        """Expected log pointwise predictive density, over all observations (`elpd_kfold` of the R package loo)."""
        self.se: float = header["elpd"]["standardError"]
        """Standard error of `elpd`."""
        self.mcse: float = header["mcse"]
        """Monte Carlo standard error of `elpd`."""
        self.names: list[str] = header["names"]
        """Observations by name, such as `y[3]`."""
        self.pointwise: dict[str, Floats] = {
            name: np.frombuffer(part, np.float64) for name, part in zip(_STATISTICS, parts)
        }
        """For each observation, the number of the refit that leaves it out (`fold`), `elpd` and its Monte Carlo standard error `mcse`."""
        self.refits: list[dict[str, Any]] = header["refits"]
        """For each refit, its `fold`, the number of its `observations`, the largest `rhat`, and `divergences`."""

    def __repr__(self) -> str:
        return f"elpd_kfold {self.elpd:.1f}, standard error {self.se:.1f}. {self.message}"
