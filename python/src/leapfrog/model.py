"""Programs: compiling them, and running Stan's algorithms on them."""

from __future__ import annotations

import os
import warnings
import weakref
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _process
from ._columns import Floats
from ._display import model_html
from ._process import Engine, Event
from ._progress import progress
from ._values import Data, ValueWriter, read_data
from .calibration import Calibration
from .errors import ArgumentError, Interrupted
from .fit import Fit
from .functions import Functions
from .kfold import KFold
from .posterior import Posterior
from .profile import Profile

Inits = Union[None, float, Mapping[str, Any], Sequence[Mapping[str, Any]], Fit]
PreviousFit = Union[None, Fit, Sequence[Mapping[str, Any]]]

# Arguments that are values or fits, and arguments that are lists of names.
_SOURCES = ("init", "inits", "warm_start", "continue_from", "continue", "mode", "previous_fit", "fitted_params")
_NAME_LISTS = ("save", "pars")


def compile(
    program: Union[str, os.PathLike[str], None] = None,
    *,
    name: Optional[str] = None,
    include_paths: Sequence[Union[str, os.PathLike[str]]] = (),
    includes: Optional[Mapping[str, str]] = None,
    **arguments: Any,
) -> Model:
    """
    Compiles a program: Stan code, or the path of a file with it. `#include`s are searched for in `includes` (texts by name), in the folders
    `include_paths`, and in the file's own folder. Arguments of other interfaces are accepted if they mean the same, such as `stan_file` or
    `model_name`. Raises StanProgramError if the program is invalid.
    """
    engine = _process.engine()
    program, name = program_and_name(program, name, arguments)
    header = {"op": "compile", **source(program, name, include_paths, includes)}
    reply, parts = engine.request(header)
    return Model(reply["contents"], bytes(parts[0]), engine, reply["model"])


def program_and_name(
    program: Union[str, os.PathLike[str], None], name: Optional[str], arguments: Mapping[str, Any]
) -> tuple[Union[str, os.PathLike[str]], Optional[str]]:
    """The program and its name, also from arguments of other interfaces. Raises ArgumentError for arguments that are not accepted."""
    if arguments:
        given = {"program": program, "name": name, **arguments}
        fields = {key: _path_text(_plain(value)) for key, value in given.items() if value is not None}
        header = {"op": "compile arguments", "fields": fields, "caller": "python"}
        named = _process.engine().request(header)[0]["fields"]
        program, name = named.get("program"), named.get("name")
    if program is None:
        raise ArgumentError("program is required: Stan code, or the path of a file with it")
    return program, name


def source(
    program: Union[str, os.PathLike[str]],
    name: Optional[str],
    include_paths: Sequence[Union[str, os.PathLike[str]]] = (),
    includes: Optional[Mapping[str, str]] = None,
) -> dict[str, Any]:
    """The program in the form of a request. A text of one line that ends in `.stan` is a path."""
    folders = [os.fspath(folder) for folder in include_paths]
    is_path = not isinstance(program, str) or ("\n" not in program and program.endswith(".stan"))
    text = str(program)
    if is_path:
        path = Path(program)
        text = path.read_text(encoding="utf-8")
        name = name or str(path)
        folders.append(str(path.parent))
    return {"program": text, "name": name or "string", "folders": folders, "includes": dict(includes or {})}


