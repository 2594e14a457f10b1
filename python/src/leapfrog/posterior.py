"""A model on its data: log density, gradient, Hessian and transforms."""

from __future__ import annotations

import os
import weakref
from typing import Any, Callable, Mapping, Optional

import numpy as np
from numpy.typing import ArrayLike

from ._columns import Floats, gather, variable_of
from ._process import Evaluator
from ._values import ValueWriter

_GRADIENT = 1
_DENSITY = 2
_WITHOUT_JACOBIAN = 4
_PROPTO = 8


class Posterior:
    """
    A model on a data set, evaluated by a separate process. Points are unconstrained: arrays of `dimension` numbers, or (points, dimension)
    for many at a time, which takes one exchange with the process. Methods raise StanError if the program rejects a point.
    """

    def __init__(
        self,
        contents: dict[str, Any],
        wasm: bytes,
        data: Mapping[str, Any],
        seed: int = 0,
        threads: Optional[int] = None,
        on_print: Optional[Callable[[str], None]] = None,
    ) -> None:
        self._contents = contents
        self._wasm = wasm
        self._data = data
        self._seed = seed
        self._threads = threads
        self._on_print = on_print
        self._evaluator: Optional[Evaluator] = None
        self._pid = 0
        opened = self._process.opened
        self.dimension: int = opened["dimension"]
        """Number of unconstrained parameters."""
        self.unconstrained_names: tuple[str, ...] = tuple(opened["unconstrainedNames"])
        self.variables: dict[str, tuple[int, ...]] = {each["name"]: tuple(each["dims"]) for each in opened["variables"]}
        """Dimensions of the variables that the program outputs."""
        self._names: dict[tuple[bool, bool], tuple[str, ...]] = {}

    @property
    def _process(self) -> Evaluator:
        """Restarted after a fork, and if it has ended."""
        if self._evaluator is None or self._pid != os.getpid() or not self._evaluator.is_open:
            writer = ValueWriter()
            data = writer.variables(self._data)
            header = {
                "op": "open",
                "contents": self._contents,
                "data": data,
                "arrays": writer.arrays,
                "seed": self._seed,
                **({} if self._threads is None else {"threads": self._threads}),
                "prints": self._on_print is not None,
            }
            self._evaluator = Evaluator(header, [self._wasm, *writer.parts], self._on_print)
            self._pid = os.getpid()
            weakref.finalize(self, self._evaluator.close)
        return self._evaluator

    def log_prob(self, point: ArrayLike, *, jacobian: bool = True, propto: bool = False) -> Any:
        """
        The log density: a float for a point, an array for many points. `jacobian` includes the log Jacobian of the constraining transforms;
        `propto` drops constant terms.
        """
        points, is_one = self._points(point)
        kind = _form(_DENSITY, jacobian, propto)
        length = 8 * (1 if is_one else len(points))
        values = np.frombuffer(self._process.evaluate(kind, points.tobytes(), length), np.float64)
        return float(values[0]) if is_one else values

    def log_prob_grad(self, point: ArrayLike, *, jacobian: bool = True, propto: bool = False) -> tuple[Any, Floats]:
        """
        The log density and its gradient with respect to the point: a float and an array (dimension), or arrays (points) and
        (points, dimension).
        """
        points, is_one = self._points(point)
        kind = _form(_GRADIENT, jacobian, propto)
        count = 1 if is_one else len(points)
        answer = self._process.evaluate(kind, points.tobytes(), 8 * count * (1 + self.dimension))
        values = np.frombuffer(answer, np.float64)
        if is_one:
            return float(values[0]), values[1:]
        return values[:count], values[count:].reshape(count, self.dimension)

    def hessian(
        self, point: ArrayLike, *, jacobian: bool = True, propto: bool = False, memory: Optional[int] = None
    ) -> Floats:
        """
        The second derivatives of the log density, (dimension, dimension): exact, or central differences of the gradient if the compiler
        cannot differentiate the program twice. The first call compiles the program with second derivatives. Raises ArgumentError for a
        matrix of more than `memory` MiB, by default 1024.
        """
        points, is_one = self._points(point)
        if not is_one:
            raise ValueError("hessian takes one point")
        header: dict[str, Any] = {"op": "hessian", "jacobian": jacobian, "propto": propto}
        if memory is not None:
            header["memory"] = memory
        _, parts = self._process.request(header, [points.tobytes()])
        return np.frombuffer(parts[0], np.float64).reshape(self.dimension, self.dimension)

    def names(self, *, transformed_parameters: bool = False, generated_quantities: bool = False) -> tuple[str, ...]:
        """Names of the numbers of `constrain_array`: `theta.2` is element 2 of `theta`."""
        parts = (transformed_parameters, generated_quantities)
        if parts not in self._names:
            header, _ = self._process.request({"op": "names", **_parts(*parts)})
            self._names[parts] = tuple(header["names"])
        return self._names[parts]

    def constrain_array(
        self,
        point: ArrayLike,
        *,
        transformed_parameters: bool = False,
        generated_quantities: bool = False,
        seed: int = 0,
    ) -> Floats:
        """
        Values of the parameters at a point in the order of `names`, or one row per point. `seed` is that of the random numbers of generated
        quantities at the first point; each further point has the next seed.
        """
        points, is_one = self._points(point)
        header = {"op": "constrain", "seed": seed, **_parts(transformed_parameters, generated_quantities)}
        _, parts = self._process.request(header, [points.tobytes()])
        rows = [np.frombuffer(part, np.float64) for part in parts]
        return rows[0] if is_one else np.stack(rows) if rows else np.empty((0, 0), np.float64)

    def constrain(
        self,
        point: ArrayLike,
        *,
        transformed_parameters: bool = False,
        generated_quantities: bool = False,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Like `constrain_array`, by variable: arrays with the dimension of the points, followed by those of the variable."""
        options = {"transformed_parameters": transformed_parameters, "generated_quantities": generated_quantities}
        values = self.constrain_array(point, seed=seed, **options)
        places: dict[str, list[int]] = {}
        names = self.names(**options)
        for place, name in enumerate(names):
            places.setdefault(variable_of(name), []).append(place)
        return {name: gather([names[each] for each in found], values[..., found]) for name, found in places.items()}

    def unconstrain(self, values: Mapping[str, Any]) -> Floats:
        """The point at which the parameters have these values, all of which must be given."""
        writer = ValueWriter()
        sent = writer.variables(values)
        _, parts = self._process.request({"op": "unconstrain", "values": sent, "arrays": writer.arrays}, writer.parts)
        return np.frombuffer(parts[0], np.float64)

    def unconstrain_array(self, values: ArrayLike) -> Floats:
        """The point of parameters in the order of `names`."""
        given = np.ascontiguousarray(values, np.float64)
        if given.shape != (len(self.names()),):
            raise ValueError(f"there are {len(self.names())} values of parameters, but the shape is {given.shape}")
        _, parts = self._process.request({"op": "unconstrain draw"}, [given.tobytes()])
        return np.frombuffer(parts[0], np.float64)

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self._contents, self._wasm, self._data, self._seed, self._threads, self._on_print

    def another(self) -> Posterior:
        """The same model and data in another process, for another thread."""
        return Posterior(*self._arguments)

    def close(self) -> None:
        """Ends the process. The next call starts another one."""
        if self._evaluator is not None and self._pid == os.getpid():
            self._evaluator.close()
        self._evaluator = None

    def _points(self, point: ArrayLike) -> tuple[Floats, bool]:
        points = np.ascontiguousarray(point, np.float64)
        if points.ndim == 0 or points.ndim > 2 or points.shape[-1] != self.dimension:
            expected = f"({self.dimension},) or (points, {self.dimension})"
            raise ValueError(f"a point must have the shape {expected}, but has {points.shape}")
        return points, points.ndim == 1

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Posterior, self._arguments

    def __repr__(self) -> str:
        return f"<leapfrog.Posterior with {self.dimension} unconstrained parameters>"


def _form(operation: int, jacobian: bool, propto: bool) -> int:
    return operation | (0 if jacobian else _WITHOUT_JACOBIAN) | (_PROPTO if propto else 0)


def _parts(transformed_parameters: bool, generated_quantities: bool) -> dict[str, bool]:
    return {"transformedParameters": transformed_parameters, "generatedQuantities": generated_quantities}
