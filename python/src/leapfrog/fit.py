"""What a run returns: draws, statistics of them, and conversions."""

from __future__ import annotations

import os
import weakref
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _process
from ._columns import Floats, column_of, display_name, gather, variable_of
from ._display import Plots, findings_html, folded
from ._process import Engine, Reply
from ._tables import Finding, LogEvidence, Loo, Summary, read_loo, read_table
from ._values import ValueWriter
from .errors import ArgumentError, EngineError
from .evidence import request_evidence

if TYPE_CHECKING:
    import arviz
    import pandas
    import polars
    import xarray

    from .model import ModelMethods


def sampler_of_refits(exact: bool, given: Mapping[str, Optional[int]]) -> Optional[dict[str, int]]:
    """The given arguments of the sampler for refits; None without refits. Raises ArgumentError if such arguments are given without refits."""
    sampler = {name: value for name, value in given.items() if value is not None}
    if sampler and not exact:
        raise ArgumentError("iter_warmup, iter_sampling and seed require exact=True.")
    return sampler if exact else None


@dataclass(frozen=True)
class Chain:
    """One chain. Draws are rows of `Fit.columns`."""

    id: int
    warmup: Floats
    """Rows before the draws: draws of warmup, if saved, the mean of a variational approximation, or iterations of an optimizer."""
    draws: Floats
    """Draws after warmup."""
    diagnostics: Floats
    """Position, momentum and gradient of each draw, if they were requested: rows of `Fit.diagnostic_columns`."""
    initial: Floats
    """The accepted initial point, unconstrained; empty for functions without an initial point."""
    step_size: Optional[float]
    """The adapted step size of a sampler."""
    inv_metric: Floats
    """The adapted inverse metric in the form of the argument `inv_metric`; empty for a unit metric."""


