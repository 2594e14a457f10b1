"""Arrays of callers: those of NumPy, those of ctypes, and pointers to doubles."""

from __future__ import annotations

import ctypes
from typing import Any, Optional, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._columns import Floats
from ..errors import ArgumentError

_DOUBLES = ctypes.POINTER(ctypes.c_double)

Output = Union[Floats, "ctypes.Array[ctypes.c_double]", "ctypes._Pointer[ctypes.c_double]"]
Written = TypeVar("Written", bound=Output)


class ShapeError(ArgumentError, ctypes.ArgumentError):
    """An array has the wrong shape or type. BridgeStan raises ValueError for some arrays and ctypes.ArgumentError for others."""


def doubles(name: str, values: Union[ArrayLike, Output], shape: tuple[int, ...]) -> Floats:
    """The values as an array; that of a ctypes array or pointer shares its memory."""
    array: NDArray[Any]
    if isinstance(values, _DOUBLES):
        return np.ctypeslib.as_array(values, shape)
    if isinstance(values, ctypes.Array):
        array = np.ctypeslib.as_array(values)
        if array.dtype != np.float64:
            raise ShapeError(f"{name} must be an array of doubles, but is one of {array.dtype}")
        # A C array of a matrix has one dimension.
        if array.size == np.prod(shape, dtype=int):
            array = array.reshape(shape)
    else:
        array = np.asarray(values, np.float64)
    if array.shape != shape:
        raise ShapeError(f"{name} must have the shape {shape}, but has {array.shape}")
    return array


def written(name: str, values: Floats, out: Optional[Written]) -> Union[Floats, Written]:
    """`out` with the values, or without it, a writable copy."""
    if out is None:
        return np.array(values)
    if isinstance(out, np.ndarray) and (out.dtype != np.float64 or not out.flags.writeable):
        raise ShapeError(f"{name} must be a writable array of doubles")
    into = out if isinstance(out, np.ndarray) else doubles(name, out, values.shape)
    if into.shape != values.shape:
        raise ShapeError(f"{name} must have the shape {values.shape}, but has {into.shape}")
    into[...] = values
    return out
