"""Models from formulas."""

from __future__ import annotations

import json
import math
import numbers
import os
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _process
from .errors import ArgumentError


@dataclass(frozen=True)
class FormulaModel:
    """A Stan program and its data: `compile(m.program).sample(m.data)`."""

    program: str
    data: dict[str, Any]
    labels: dict[str, tuple[str, ...]]
    """The labels of the variables with codes, such as groups, in the order of the codes from 1."""
    omitted: int
    """Number of rows that are left out because a column of the formula has a missing value."""


def model_from_formula(
    formula: str,
    data: Union[Mapping[str, Any], str, os.PathLike[str], Any],
    family: str = "normal",
    *,
    order: Optional[Sequence[str]] = None,
    sheet: Optional[str] = None,
    missing: str = "omit",
) -> FormulaModel:
    """
    A regression with weakly informative priors from a formula such as `y ~ x + (1 + x | g)`, in the notation of lme4, brms and Bambi. `data` is a
    data frame of pandas or polars, a mapping from names to columns, or the path of a table (CSV or .xlsx, of which `sheet` is read). `family` is
    normal, student, bernoulli, cumulative, poisson or negbinomial. `order` contains the categories of an ordinal outcome; categorical columns of
    pandas keep the order of their levels. Rows with a missing value are left out; with `missing="parameters"`, missing numbers are
    parameters instead. Raises ArgumentError with the part of the formula that is wrong.
    """
    table: dict[str, Any]
    if isinstance(data, (str, os.PathLike)):
        table = {"path": os.path.abspath(data), **({} if sheet is None else {"sheet": sheet})}
    else:
        table = {"columns": _columns(data)}
    header: dict[str, Any] = {"op": "formula", "formula": formula, "family": family, "table": table, "missing": missing}
    if order is not None:
        header["order"] = [str(level) for level in order]
    reply, _ = _process.engine().request(header)
    labels = {each["variable"]: tuple(each["labels"]) for each in reply["levels"]}
    return FormulaModel(reply["program"], json.loads(reply["data"]), labels, reply["omitted"])


def _columns(data: Any) -> list[dict[str, Any]]:
    names = list(data.columns) if hasattr(data, "columns") else list(data)
    if len({str(name) for name in names}) < len(names):
        raise ArgumentError("Columns must have different names.")
    columns = [_column(str(name), data[name]) for name in names]
    lengths = {len(each.get("numbers", each.get("texts", ()))) for each in columns}
    if len(lengths) > 1:
        raise ArgumentError("Columns must have the same length.")
    return columns


def _column(name: str, values: Any) -> dict[str, Any]:
    """A column as the engine reads it: numbers or texts, with None for missing values."""
    categories = getattr(getattr(values, "cat", None), "categories", None)
    cells = [
        None if _is_missing(value) else value for value in (values.tolist() if hasattr(values, "tolist") else values)
    ]
    if categories is not None:
        texts = [None if value is None else str(value) for value in cells]
        return {"name": name, "texts": texts, "levels": [str(level) for level in categories]}
    present = [value for value in cells if value is not None]
    if all(isinstance(value, (numbers.Real, np.bool_)) for value in present):
        numeric = [
            None if value is None else int(value) if float(value).is_integer() else float(value) for value in cells
        ]
        return {"name": name, "numbers": numeric}
    # A column that the formula does not use may have any type.
    return {"name": name, "texts": [None if value is None else str(value) for value in cells]}


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, numbers.Real) and math.isnan(value)
