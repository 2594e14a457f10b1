"""Models for nutpie: `nutpie.sample(leapfrog.for_nutpie(model, data))`."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from ._columns import Floats, gather, variable_of
from ._values import Data
from .errors import StanError
from .model import Model


def for_nutpie(model: Model, data: Data = None, *, seed: int = 0) -> Any:
    """
    The model as a nutpie model of external functions (`nutpie.compiled_pyfunc.from_pyfunc`). Each chain has an evaluator process. Draws have
    parameters, transformed parameters and generated quantities, without complex numbers and tuples. `seed` is that of random numbers in
    transformed data. Chains start uniformly in (-2, 2), as in Stan.
    """
    from nutpie.compiled_pyfunc import from_pyfunc

    posterior = model.on(data, seed=seed)
    dimension = posterior.dimension
    names = posterior.names(transformed_parameters=True, generated_quantities=True)
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(variable_of(name), []).append(place)

    def by_variable(values: Floats) -> dict[str, NDArray[np.float64]]:
        found = {name: gather([names[each] for each in where], values[where]) for name, where in places.items()}
        return {name: array for name, array in found.items() if isinstance(array, np.ndarray) and array.dtype == float}

    shapes = {name: array.shape for name, array in by_variable(np.zeros(len(names))).items()}

    def make_logp() -> Callable[[Floats], tuple[float, Floats]]:
        own = posterior.another()

        def log_density(point: Floats) -> tuple[float, Floats]:
            try:
                return own.log_prob_grad(point)
            except StanError as error:
                # nutpie counts a transition with such an error as divergent.
                error.is_recoverable = True
                raise

        return log_density

    def make_expand(seed1: int, seed2: int, chain: int) -> Callable[[Floats], dict[str, NDArray[np.float64]]]:
        own = posterior.another()
        seeds = np.random.default_rng([seed1, seed2, chain])

        def expand(point: Floats) -> dict[str, NDArray[np.float64]]:
            values = own.constrain_array(
                point,
                transformed_parameters=True,
                generated_quantities=True,
                seed=int(seeds.integers(2**32)),
            )
            return by_variable(values)

        return expand

    def initial(seed: int) -> Floats:
        return np.random.default_rng(seed).uniform(-2, 2, dimension)

    return from_pyfunc(
        dimension,
        make_logp,
        make_expand,
        [np.dtype(np.float64)] * len(shapes),
        list(shapes.values()),
        list(shapes),
        make_initial_point_fn=initial,
    )
