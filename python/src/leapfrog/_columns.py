"""Variables in columns: `theta.1.2` is an element of `theta`, `t:2.3` one of the second slot of the tuple `t`."""

from __future__ import annotations

import re
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def variable_of(column: str) -> str:
    """`theta` of `theta.1.2`, `t` of `t.3:2.1`."""
    return re.split(r"[.:]", column, maxsplit=1)[0]


def display_name(column: str) -> str:
    """`theta[1,2]` of `theta.1.2`, `t[3].2[1]` of `t.3:2.1`."""

    def bracketed(found: re.Match[str]) -> str:
        return "[" + found.group()[1:].replace(".", ",") + "]"

    return ".".join(re.sub(r"(?<=.)(?:\.\d+)+$", bracketed, slot) for slot in column.split(":"))


def column_of(name: str) -> str:
    """`theta.1.2` of `theta[1,2]`; a name without brackets is unchanged."""
    return re.sub(r"\[([\d,\s]+)\]", lambda found: "." + re.sub(r"[,\s]+", ".", found.group(1)), name)


def gather(columns: Sequence[str], values: Floats) -> Any:
    """
    The columns of one variable as an array: the dimensions of `values` except the last, followed by those of the variable. Complex
    variables are complex arrays. A tuple is a tuple of such arrays, one per slot; for an array of tuples, each has the dimensions of that
    array.
    """
    places: dict[tuple[int, ...], list[tuple[tuple[int, ...], str, int]]] = {}
    for place, column in enumerate(columns):
        slots: list[int] = []
        index: list[int] = []
        part = ""
        for number, piece in enumerate(column.split(":")):
            first, *rest = piece.split(".")
            if number > 0:
                slots.append(int(first))
            if rest and rest[-1] in ("real", "imag"):
                part = rest.pop()
            index.extend(int(each) - 1 for each in rest)
        places.setdefault(tuple(slots), []).append((tuple(index), part, place))
    return _nest({slots: _array(entries, values) for slots, entries in places.items()})


def _array(entries: list[tuple[tuple[int, ...], str, int]], values: Floats) -> NDArray[Any]:
    sizes = tuple(max(each) + 1 for each in zip(*(index for index, _, _ in entries)))
    is_complex = any(part for _, part, _ in entries)
    lead = values.shape[:-1]
    result = np.zeros(lead + sizes, np.complex128 if is_complex else np.float64)
    for index, part, place in entries:
        target: NDArray[Any] = result.imag if part == "imag" else result.real if is_complex else result
        where: Any = (Ellipsis, *index)
        target[where] = values[..., place]
    return result


def _nest(arrays: dict[tuple[int, ...], NDArray[Any]]) -> Any:
    if () in arrays:
        return arrays[()]
    slots = sorted({slots[0] for slots in arrays})
    return tuple(_nest({rest[1:]: array for rest, array in arrays.items() if rest[0] == slot}) for slot in slots)
