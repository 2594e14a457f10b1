"""Statistics of draws as the engine returns them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Sequence

import numpy as np

from ._columns import Floats, column_of, display_name
from ._display import table_html

if TYPE_CHECKING:
    import pandas

_SNAKE = {
    "mcseMean": "mcse_mean",
    "mcseSd": "mcse_sd",
    "essBulk": "ess_bulk",
    "essTail": "ess_tail",
    "effectiveParameters": "p_loo",
    "paretoK": "pareto_k",
}


def read_table(header: dict[str, Any], parts: Sequence[memoryview]) -> tuple[tuple[str, ...], dict[str, Floats]]:
    """Names of rows, and columns by name."""
    columns = {
        _SNAKE.get(name, name): np.frombuffer(part, np.float64) for name, part in zip(header["statistics"], parts)
    }
    return tuple(header["names"]), columns


@dataclass(frozen=True, repr=False)
class Summary:
    """One row per quantity and one column per statistic: `summary["theta[1]"]["rhat"]`, `summary.columns["rhat"]`."""

    names: tuple[str, ...]
    columns: dict[str, Floats]

    def __getitem__(self, name: str) -> dict[str, float]:
        wanted = name if name in self.names else display_name(column_of(name))
        if wanted not in self.names:
            raise KeyError(f"{name} is not in the summary")
        row = self.names.index(wanted)
        return {statistic: float(values[row]) for statistic, values in self.columns.items()}

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with the names as its index."""
        import pandas

        return pandas.DataFrame(self.columns, index=list(self.names))

    def __str__(self) -> str:
        rows = [["", *self.columns]]
        rows.extend([name, *cells] for name, cells in self._cells())
        widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
        return "\n".join(
            " ".join(
                cell.rjust(width) if place else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(row, widths))
            )
            for row in rows
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return table_html(tuple(self.columns), self._cells())

    def _cells(self) -> list[tuple[str, list[str]]]:
        return [
            (name, [_shown(statistic, values[row]) for statistic, values in self.columns.items()])
            for row, name in enumerate(self.names)
        ]


def _shown(statistic: str, value: float) -> str:
    if statistic.startswith("ess"):
        return f"{value:.0f}"
    return f"{value:.3f}" if statistic == "rhat" else f"{value:.3g}"


@dataclass(frozen=True)
class Finding:
    """The result of one check of draws."""

    check: str
    """divergences, treedepth, energy, rhat, ess, or draws."""
    ok: bool
    message: str
    """The finding, and what to do about it."""
    concerns: tuple[tuple[str, float], ...]
    """Quantities or chains concerned with their values, the worst first."""

    @staticmethod
    def read(sent: dict[str, Any]) -> Finding:
        concerns = tuple((each["name"], each["value"]) for each in sent["concerns"])
        return Finding(sent["check"], sent["ok"], sent["message"], concerns)

    def __str__(self) -> str:
        return f"{'ok' if self.ok else 'problem'}: {self.message}"


@dataclass(frozen=True)
class Estimate:
    estimate: float
    standard_error: float

    @staticmethod
    def read(sent: dict[str, float]) -> Estimate:
        return Estimate(sent["estimate"], sent["standardError"])

    def __str__(self) -> str:
        return f"{self.estimate:.1f} ± {self.standard_error:.1f}"


@dataclass(frozen=True)
class Loo:
    """Leave-one-out cross-validation."""

    elpd: Estimate
    """Expected log pointwise predictive density."""
    p_loo: Estimate
    """Effective number of parameters."""
    looic: Estimate
    """-2 `elpd`."""
    mcse: float
    """Monte Carlo standard error of `elpd`; NaN if the tail of an importance ratio is too heavy."""
    ok: bool
    """Whether all estimates are reliable."""
    message: str
    names: tuple[str, ...]
    """Names of the observations."""
    pointwise: dict[str, Floats]
    """Columns `elpd`, `mcse`, `p_loo` and `pareto_k` with one number per observation."""

    def __str__(self) -> str:
        return f"elpd_loo {self.elpd}\np_loo    {self.p_loo}\nlooic    {self.looic}\n{self.message}"


@dataclass(frozen=True)
class LogEvidence:
    """The log evidence of a model."""

    estimate: float
    """The logarithm of the density of the data, averaged over the prior."""
    standard_error: float
    """Monte Carlo standard error of `estimate`."""
    draws: int
    """Number of draws of the posterior."""
    ok: bool
    """Whether no check has found a problem."""
    message: str

    @staticmethod
    def read(sent: dict[str, Any]) -> LogEvidence:
        return LogEvidence(
            estimate=sent["logEvidence"],
            standard_error=sent["standardError"],
            draws=sent["draws"],
            ok=sent["ok"],
            message=sent["message"],
        )

    def __str__(self) -> str:
        return f"log evidence {self.estimate:.3f} ± {self.standard_error:.2g}\n{self.message}"


def read_loo(header: dict[str, Any], parts: Sequence[memoryview]) -> Loo:
    names, pointwise = read_table(header, parts)
    return Loo(
        elpd=Estimate.read(header["elpd"]),
        p_loo=Estimate.read(header["effectiveParameters"]),
        looic=Estimate.read(header["looic"]),
        mcse=header["mcse"],
        ok=header["ok"],
        message=header["message"],
        names=names,
        pointwise=pointwise,
    )