class ModelMethods:
    """
    The methods of a compiled program.

    Arguments have CmdStanPy's names. Those of cmdstanr, PyStan and RStan are accepted if they mean the same, such as `num_warmup` or `cores`; an
    ArgumentError states what to use instead of others. Further arguments of the engine's function are accepted under their own names, such
    as `init_buffer` or `stepsize_jitter`. `data` is a mapping with a number, array or list per variable, or the path of a JSON file.
    """

    def __init__(self) -> None:
        self._latest: Optional[tuple[Any, Posterior]] = None

    def sample(
        self,
        data: Data = None,
        *,
        chains: Optional[int] = None,
        parallel_chains: Optional[int] = None,
        iter_warmup: Optional[int] = None,
        iter_sampling: Optional[int] = None,
        seed: Optional[int] = None,
        inits: Inits = None,
        warm_start: Optional[Fit] = None,
        continue_from: Optional[Fit] = None,
        until: Optional[Mapping[str, Any]] = None,
        metric: Optional[str] = None,
        inv_metric: Optional[ArrayLike] = None,
        adapt_delta: Optional[float] = None,
        max_treedepth: Optional[int] = None,
        step_size: Optional[float] = None,
        adapt_engaged: Optional[bool] = None,
        thin: Optional[int] = None,
        save_warmup: Optional[bool] = None,
        save: Optional[Sequence[str]] = None,
        diagnostics: bool = False,
        show_progress: Optional[bool] = None,
        **settings: Any,
    ) -> Fit:
        """
        Draws from the posterior by the No-U-Turn sampler: by default 4 chains with 1000 draws each after 1000 iterations of warmup.
        `parallel_chains` limits the number of chains that run concurrently, which is that of the processors by default.

        `metric` is diag_e, dense_e, unit_e or low_rank; `algorithm="static"`, `"fixed_param"`, `"recommended"` or `"tempered"` choose other
        samplers. `inits` is a radius, values for all chains, a list with values for each, or a fit. `warm_start` is a fit whose positions, step
        size and metric the chains start with; parameters are matched by name and size. `continue_from` is a fit whose chains continue where they
        ended: the result has the additional draws. `until` is a rule for stopping, such as `{"ess_bulk": 400, "rhat": 1.01}`: it is checked
        after every `iter_sampling` iterations of all chains. `save` names the variables to keep. `diagnostics` keeps position, momentum and
        gradient of each draw. Ctrl-C raises `Interrupted`, a KeyboardInterrupt with the draws so far in its attribute `fit`.
        """
        if chains is None and "num_chains" not in settings and settings.get("derived", "prior") == "prior":
            chains = 4
        given = {
            "chains": chains,
            "parallel_chains": parallel_chains,
            "iter_warmup": iter_warmup,
            "iter_sampling": iter_sampling,
            "seed": seed,
            "inits": inits,
            "warm_start": warm_start,
            "continue_from": continue_from,
            "metric": metric,
            "inv_metric": inv_metric,
            "adapt_delta": adapt_delta,
            "max_treedepth": max_treedepth,
            "step_size": step_size,
            "adapt_engaged": adapt_engaged,
            "thin": thin,
            "save_warmup": save_warmup,
            "save": save,
            "until": _rule(until),
            **settings,
        }
        return self._run("sample", data, given, diagnostics=diagnostics, show_progress=show_progress)

    def prior(self, data: Data = None, **arguments: Any) -> Fit:
        """
        Draws from the prior distribution, with the arguments of `sample`: the program runs without the statements that condition on data.
        Raises StanProgramError if a parameter has no prior.
        """
        return self.sample(data, derived="prior", **arguments)

    def sbc(
        self,
        data: Data = None,
        *,
        simulations: int = 100,
        iter_warmup: Optional[int] = None,
        iter_sampling: Optional[int] = None,
        seed: Optional[int] = None,
        metric: Optional[str] = None,
        adapt_delta: Optional[float] = None,
        max_treedepth: Optional[int] = None,
        show_progress: Optional[bool] = None,
        **settings: Any,
    ) -> Calibration:
        """
        Simulation-based calibration (Talts and others, 2018): parameters are drawn from the prior, data are simulated from the likelihood, and each
        of `simulations` data sets is fitted by one chain. If the program and the sampler are correct, the ranks of parameters among the
        draws of their fits are uniform. Values of outcomes in `data` only determine their sizes.

        Ctrl-C stops the fits and raises KeyboardInterrupt, as in all methods but `sample` and `prior`.
        """
        fit = self.sample(
            data,
            derived="sbc",
            simulations=simulations,
            iter_warmup=iter_warmup,
            iter_sampling=iter_sampling,
            seed=seed,
            metric=metric,
            adapt_delta=adapt_delta,
            max_treedepth=max_treedepth,
            show_progress=show_progress,
            **settings,
        )
        return Calibration(fit)

    def kfold(
        self,
        data: Data = None,
        *,
        folds: Optional[int] = None,
        groups: Optional[str] = None,
        observations: Optional[Sequence[str]] = None,
        chains: Optional[int] = None,
        iter_warmup: Optional[int] = None,
        iter_sampling: Optional[int] = None,
        seed: Optional[int] = None,
        metric: Optional[str] = None,
        adapt_delta: Optional[float] = None,
        max_treedepth: Optional[int] = None,
        warm_start: Optional[Fit] = None,
        show_progress: Optional[bool] = None,
        **settings: Any,
    ) -> KFold:
        """
        Cross-validation with refits: the posterior without each group of observations is sampled by `chains` chains (4 by default), and
        predicts these observations. Groups are `folds` random ones (10 by default), those of the variable `groups` of the data, or single
        `observations` such as `y[3]`. Raises StanProgramError if observations are ambiguous.
        """
        fit = self.sample(
            data,
            derived="kfold",
            folds=folds,
            groups=groups,
            observations=None if observations is None else list(observations),
            chains=chains,
            iter_warmup=iter_warmup,
            iter_sampling=iter_sampling,
            seed=seed,
            metric=metric,
            adapt_delta=adapt_delta,
            max_treedepth=max_treedepth,
            warm_start=warm_start,
            show_progress=show_progress,
            **settings,
        )
        return KFold(fit)

    def optimize(
        self,
        data: Data = None,
        *,
        seed: Optional[int] = None,
        inits: Inits = None,
        algorithm: Optional[str] = None,
        jacobian: Optional[bool] = None,
        iter: Optional[int] = None,
        **settings: Any,
    ) -> Fit:
        """
        Finds a mode by L-BFGS, or `algorithm` bfgs or newton: of the density of the constrained parameters, or with `jacobian` of the
        unconstrained ones. The fit has one draw.
        """
        given = {"seed": seed, "inits": inits, "algorithm": algorithm, "jacobian": jacobian, "iter": iter, **settings}
        return self._run("optimize", data, given)

    def laplace(
        self,
        data: Data = None,
        *,
        mode: Union[None, Mapping[str, Any], Fit] = None,
        draws: Optional[int] = None,
        jacobian: bool = True,
        seed: Optional[int] = None,
        **settings: Any,
    ) -> Fit:
        """Draws from the Laplace approximation at `mode`, which is found first unless it is given."""
        found = self.optimize(data, seed=seed, jacobian=jacobian) if mode is None else mode
        given = {"mode": found, "draws": draws, "jacobian": jacobian, "seed": seed, **settings}
        return self._run("laplace", data, given)

    def variational(
        self,
        data: Data = None,
        *,
        algorithm: Optional[str] = None,
        draws: Optional[int] = None,
        seed: Optional[int] = None,
        inits: Inits = None,
        **settings: Any,
    ) -> Fit:
        """Draws from a normal approximation by ADVI: `algorithm` is meanfield or fullrank. The first draw is its mean, as in CmdStan."""
        given = {"algorithm": algorithm, "draws": draws, "seed": seed, "inits": inits, **settings}
        return self._run("variational", data, given)

    def pathfinder(
        self,
        data: Data = None,
        *,
        num_paths: Optional[int] = None,
        draws: Optional[int] = None,
        seed: Optional[int] = None,
        inits: Inits = None,
        **settings: Any,
    ) -> Fit:
        """Draws from normal approximations along the paths of an optimizer (Zhang and others, 2022)."""
        given = {"num_paths": num_paths, "draws": draws, "seed": seed, "inits": inits, **settings}
        return self._run("pathfinder", data, given)

    def generate_quantities(
        self,
        data: Data = None,
        previous_fit: PreviousFit = None,
        *,
        seed: Optional[int] = None,
        **settings: Any,
    ) -> Fit:
        """
        Generated quantities for each draw of `previous_fit`, a fit or a list of parameter values. Raises ArgumentError without one.
        """
        return self._generate(data, {"seed": seed, **settings}, previous_fit)

    def log_likelihood(self, data: Data = None, previous_fit: PreviousFit = None, **settings: Any) -> Fit:
        """
        The log likelihood of each observation, derived from the program, for each draw: `log_lik__y[3]` is that of `y[3]`. Raises
        StanProgramError if observations are ambiguous.
        """
        return self._derive("log_lik", data, settings, previous_fit)

    def predict(
        self,
        data: Data = None,
        previous_fit: PreviousFit = None,
        *,
        seed: Optional[int] = None,
        **settings: Any,
    ) -> Fit:
        """Replicated data for each draw, `y_rep` for an outcome `y`. The code that draws them is derived from the program."""
        return self._derive("replicated", data, {"seed": seed, **settings}, previous_fit)

    def _derive(self, kind: str, data: Data, given: Mapping[str, Any], previous_fit: PreviousFit) -> Fit:
        return self._generate(data, {**given, "derived": kind}, previous_fit)

    def _generate(self, data: Data, given: Mapping[str, Any], previous_fit: PreviousFit) -> Fit:
        if isinstance(data, Fit):
            raise ArgumentError("The first argument is the data, the second one the fit: pass (data, previous_fit).")
        if previous_fit is None and given.get("fitted_params") is None:
            raise ArgumentError("previous_fit is required: a fit, or a list of parameter values.")
        return self._run("generate", data, {"previous_fit": previous_fit, **given})

    def profile(
        self,
        data: Data = None,
        *,
        point: Optional[ArrayLike] = None,
        evaluations: Optional[int] = None,
        seed: int = 1,
    ) -> Profile:
        """
        The share of each statement in a gradient's time, measured at a point of unconstrained parameters, by default a random one. The
        measurement takes about a second, and longer for a slow or long program. With `evaluations`, the gradient of each part of the
        program is evaluated that many times.
        """
        options: dict[str, Any] = {} if evaluations is None else {"evaluations": int(evaluations)}
        if point is not None:
            options["point"] = np.asarray(point, np.float64).tolist()
        return Profile(self._profile(read_data(data), options, seed))

    def _profile(self, data: Mapping[str, Any], options: Mapping[str, Any], seed: int) -> Any:
        """The response of the engine."""
        raise NotImplementedError

    def _loo(self, fit: Fit, data: Mapping[str, Any], moment_match: bool, exact: Optional[Mapping[str, float]]) -> Any:
        """Cross-validation of a fit with moment matching or refits: the response of the engine."""
        raise NotImplementedError

    def _opened(self) -> tuple[Engine, int]:
        """The engine of this process, which has the model, and the model's key there."""
        raise NotImplementedError

    def _program(self) -> dict[str, Any]:
        """The program with its name and its included files."""
        raise NotImplementedError

    @property
    def functions(self) -> Functions:
        """The functions that the program declares: `model.functions.f(1, [2.0, 3.0])`."""
        return Functions(self._call)

    def on(
        self,
        data: Data = None,
        *,
        seed: int = 0,
        threads: Optional[int] = None,
        on_print: Optional[Callable[[str], None]] = None,
    ) -> Posterior:
        """
        The model on data, for evaluation at points. `seed` is that of random numbers in transformed data. With `threads`, at most that
        number of threads evaluate the log density, in slices of the rows of the data. Results are the same for any number of threads;
        without `threads`, they can differ in their last digits. `on_print` receives what the program prints, at most 16 MiB.
        """
        raise NotImplementedError

    def log_prob(self, point: ArrayLike, data: Data = None, **form: bool) -> Any:
        """`Posterior.log_prob` on data. The process of the last data is kept."""
        return self._on(data).log_prob(point, **form)

    def log_prob_grad(self, point: ArrayLike, data: Data = None, **form: bool) -> tuple[Any, Floats]:
        """`Posterior.log_prob_grad` on data."""
        return self._on(data).log_prob_grad(point, **form)

    def hessian(self, point: ArrayLike, data: Data = None, **options: Any) -> Floats:
        """`Posterior.hessian` on data."""
        return self._on(data).hessian(point, **options)

    def constrain(self, point: ArrayLike, data: Data = None, **options: Any) -> dict[str, Any]:
        """`Posterior.constrain` on data."""
        return self._on(data).constrain(point, **options)

    def unconstrain(self, values: Mapping[str, Any], data: Data = None) -> Floats:
        """`Posterior.unconstrain` on data."""
        return self._on(data).unconstrain(values)

    def _on(self, data: Data) -> Posterior:
        if self._latest is None or self._latest[0] is not data:
            self._latest = (data, self.on(data))
        return self._latest[1]

    def _run(
        self,
        method: str,
        data: Data,
        given: Mapping[str, Any],
        *,
        diagnostics: bool = False,
        show_progress: Optional[bool] = False,
        on_event: Optional[Callable[[Event], None]] = None,
        on_start: Optional[Callable[[Callable[[], None]], None]] = None,
    ) -> Fit:
        """`on_event` is called with the events of the run instead of its display, `on_start` with a function that cancels it."""
        fields = {name: _plain(value) for name, value in given.items() if value is not None}
        # A number as initial values is a radius.
        sources = {name: fields.pop(name) for name in _SOURCES if not isinstance(fields.get(name, 0), (int, float))}
        for name in _NAME_LISTS:
            if name in fields:
                fields[name] = [fields[name]] if isinstance(fields[name], str) else list(fields[name])
        fields["diagnostics"] = diagnostics
        shown = progress(show_progress, method)
        try:
            values = read_data(data)
            fit = self._start(method, values, fields, sources, on_event or shown, on_start)
            fit._known = (self, dict(values))
        finally:
            shown.close()
        if not fit.is_complete:
            raise Interrupted(fit)
        return fit

    def _start(
        self,
        method: str,
        data: Mapping[str, Any],
        fields: dict[str, Any],
        sources: Mapping[str, Any],
        on_event: Callable[[Event], None],
        on_start: Optional[Callable[[Callable[[], None]], None]],
    ) -> Fit:
        """Runs a method; `sources` has the arguments that are values or fits."""
        raise NotImplementedError

    def _call(self, name: str, arguments: str, seed: Optional[int], signature: Optional[Sequence[str]]) -> Any:
        """Calls a function of the program: the response of the engine."""
        raise NotImplementedError