class Fit:
    """
    Draws of a run. It keeps the draws in this process, and the engine keeps its own copy for statistics until the fit is deleted. A fit can be
    pickled and copied, and saved with `save`.
    """

    def __init__(self, engine: Engine, header: dict[str, Any]) -> None:
        self.server_name: Optional[str] = None
        """Address of the fit on a server: `http://…/v1/models/…/fits/…`; None for a run in this process."""
        self._engine: Optional[Engine] = None
        self._key = 0
        self._header = {name: header.get(name) for name in _DESCRIPTION}
        self._known: Optional[tuple[ModelMethods, Mapping[str, Any]]] = None
        """The model and its data, if they are known."""
        self._source: Optional[Mapping[str, Any]] = None
        """The program of a fit from a file, until it is compiled."""
        self._saved_data: Mapping[str, Any] = {}
        self._terms: Optional[Fit] = None
        self.is_complete: bool = header["isWhole"]
        """False if the run was interrupted."""
        self.function: str = header["asked"]["function"]
        """Full name of the function that ran, `stan::services::…`."""
        self.arguments: Mapping[str, Any] = header["asked"]["arguments"]
        """The arguments of the function, with defaults."""
        self.seed: int = header["asked"]["random_seed"]
        self.stopped: Optional[Mapping[str, Any]] = header.get("stopped")
        """
        Why a run with `until` has stopped: `reason` (precise or max_iterations), `iterations` of each chain after warmup, and for
        max_iterations the worst `shortfall`. None for other runs and for interrupted ones.
        """
        self.columns: tuple[str, ...] = tuple(header["columns"])
        """Names of the numbers of a draw: `theta.2` is element 2 of `theta`."""
        self.diagnostic_columns: tuple[str, ...] = tuple(header["diagnosticColumns"])
        self._adopt(engine, header["fit"])
        read = [self._read(each) for each in header["chains"]]
        self.chains: tuple[Chain, ...] = tuple(chain for chain, _ in read)
        self._details = [details for _, details in read]
        """What the engine needs, in addition to the draws, to open each chain again."""

    def _adopt(self, engine: Engine, key: int) -> None:
        self._engine, self._key = engine, key
        weakref.finalize(self, engine.release, {"op": "release", "fit": key})

    def _read(self, chain: dict[str, Any]) -> tuple[Chain, bytes]:
        header, parts = self._request({"op": "chain", "chain": chain["id"]})
        values, diagnostics, initial, metric = (np.frombuffer(part, np.float64) for part in parts[:4])
        rows = values.reshape(-1, max(1, len(self.columns)))
        warmup = chain["warmup"]
        read = Chain(
            id=chain["id"],
            warmup=rows[:warmup],
            draws=rows[warmup:],
            diagnostics=diagnostics.reshape(-1, max(1, len(self.diagnostic_columns))),
            initial=initial,
            step_size=header.get("stepsize"),
            inv_metric=metric.reshape(header["shape"]),
        )
        return read, bytes(parts[4])

    def _request(self, header: dict[str, Any], parts: Sequence[bytes] = ()) -> Reply:
        """Sends a request about this fit to the engine, which opens the fit again after a restart."""
        engine = _process.engine()
        return engine.request({**header, "fit": self.key_in(engine)}, parts)

    def key_in(self, engine: Engine) -> int:
        """The fit's key in the engine, for other runs there."""
        if engine is not self._engine:
            parts: list[bytes] = []
            for chain, details in zip(self.chains, self._details):
                parts += [chain.warmup.tobytes() + chain.draws.tobytes(), chain.diagnostics.tobytes(), details]
            chains = [{"id": each.id, "warmup": len(each.warmup), "draws": len(each.draws)} for each in self.chains]
            header = {**self._header, "op": "open fit", "isWhole": self.is_complete, "chains": chains}
            self._adopt(engine, engine.request(header, parts)[0]["fit"])
        return self._key

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_engine": None, "_key": 0}

    @property
    def _origin(self) -> Optional[tuple[ModelMethods, Mapping[str, Any]]]:
        if self._known is None and self._source is not None:
            from .model import compile

            program: str = self._source["program"]
            # A text of several lines is never taken for a path.
            text = program if "\n" in program else program + "\n"
            model = compile(text, name=self._source.get("name"), includes=self._source["includes"])
            self._known = (model, self._saved_data)
        return self._known

    @property
    def model(self) -> Optional[ModelMethods]:
        """The model; None if it is not known. The program of a fit from a file is compiled by the first call that requires it."""
        return self._origin[0] if self._origin is not None else None

    @property
    def data(self) -> Optional[Mapping[str, Any]]:
        """The data of the run; None if they are not known."""
        return self._known[1] if self._known is not None else None if self._source is None else self._saved_data

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """
        Saves the fit with its program, data and warmup state in an Arrow file, which `leapfrog.load`, the command line, the workbench and programs
        that read Arrow open. A path that ends in `.nc` is a netCDF file of ArviZ instead, which has only the draws and requires ArviZ.
        """
        if Path(path).suffix == ".nc":
            self.to_arviz().to_netcdf(os.fspath(path), engine="h5netcdf")
            return
        header: dict[str, Any] = {"op": "save fit", "path": os.path.abspath(path), "isWhole": self.is_complete}
        writer = ValueWriter()
        if self._known is not None:
            model, data = self._known
            header.update(source=model._program(), data=writer.variables(data), arrays=writer.arrays)
        elif self._source is not None:
            header.update(source=self._source, data=writer.variables(self._saved_data), arrays=writer.arrays)
        self._request(header, writer.parts)

    def to_csv(
        self, folder: Union[str, os.PathLike[str]] = ".", *, basename: Optional[str] = None, sig_figs: int = 17
    ) -> list[str]:
        """Writes each chain to a CSV file of CmdStan, `<basename>_<chain>.csv`, and returns the paths. `basename` is by default the program's."""
        name = basename or Path(self._header["program"] or "model").stem
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        paths = [target / f"{name}_{chain.id}.csv" for chain in self.chains]
        for chain, path in zip(self.chains, paths):
            path.write_bytes(self.csv(chain.id, sig_figs=sig_figs).encode())
        return [str(path) for path in paths]

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the program's variables among the draws, in order."""
        return tuple(dict.fromkeys(variable_of(each) for each in self.columns if not each.endswith("__")))

    @property
    def num_draws(self) -> int:
        """Draws after warmup in the shortest chain that has any."""
        return min((len(chain.draws) for chain in self._drawn), default=0)

    @property
    def _drawn(self) -> tuple[Chain, ...]:
        drawn = tuple(chain for chain in self.chains if len(chain.draws) > 0)
        return drawn or self.chains

    def draws(self, name: Optional[str] = None, *, inc_warmup: bool = False) -> Any:
        """
        Draws after warmup, or all rows with `inc_warmup`: an array (chains, draws, columns), or (chains, draws, dimensions of the variable…) of the
        variable or element `name` (`theta`, `theta[2]`). A complex variable is a complex array, a tuple a tuple of arrays.
        Chains of an interrupted run are cut to the shortest one. Raises KeyError for an unknown name.
        """
        chains = self._drawn
        rows = [np.concatenate([chain.warmup, chain.draws]) if inc_warmup else chain.draws for chain in chains]
        shortest = min((len(each) for each in rows), default=0)
        values = (
            np.stack([each[:shortest] for each in rows]) if rows else np.empty((0, 0, len(self.columns)), np.float64)
        )
        if name is None:
            return values
        column = column_of(name)
        if column in self.columns:
            return values[..., self.columns.index(column)]
        places = [place for place, each in enumerate(self.columns) if variable_of(each) == column]
        if not places:
            raise KeyError(f"{name} is not among the draws")
        return gather([self.columns[place] for place in places], values[..., places])

    def stan_variable(self, name: str) -> Any:
        """Draws of a variable with the chains concatenated: an array (draws, dimensions of the variable…)."""
        return _flat(self.draws(name))

    def stan_variables(self) -> dict[str, Any]:
        """`stan_variable` for each variable."""
        return {name: self.stan_variable(name) for name in self.variables}

    def method_variables(self) -> dict[str, Floats]:
        """Values that the function reports for each draw, such as `lp__` and `divergent__`: arrays (chains, draws)."""
        return {name: self.draws(name) for name in self.columns if name.endswith("__")}

    def __getitem__(self, name: str) -> Any:
        return self.draws(name)

    def summary(self, variables: Optional[Sequence[str]] = None) -> Summary:
        """
        Mean, standard deviation, quantiles, Monte Carlo errors, effective sample sizes and R-hat (Vehtari and others, 2021) of each quantity, or
        of the named variables or elements.
        """
        header: dict[str, Any] = {"op": "summary"}
        if variables is not None:
            header["variables"] = [variables] if isinstance(variables, str) else list(variables)
        return Summary(*read_table(*self._request(header)))

    def diagnose(self) -> list[Finding]:
        """Whether the draws of a sampler are reliable: one finding per check, with advice."""
        return self._judge()[1]

    def _judge(self) -> tuple[str, list[Finding]]:
        """The headline of the verdict, and the findings."""
        header, _ = self._request({"op": "diagnose"})
        return header["headline"], [Finding.read(each) for each in header["findings"]]

    def plot(self, kind: str = "intervals", variables: Optional[Sequence[str]] = None) -> Plots:
        """
        Plots of the key quantities, or of the named variables or elements: `intervals`, `ridgelines`, `parallel` or `matrix` (one plot of all),
        or `density`, `distribution`, `trace`, `ranks`, `ecdf`, `autocorrelation`, `sample_size` or `local_sample_size` (one of each quantity). The
        key quantities leave out log likelihoods and simulated data. At most 12 quantities are plotted, or 100 if they are named; `intervals` has
        no maximum, and `matrix` has at most 6. Raises ArgumentError for another kind.
        """
        header: dict[str, Any] = {"op": "plot", "kind": kind, "most": 12}
        if variables is not None:
            header["variables"] = [variables] if isinstance(variables, str) else list(variables)
            header["most"] = 100
        _, parts = self._request(header)
        return Plots(tuple(bytes(part).decode() for part in parts))

    def loo(
        self,
        variable: str = "log_lik",
        *,
        moment_match: bool = False,
        exact: bool = False,
        iter_warmup: Optional[int] = None,
        iter_sampling: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> Loo:
        """
        Leave-one-out cross-validation by Pareto-smoothed importance sampling (Vehtari, Gelman and Gabry, 2017) from the log likelihood of each
        observation. If the draws have no `log_lik`, it is derived from the program. Raises StanProgramError if observations are ambiguous.

        With `moment_match`, observations with a high Pareto k are estimated by moment matching (Paananen and others, 2021). With `exact`,
        those whose k is still high are estimated by fits without each of them, to which the other arguments apply; log likelihoods are then
        derived.
        """
        given = {"iter_warmup": iter_warmup, "iter_sampling": iter_sampling, "seed": seed}
        sampler = sampler_of_refits(exact, given)
        if moment_match or exact:
            if self._origin is None:
                raise ArgumentError("Moment matching and refits require a fit whose model is known.")
            model, data = self._origin
            return read_loo(*model._loo(self, data, moment_match, sampler))
        fit = self.with_log_likelihood(variable)
        return read_loo(*fit._request({"op": "loo", "variable": variable}))

    def log_evidence(self, seed: int = 1) -> LogEvidence:
        """
        The log evidence of the model (marginal likelihood) by bridge sampling, with all constants of the density. The draws must be from a
        sampler. `seed` determines the draws of the proposals.
        """
        return LogEvidence.read(request_evidence({"fit": self}, None, seed)["evidences"][0])

    def log_likelihood(self) -> Fit:
        """`Model.log_likelihood` for these draws and the data of the run."""
        return self._derived("log_lik", {})

    def predict(self, *, seed: Optional[int] = None) -> Fit:
        """`Model.predict` for these draws and the data of the run."""
        return self._derived("replicated", {"random_seed": seed})

    def with_log_likelihood(self, variable: str = "log_lik") -> Fit:
        """This fit if it has the variable with the log likelihood of each observation, otherwise the fit from `log_likelihood`, which is cached."""
        if variable != "log_lik" or variable in self.variables or self._origin is None:
            return self
        if self._terms is None:
            self._terms = self.log_likelihood()
        return self._terms

    def _derived(self, kind: str, given: Mapping[str, Any]) -> Fit:
        if self._origin is None:
            raise ArgumentError("The model of this fit is not known: call the method of the model.")
        model, data = self._origin
        return model._derive(kind, data, given, self)

    def csv(self, chain: int = 1, *, sig_figs: int = 17) -> str:
        """A chain as a CmdStan CSV file, which other Stan tools read."""
        header = {"op": "csv", "chain": chain, "digits": sig_figs}
        _, parts = self._request(header)
        return bytes(parts[0]).decode()

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with one row per draw: `chain__`, `draw__`, and one column per number (`theta[2]`)."""
        import pandas

        return pandas.DataFrame(self._frame())

    def to_polars(self) -> polars.DataFrame:
        """Like `to_pandas`, for polars."""
        import polars

        return polars.DataFrame(self._frame())

    def _frame(self) -> dict[str, NDArray[Any]]:
        values = self.draws()
        chains, draws, _ = values.shape
        frame: dict[str, NDArray[Any]] = {
            "chain__": np.repeat([chain.id for chain in self._drawn], draws),
            "draw__": np.tile(np.arange(1, draws + 1), chains),
        }
        for place, column in enumerate(self.columns):
            frame[display_name(column)] = values[..., place].reshape(-1)
        return frame

    def to_arviz(
        self,
        *,
        posterior_predictive: Sequence[str] = (),
        log_likelihood: Sequence[str] = ("log_lik",),
        observed_data: Optional[Mapping[str, Any]] = None,
        **options: Any,
    ) -> Union[arviz.InferenceData, xarray.DataTree]:
        """
        The draws for ArviZ: a DataTree for ArviZ 1, an InferenceData for ArviZ 0. Parameters, transformed parameters and generated quantities are
        its posterior, except for those named as `posterior_predictive` or `log_likelihood`. Complex numbers and tuples are left out. `options`, such
        as `coords` and `dims`, go to `arviz.from_dict`.
        """
        import arviz

        named = {"posterior_predictive": _names(posterior_predictive), "log_likelihood": _names(log_likelihood)}
        others = {name for names in named.values() for name in names}
        arrays = {name: array for name in self.variables if _is_plain(array := self.draws(name))}
        groups: dict[str, Mapping[str, Any]] = {
            "posterior": {name: array for name, array in arrays.items() if name not in others},
            "sample_stats": self._sample_stats(),
            **{group: {name: arrays[name] for name in names if name in arrays} for group, names in named.items()},
            "observed_data": {name: np.asarray(value) for name, value in (observed_data or {}).items()},
        }
        given = {group: variables for group, variables in groups.items() if variables}
        convert: Any = arviz.from_dict
        # ArviZ 0 takes the groups as arguments, ArviZ 1 as one mapping.
        is_first = arviz.__version__.startswith("0.")
        data: Union[arviz.InferenceData, xarray.DataTree] = (
            convert(**given, **options) if is_first else convert(given, **options)
        )
        return data

    def _sample_stats(self) -> dict[str, NDArray[Any]]:
        found = self.method_variables()
        stats: dict[str, NDArray[Any]] = {ours: found[name] for name, ours in _SAMPLE_STATS.items() if name in found}
        if "divergent__" in found:
            stats["diverging"] = found["divergent__"] > 0
        if "treedepth__" in found:
            stats["tree_depth"] = found["treedepth__"].astype(np.int64)
        if "n_leapfrog__" in found:
            stats["n_steps"] = found["n_leapfrog__"].astype(np.int64)
        return stats

    def __repr__(self) -> str:
        what = f"{len(self.chains)} chains, {self.num_draws} draws each"
        interrupted = "" if self.is_complete else ", interrupted"
        address = "" if self.server_name is None else f", {self.server_name}"
        return f"<leapfrog.Fit of {self.function.rsplit('::', 1)[-1]}: {what}{interrupted}{address}>"

    def _repr_html_(self) -> Optional[str]:
        """The verdict, intervals of key quantities, and the summary. Few draws have neither verdict nor plots."""
        try:
            summary = self.summary()._repr_html_()
            if self.num_draws < 4:
                return f"<p>{escape(repr(self))}</p>{summary}"
            plots = self.plot()._repr_html_()
            return (
                f"<p>{escape(repr(self))}</p>{findings_html(*self._judge())}{plots}"
                f"{folded('Summary', summary)}{folded('Traces', self.plot('trace')._repr_html_())}"
            )
        except EngineError:
            # The engine has ended. A notebook then shows the text.
            return None


# What describes a fit besides its chains.
_DESCRIPTION = ("asked", "columns", "diagnosticColumns", "outputs", "program", "stopped")
_SAMPLE_STATS = {"lp__": "lp", "accept_stat__": "acceptance_rate", "stepsize__": "step_size", "energy__": "energy"}


def _names(names: Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names


def _is_plain(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.dtype == np.float64


def _flat(array: Any) -> Any:
    if isinstance(array, tuple):
        return tuple(_flat(each) for each in array)
    return array.reshape((-1, *array.shape[2:]))
