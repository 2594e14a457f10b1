"""Functions that a program declares, called from Python."""

from __future__ import annotations

import json
from typing import Any, Callable, Optional, Protocol, Sequence

import numpy as np

from ._values import json_value


class Call(Protocol):
    """Calls a function by name: arguments as JSON text, seed, types of the parameters. Returns the engine's response."""

    def __call__(self, name: str, arguments: str, seed: Optional[int], signature: Optional[Sequence[str]]) -> Any: ...


class Functions:
    """
    The functions of a program as methods: `model.functions.f(1, [2.0, 3.0])`.

    Arguments are numbers, lists and NumPy arrays; a tuple is a Stan tuple. `seed` is the seed of a function that ends in `_rng`. `signature` lists
    the types of the parameters, such as `["row_vector"]`, if several overloads accept the arguments. Raises StanError if no overload
    accepts the arguments, or if the function fails. The function's output is printed.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)

        def function(*arguments: Any, seed: Optional[int] = None, signature: Optional[Sequence[str]] = None) -> Any:
            text = json.dumps([json_value(argument) for argument in arguments])
            answer = self._call(name, text, seed, signature)
            if answer["output"]:
                print(answer["output"], end="")
            return value_of(answer["result"], answer["type"])

        function.__name__ = name
        return function


def value_of(value: Any, type: str) -> Any:
    """The Python value of a value in Stan's JSON format, by its type: a number, an array, a tuple, or a list of tuples."""
    if value is None:
        return None
    base = type.rpartition("] ")[2] if not type.endswith(")") else type[type.index("tuple(") :]
    depth = type[: len(type) - len(base)].count(",") + (1 if base != type else 0)
    if base.startswith("tuple("):
        return _tuples(value, _split(base[len("tuple(") : -1]), depth)
    if base.startswith("complex"):
        pairs = np.asarray(value, np.float64)
        pairs = pairs.reshape(pairs.shape if pairs.size else (*pairs.shape, 2))
        found = pairs[..., 0] + 1j * pairs[..., 1]
        return complex(found) if type == "complex" else found
    if type == "int":
        return int(value)
    if type == "real":
        return float(value)
    return np.asarray(value, np.int64 if base == "int" else np.float64)


def _tuples(value: Any, types: list[str], depth: int) -> Any:
    if depth > 0:
        return [_tuples(element, types, depth - 1) for element in value]
    return tuple(value_of(value[str(slot)], type) for slot, type in enumerate(types, 1))


def _split(types: str) -> list[str]:
    """The types of a tuple's elements."""
    found = [""]
    depth = 0
    for character in types:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [each.strip() for each in found if each.strip()]
