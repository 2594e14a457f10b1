"""BridgeStan's class `StanModel`."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import json
import os
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from numpy.typing import ArrayLike

from .. import _process
from .._columns import Floats
from ..model import Model, compile
from ..posterior import Posterior
from ._arrays import Output, doubles, written
from .compile import open_model, write_model

# The version of BridgeStan whose methods these are.
_VERSION = (2, 7, 0)


class StanRNG:
    """Seed counter: each call that draws random numbers uses the next seed."""

    def __init__(self, seed: int) -> None:
        self._seeds = itertools.count(seed)

    def take(self) -> int:
        return next(self._seeds)


class StanModel:
    """
    A model on data with BridgeStan's methods. The program is a `Model`, Stan code, the path of a file with it, or the result of
    `compile_model`; `x_model.so` is accepted for `x.stan` in the same folder. From the path of a program, the file of `compile_model` is also
    written, if its folder permits this. Data are a mapping, JSON text, or the path of a JSON file.
    What the program prints is passed to Python's `print`, or discarded if `capture_stan_prints` is False. Methods raise RuntimeError
    (StanError) if the program rejects a point. Threads may share a model, one call at a time.
    """

    def __init__(
        self,
        model_lib: Union[Model, str, os.PathLike[str]],
        data: Union[None, Mapping[str, Any], str, os.PathLike[str]] = None,
        *,
        seed: int = 1234,
        stanc_args: Sequence[str] = (),
        make_args: Sequence[str] = (),
        capture_stan_prints: bool = True,
        warn: bool = True,
    ) -> None:
        """Of `stanc_args`, only `--include-paths` has an effect. `make_args` and `warn`, which concern C++ libraries, have none."""
        if isinstance(model_lib, Model):
            self.model = model_lib
        elif isinstance(model_lib, str) and "{" in model_lib:
            self.model = compile(model_lib)
        else:
            file = Path(model_lib)
            self.model = open_model(file, stanc_args, make_args)
            if file.suffix == ".stan":
                with contextlib.suppress(OSError):
                    write_model(self.model, file)
        self._printer = _Printer()
        on_print = self._printer if capture_stan_prints else None
        self._posterior: Posterior = self.model.on(_values(data), seed=seed, on_print=on_print)

    def name(self) -> str:
        """The file's name without `.stan`, and `_model`."""
        return Path(self.model.name).name.removesuffix(".stan") + "_model"

    def model_info(self) -> str:
        """Versions, and BridgeStan's build settings that describe this engine."""
        version = ".".join(map(str, _VERSION))
        return (
            f"Leapfrog version: {_process.version()}\nBridgeStan version: {version}\nSettings:\n"
            "\tSTAN_THREADS=true\n\tSTAN_MPI=false\n\tSTAN_OPENCL=false\n\tBRIDGESTAN_AD_HESSIAN=true\n"
        )

    def model_version(self) -> tuple[int, int, int]:
        """The version of BridgeStan whose methods this class has."""
        return _VERSION

    def param_num(self, *, include_tp: bool = False, include_gq: bool = False) -> int:
        return len(self._names(include_tp, include_gq))

    def param_unc_num(self) -> int:
        return self._posterior.dimension

    def param_names(self, *, include_tp: bool = False, include_gq: bool = False) -> list[str]:
        """Names such as `theta.2`."""
        return list(self._names(include_tp, include_gq))

    def param_unc_names(self) -> list[str]:
        return list(self._posterior.unconstrained_names)

    def new_rng(self, seed: int) -> StanRNG:
        return StanRNG(seed)

    def param_constrain(
        self,
        theta_unc: Union[ArrayLike, Output],
        *,
        include_tp: bool = False,
        include_gq: bool = False,
        out: Optional[Output] = None,
        rng: Optional[StanRNG] = None,
    ) -> Output:
        """Generated quantities require `rng`."""
        if include_gq and rng is None:
            raise ValueError("Error: must specify rng when including generated quantities")
        values = self._posterior.constrain_array(
            self._point(theta_unc),
            transformed_parameters=bool(include_tp),
            generated_quantities=bool(include_gq),
            seed=0 if rng is None else rng.take(),
        )
        return written("out", values, out)

    def param_unconstrain(self, theta: Union[ArrayLike, Output], *, out: Optional[Output] = None) -> Output:
        values = doubles("theta", theta, (self.param_num(),))
        return written("out", self._posterior.unconstrain_array(values), out)

    def param_unconstrain_json(
        self, theta_json: Union[str, Mapping[str, Any]], *, out: Optional[Output] = None
    ) -> Output:
        values = json.loads(theta_json) if isinstance(theta_json, str) else theta_json
        return written("out", self._posterior.unconstrain(values), out)

    def log_density(self, theta_unc: Union[ArrayLike, Output], *, propto: bool = True, jacobian: bool = True) -> float:
        return float(self._posterior.log_prob(self._point(theta_unc), propto=propto, jacobian=jacobian))

    def log_density_gradient(
        self,
        theta_unc: Union[ArrayLike, Output],
        *,
        propto: bool = True,
        jacobian: bool = True,
        out: Optional[Output] = None,
    ) -> tuple[float, Output]:
        value, gradient = self._posterior.log_prob_grad(self._point(theta_unc), propto=propto, jacobian=jacobian)
        return float(value), written("out", gradient, out)

    def log_density_hessian(
        self,
        theta_unc: Union[ArrayLike, Output],
        *,
        propto: bool = True,
        jacobian: bool = True,
        out_grad: Optional[Output] = None,
        out_hess: Optional[Output] = None,
    ) -> tuple[float, Output, Output]:
        form = {"propto": propto, "jacobian": jacobian}
        point = self._point(theta_unc)
        value, gradient = self._posterior.log_prob_grad(point, **form)
        hessian = self._posterior.hessian(point, **form)
        return float(value), written("out_grad", gradient, out_grad), written("out_hess", hessian, out_hess)

    def log_density_hessian_vector_product(
        self,
        theta_unc: Union[ArrayLike, Output],
        v: Union[ArrayLike, Output],
        *,
        propto: bool = True,
        jacobian: bool = True,
        out: Optional[Output] = None,
    ) -> tuple[float, Output]:
        """The product of the full Hessian and the vector."""
        point = self._point(theta_unc)
        value = self.log_density(point, propto=propto, jacobian=jacobian)
        hessian = self._posterior.hessian(point, propto=propto, jacobian=jacobian)
        product: Floats = hessian @ doubles("v", v, (self.param_unc_num(),))
        return value, written("out", product, out)

    def _set_print_callback(self, callback: Callable[[Any, int], None], _: None) -> None:
        """The function, usually of ctypes, that receives printed text instead of Python's `print`: a pointer to bytes, and their number."""
        self._printer.callback = callback

    def __repr__(self) -> str:
        return f"<leapfrog.bridgestan.StanModel {self.name()}>"

    def _names(self, include_tp: bool, include_gq: bool) -> tuple[str, ...]:
        return self._posterior.names(transformed_parameters=bool(include_tp), generated_quantities=bool(include_gq))

    def _point(self, values: Union[ArrayLike, Output]) -> Floats:
        return doubles("theta_unc", values, (self.param_unc_num(),))


def _values(
    data: Union[None, Mapping[str, Any], str, os.PathLike[str]],
) -> Union[None, Mapping[str, Any], str, os.PathLike[str]]:
    """Data without JSON text: values, or the path of a file."""
    if data == "":
        return None
    if isinstance(data, str) and data.lstrip().startswith("{"):
        values: Mapping[str, Any] = json.loads(data)
        return values
    return data


class _Printer:
    """Receives what the program prints. It does not refer to the model, whose process ends as soon as the model is not used."""

    callback: Optional[Callable[[Any, int], None]] = None

    def __call__(self, text: str) -> None:
        if self.callback is None:
            print(text, end="")
            return
        # As in Stan, the end of a line is passed separately.
        for line in text.encode().splitlines():
            for piece in (line, b"\n"):
                self.callback(ctypes.create_string_buffer(piece, len(piece) + 1), len(piece))
