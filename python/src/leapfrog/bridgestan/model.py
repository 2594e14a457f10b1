"""BridgeStan's class `StanModel`, on this engine: `from leapfrog.bridgestan import StanModel`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Mapping, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from ._columns import Floats
from .model import Model, compile
from .posterior import Posterior


class StanRNG:
    """Seeds of random numbers: a new seed for each call that takes it."""

    def __init__(self, seed: int) -> None:
        self._next = seed

    def take(self) -> int:
        self._next += 1
        return self._next - 1


class StanModel:
    """
    A model on data with BridgeStan's methods. The program is a `Model`, Stan code, or the path of a file with it; data are a mapping, JSON text,
    or the path of a JSON file. Methods raise RuntimeError (StanError) if the program rejects a point.
    """

    def __init__(
        self,
        model: Union[Model, str, os.PathLike[str]],
        data: Union[None, Mapping[str, Any], str, os.PathLike[str]] = None,
        *,
        seed: int = 1234,
    ) -> None:
        self._model = model if isinstance(model, Model) else compile(model)
        given = json.loads(data) if isinstance(data, str) and data.lstrip().startswith("{") else data
        self._posterior: Posterior = self._model.on(given, seed=seed)

    def name(self) -> str:
        """The file's name without `.stan`, and `_model`."""
        return Path(self._model.name).name.removesuffix(".stan") + "_model"

    def model_info(self) -> str:
        return "Leapfrog"

    def param_num(self, *, include_tp: bool = False, include_gq: bool = False) -> int:
        return len(self.param_names(include_tp=include_tp, include_gq=include_gq))

    def param_unc_num(self) -> int:
        return self._posterior.dimension

    def param_names(self, *, include_tp: bool = False, include_gq: bool = False) -> list[str]:
        """Names such as `theta.2`."""
        return list(self._posterior.names(transformed_parameters=include_tp, generated_quantities=include_gq))

    def param_unc_names(self) -> list[str]:
        return list(self._posterior.unconstrained_names)

    def new_rng(self, seed: int) -> StanRNG:
        return StanRNG(seed)

    def param_constrain(
        self,
        theta_unc: ArrayLike,
        *,
        include_tp: bool = False,
        include_gq: bool = False,
        out: Optional[Floats] = None,
        rng: Optional[StanRNG] = None,
    ) -> Floats:
        """Generated quantities require `rng`."""
        if include_gq and rng is None:
            raise ValueError("Error: must specify rng when including generated quantities")
        values = self._posterior.constrain_array(
            theta_unc,
            transformed_parameters=include_tp,
            generated_quantities=include_gq,
            seed=0 if rng is None else rng.take(),
        )
        return _written(values, out)

    def param_unconstrain(self, theta: ArrayLike, *, out: Optional[Floats] = None) -> Floats:
        return _written(self._posterior.unconstrain_array(theta), out)

    def param_unconstrain_json(self, theta_json: str, *, out: Optional[Floats] = None) -> Floats:
        return _written(self._posterior.unconstrain(json.loads(theta_json)), out)

    def log_density(self, theta_unc: ArrayLike, *, propto: bool = True, jacobian: bool = True) -> float:
        return float(self._posterior.log_prob(theta_unc, propto=propto, jacobian=jacobian))

    def log_density_gradient(
        self, theta_unc: ArrayLike, *, propto: bool = True, jacobian: bool = True, out: Optional[Floats] = None
    ) -> tuple[float, Floats]:
        value, gradient = self._posterior.log_prob_grad(theta_unc, propto=propto, jacobian=jacobian)
        return float(value), _written(gradient, out)

    def log_density_hessian(
        self,
        theta_unc: ArrayLike,
        *,
        propto: bool = True,
        jacobian: bool = True,
        out_grad: Optional[Floats] = None,
        out_hess: Optional[Floats] = None,
    ) -> tuple[float, Floats, Floats]:
        value, gradient = self.log_density_gradient(theta_unc, propto=propto, jacobian=jacobian, out=out_grad)
        hessian = self._posterior.hessian(theta_unc, propto=propto, jacobian=jacobian)
        return value, gradient, _written(hessian, out_hess)

    def log_density_hessian_vector_product(
        self,
        theta_unc: ArrayLike,
        v: ArrayLike,
        *,
        propto: bool = True,
        jacobian: bool = True,
        out: Optional[Floats] = None,
    ) -> tuple[float, Floats]:
        """The product of the full Hessian and the vector."""
        value = self.log_density(theta_unc, propto=propto, jacobian=jacobian)
        hessian = self._posterior.hessian(theta_unc, propto=propto, jacobian=jacobian)
        product: Floats = hessian @ np.asarray(v, np.float64)
        return value, _written(product, out)


def _written(values: Floats, out: Optional[Floats]) -> Floats:
    """A writable copy, in `out` if it is given."""
    if out is None:
        return np.array(values)
    if out.shape != values.shape:
        raise ValueError(f"Error: out must have the shape {values.shape}, but has {out.shape}")
    out[...] = values
    return out
