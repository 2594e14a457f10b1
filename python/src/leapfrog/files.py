"""Fits in files."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Mapping, Optional, Sequence, Union

from . import _process
from ._process import Engine
from ._values import Data, read_data
from .fit import Fit
from .model import ModelMethods

Path = Union[str, "os.PathLike[str]"]


def load(path: Path) -> Fit:
    """
    Opens a fit that `Fit.save`, R's `fit$save` or `leapfrog sample --output fit.arrow` has written, or a netCDF file of ArviZ. Raises ArgumentError
    for other files.
    """
    engine = _process.engine()
    reply, _ = engine.request({"op": "load fit", "path": os.path.abspath(path)})
    fit = _fit(engine, reply)
    if reply.get("source") is not None:
        fit._source = reply["source"]
        fit._saved_data = json.loads(reply.get("data") or "{}")
    return fit


def from_csv(files: Union[Path, Sequence[Path]], *, model: Optional[ModelMethods] = None, data: Data = None) -> Fit:
    """
    A fit from CSV files of CmdStan, CmdStanPy, cmdstanr or `Fit.to_csv`, one per chain, or from those in a folder. Methods that run the program
    again, such as `predict`, require its `model` and the `data` of the run. Chains that do not belong to one fit cause a warning.
    """
    paths = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    engine = _process.engine()
    reply, _ = engine.request({"op": "read csv", "paths": [os.path.abspath(path) for path in paths]})
    fit = _fit(engine, reply)
    if model is not None:
        values: Mapping[str, Any] = read_data(data)
        fit._known = (model, dict(values))
    return fit


def _fit(engine: Engine, reply: dict[str, Any]) -> Fit:
    for text in reply["warnings"]:
        warnings.warn(text, stacklevel=3)
    return Fit(engine, reply)
