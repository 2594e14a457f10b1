"""Values of variables in the form in which they are sent: arrays as binary parts, everything else as JSON."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any, Callable, Mapping, Union

import numpy as np
from numpy.typing import ArrayLike

from .errors import ArgumentError

Data = Union[None, Mapping[str, Any], str, "os.PathLike[str]"]

_INT = np.iinfo(np.int32)


_MISSING = "Stan has no missing values: leave them out, or declare them as parameters."


class _Unusable(Exception):
    """A value cannot be sent. The arguments are the names from the variable to the value, and a sentence without its subject."""


def _each(values: Mapping[str, Any], convert: Callable[[Any], Any]) -> dict[str, Any]:
    converted = {}
    for name, value in values.items():
        try:
            converted[str(name)] = convert(value)
        except _Unusable as error:
            path, problem = error.args
            raise _Unusable((str(name), *path), problem) from None
    return converted


def _variables(values: Mapping[str, Any], convert: Callable[[Any], Any]) -> dict[str, Any]:
    """Converts the value of each variable. Raises ArgumentError with the variable's name if it has no number where one must be."""
    try:
        return _each(values, convert)
    except _Unusable as error:
        path, problem = error.args
        raise ArgumentError(f"{'.'.join(path)} {problem}") from None


def _refuse_missing(value: Any) -> None:
    if value is None:
        raise _Unusable((), f"is None or contains None. {_MISSING}")
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise _Unusable((), f"has masked elements. {_MISSING}")


def _elements(value: Any) -> Any:
    """The elements of an array of objects."""
    if np.ndim(value) == 0:
        kind = type(value).__name__
        problem = f"is or contains a value of the type {kind}; values are numbers, lists, arrays, or tuples for Stan's tuples."
        raise _Unusable((), f"{problem} {_MISSING}" if kind in ("NAType", "NaTType") else problem)
    return value


class ValueWriter:
    """Collects the arrays of a request. They are its first parts."""

    def __init__(self) -> None:
        self.arrays: list[dict[str, Any]] = []
        self.parts: list[bytes] = []

    def variables(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return _variables(values, self.value)

    def value(self, value: Any) -> Any:
        if isinstance(value, (bool, np.bool_)):
            return int(value)
        if isinstance(value, (int, np.integer)):
            return int(value)
        if isinstance(value, (complex, np.complexfloating)):
            return [self.value(value.real), self.value(value.imag)]
        if isinstance(value, (float, np.floating)):
            return float(value) if math.isfinite(value) else self._array(np.asarray(value, np.float64))
        if isinstance(value, str):
            return value
        if isinstance(value, Mapping):
            return _each(value, self.value)
        _refuse_missing(value)
        if isinstance(value, tuple) and not _is_numeric(value):
            return _each({str(slot): element for slot, element in enumerate(value, 1)}, self.value)
        return self._array_or_list(value)

    def _array_or_list(self, value: Any) -> Any:
        try:
            array = np.asarray(value)
        except ValueError:
            return [self.value(element) for element in value]
        if array.dtype == object or array.dtype.kind in "USV":
            return [self.value(element) for element in _elements(value)]
        if array.dtype.kind == "c":
            array = np.stack([array.real, array.imag], axis=-1)
        if array.dtype.kind == "b":
            array = array.astype(np.int32)
        if array.dtype.kind not in "iuf":
            raise _Unusable((), f"has elements of the type {array.dtype}; it must have numbers.")
        return self._array(array)

    def _array(self, array: np.ndarray[Any, Any]) -> Any:
        is_int = array.dtype.kind in "iu"
        if is_int and array.size and (array.max() > _INT.max or array.min() < _INT.min):
            return array.tolist()
        kind: str = "int32" if is_int else "float64"
        self.arrays.append({"type": kind, "shape": list(array.shape)})
        self.parts.append(np.ascontiguousarray(array, kind).tobytes())
        return {"$array": len(self.arrays) - 1}


def json_value(value: Any) -> Any:
    """A value in the form for JSON. A tuple is a Stan tuple."""
    if isinstance(value, tuple):
        return {str(slot): json_value(element) for slot, element in enumerate(value, 1)}
    if isinstance(value, Mapping):
        return {str(slot): json_value(element) for slot, element in value.items()}
    if isinstance(value, np.ndarray):
        return json_value(value.tolist())
    if isinstance(value, list):
        return [json_value(element) for element in value]
    if isinstance(value, np.generic):
        return json_value(value.item())
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, complex):
        return [value.real, value.imag]
    return value


def json_data(values: Mapping[str, Any]) -> dict[str, Any]:
    """Like `json_value`, for data: a tuple that contains only numbers, and any value that NumPy converts to an array, is an array."""
    return _variables(values, _json_value_of_data)


def _json_value_of_data(value: Any) -> Any:
    _refuse_missing(value)
    if isinstance(value, Mapping):
        return _each(value, _json_value_of_data)
    if isinstance(value, tuple) and not _is_numeric(value):
        return _each({str(slot): element for slot, element in enumerate(value, 1)}, _json_value_of_data)
    if isinstance(value, (list, tuple)):
        return [_json_value_of_data(element) for element in value]
    if isinstance(value, (str, bool, int, float, complex, np.ndarray, np.generic)):
        return json_value(value)
    array = np.asarray(value)
    return (
        [_json_value_of_data(element) for element in _elements(value)] if array.dtype == object else json_value(array)
    )


def _is_numeric(value: ArrayLike) -> bool:
    try:
        return np.asarray(value).dtype.kind in "iuf"
    except ValueError:
        return False


def read_data(data: Data) -> Mapping[str, Any]:
    """Data as passed by the caller: a mapping, None, or the path of a JSON file."""
    if data is None:
        return {}
    if isinstance(data, Mapping):
        return data
    read = json.loads(Path(data).read_text(encoding="utf-8"))
    if not isinstance(read, dict):
        raise TypeError(f"{os.fspath(data)} must contain a JSON object with one member per variable")
    return read