class Model(ModelMethods):
    """A compiled program. It can be pickled: another process then does not compile it."""

    def __init__(
        self, contents: dict[str, Any], wasm: bytes, engine: Optional[Engine] = None, key: Optional[int] = None
    ) -> None:
        super().__init__()
        self._contents = contents
        self._wasm = wasm
        self._engine: Optional[Engine] = None
        self._key = 0
        if engine is not None and key is not None:
            self._adopt(engine, key)

    @property
    def name(self) -> str:
        return str(self._contents["source"]["name"])

    @property
    def code(self) -> str:
        """The program."""
        return str(self._contents["source"]["program"])

    @property
    def warnings(self) -> str:
        """The compiler's warnings; empty if there are no warnings."""
        return str(self._contents["warnings"])

    def _program(self) -> dict[str, Any]:
        return dict(self._contents["source"])

    def on(
        self,
        data: Data = None,
        *,
        seed: int = 0,
        threads: Optional[int] = None,
        on_print: Optional[Callable[[str], None]] = None,
    ) -> Posterior:
        return Posterior(self._contents, self._wasm, read_data(data), seed, threads, on_print)

    def _start(
        self,
        method: str,
        data: Mapping[str, Any],
        fields: dict[str, Any],
        sources: Mapping[str, Any],
        on_event: Callable[[Event], None],
        on_start: Optional[Callable[[Callable[[], None]], None]],
    ) -> Fit:
        writer = ValueWriter()
        engine, key = self._opened()
        diagnostics = fields.pop("diagnostics")
        derived = {"derived": fields.pop("derived")} if "derived" in fields else {}
        metric = {"inv_metric": np.asarray(fields.pop("inv_metric"), np.float64)} if "inv_metric" in fields else {}
        header = {
            "op": "run",
            "model": key,
            "method": method,
            "data": writer.variables(data),
            "numbers": writer.variables(metric),
            "inputs": {name: self._input(name, value, engine, writer) for name, value in sources.items()},
            "fields": fields,
            "diagnostics": diagnostics,
            "caller": "python",
            "arrays": writer.arrays,
            **derived,
        }
        reply, _ = engine.request(header, writer.parts, on_event, on_start)
        for text in reply.get("warnings", ()):
            warnings.warn(text, stacklevel=4)
        return Fit(engine, reply)

    def _call(self, name: str, arguments: str, seed: Optional[int], signature: Optional[Sequence[str]]) -> Any:
        engine, key = self._opened()
        header = {"op": "call", "model": key, "name": name, "arguments": arguments}
        if seed is not None:
            header["seed"] = int(seed)
        if signature is not None:
            header["signature"] = list(signature)
        return engine.request(header)[0]

    def _profile(self, data: Mapping[str, Any], options: Mapping[str, Any], seed: int) -> Any:
        writer = ValueWriter()
        engine, key = self._opened()
        sent = writer.variables(data)
        header = {"op": "profile", "model": key, "data": sent, "arrays": writer.arrays, "seed": int(seed), **options}
        return engine.request(header, writer.parts)[0]

    def _loo(self, fit: Fit, data: Mapping[str, Any], moment_match: bool, exact: Optional[Mapping[str, float]]) -> Any:
        writer = ValueWriter()
        engine, key = self._opened()
        sent = writer.variables(data)
        header: dict[str, Any] = {
            "op": "model loo",
            "model": key,
            "fit": fit.key_in(engine),
            "momentMatch": moment_match,
        }
        header.update({"data": sent, "arrays": writer.arrays})
        if exact is not None:
            header["exact"] = dict(exact)
        return engine.request(header, writer.parts)

    @staticmethod
    def _input(name: str, value: Any, engine: Engine, writer: ValueWriter) -> dict[str, Any]:
        if isinstance(value, Fit):
            return {"fit": value.key_in(engine)}
        if isinstance(value, Mapping):
            return {"values": writer.variables(value)}
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise ArgumentError(f"{name} must be a fit, values, or a list of values, not {type(value).__name__}.")
        chains = list(value)
        for index, each in enumerate(chains):
            if not isinstance(each, Mapping):
                raise ArgumentError(f"{name}[{index}] must be values by their names, not {type(each).__name__}.")
        return {"list": [writer.variables(each) for each in chains]}

    def _opened(self) -> tuple[Engine, int]:
        engine = _process.engine()
        if self._engine is not engine:
            reply, _ = engine.request({"op": "open", "contents": self._contents}, [self._wasm])
            self._adopt(engine, reply["model"])
        return engine, self._key

    def _adopt(self, engine: Engine, key: int) -> None:
        self._engine = engine
        self._key = key
        weakref.finalize(self, engine.release, {"op": "release", "model": key})

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Model, (self._contents, self._wasm)

    def __repr__(self) -> str:
        return f"<leapfrog.Model {self.name}>"

    def _repr_html_(self) -> str:
        return model_html(self.name, self.code, self.warnings)


def _rule(until: Optional[Mapping[str, Any]]) -> Optional[dict[str, Any]]:
    """A stopping rule in the form for JSON."""
    if until is None:
        return None
    if not isinstance(until, Mapping):
        raise ArgumentError('until must be a mapping with limits, such as {"ess_bulk": 400}.')
    return {name: _plain(value) for name, value in until.items()}


def _path_text(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _plain(value: Any) -> Any:
    """NumPy numbers as Python numbers, which JSON accepts."""
    return value.item() if isinstance(value, np.generic) else value
