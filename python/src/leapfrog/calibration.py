"""Simulation-based calibration: whether a program and its sampler recover the parameters of simulated data."""

from __future__ import annotations

import html
from typing import Any, Optional, Sequence

import numpy as np

from ._columns import Floats
from ._display import Plots
from .errors import ArgumentError
from .fit import Fit

_KINDS = ("ecdf", "ranks")


class Calibration:
    """The result of `Model.sbc`."""

    def __init__(self, fit: Fit) -> None:
        self.fit = fit
        """The run, whose draws are the ranks of each simulation."""
        header, parts = fit._request({"op": "calibration"})
        columns = [np.frombuffer(part, np.float64) for part in parts]
        names: list[str] = header["names"]
        self.ok: bool = header["ok"]
        """Whether the ranks of all parameters are compatible with a uniform distribution."""
        self.message: str = header["message"]
        """The verdict."""
        self.simulations: int = header["simulations"]
        self.greatest_rank: int = header["greatestRank"]
        """The number of draws per fit that are counted."""
        self.divergent_fits: int = header["divergentFits"]
        """Number of fits with divergent transitions after warmup."""
        self.places: Floats = columns[0]
        """Fractions of the possible ranks."""
        self.band: Floats = columns[1]
        """Half the width of the band that contains the differences of uniform ranks with probability 0.95."""
        self.ranks = {name: columns[2 + 2 * k].astype(int) for k, name in enumerate(names)}
        """For each parameter and fit, the number of draws below the value with which the data were simulated."""
        self.differences: dict[str, Floats] = {name: columns[3 + 2 * k] for k, name in enumerate(names)}
        """Distributions of the ranks, minus the uniform one, at `places`."""
        self.probabilities: dict[str, float] = dict(zip(names, header["probabilities"]))
        """Probabilities, for uniform ranks, of differences at least as large as the greatest one."""

    def plot(self, kind: str = "ecdf", variables: Optional[Sequence[str]] = None) -> Plots:
        """
        Plots with simultaneous bands, one for each of the first 12 parameters, or of the named variables or elements: `ecdf` (differences
        between the distributions of ranks and the uniform one) or `ranks` (histograms).
        """
        if kind not in _KINDS:
            raise ArgumentError(f"There is no plot {kind}: choose from {', '.join(_KINDS)}.")
        header: dict[str, Any] = {"op": "plot calibration", "kind": kind, "most": 12}
        if variables is not None:
            header["variables"] = [variables] if isinstance(variables, str) else list(variables)
            header["most"] = 100
        _, parts = self.fit._request(header)
        return Plots(tuple(bytes(part).decode() for part in parts))

    def __repr__(self) -> str:
        return f"<leapfrog.Calibration: {self.message}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.message)}</p>{self.plot()._repr_html_()}"
