"""Compiling programs, without shared libraries."""

from __future__ import annotations

import io
import os
import struct
from pathlib import Path
from typing import Sequence, Union

from .._frames import decode, encode
from .._process import version
from ..errors import ArgumentError, StanError
from ..model import Model
from ..model import compile as compile_program
from .download import CURRENT_BRIDGESTAN, write_bridgestan_folder

_INCLUDE_PATHS = "--include-paths="
_LIBRARY = "_model.so"
_COMPILED = "_model.leapfrog"


def set_bridgestan_path(path: Union[str, os.PathLike[str]]) -> None:
    """Checks that BridgeStan's sources are in the folder, and makes it that of `get_bridgestan_path`. They are not used."""
    verify_bridgestan_path(path)
    os.environ["BRIDGESTAN"] = os.path.abspath(path)


def get_bridgestan_path(download: bool = True) -> str:
    """
    The folder in the environment variable BRIDGESTAN, or one with a makefile that compiles programs. The latter is written if it is missing;
    without `download`, the result is then an empty string.
    """
    chosen = os.environ.get("BRIDGESTAN", "")
    if chosen:
        return chosen
    if not CURRENT_BRIDGESTAN.is_dir():
        if not download:
            return ""
        write_bridgestan_folder()
    return str(CURRENT_BRIDGESTAN)


def verify_bridgestan_path(path: Union[str, os.PathLike[str]]) -> None:
    """Raises ValueError unless BridgeStan's sources are in the folder."""
    folder = Path(path).resolve()
    if not folder.exists():
        raise ValueError(f"BridgeStan folder '{folder}' does not exist")
    if not (folder / "Makefile").exists():
        raise ValueError(f"BridgeStan folder '{folder}' does not contain file 'Makefile'")


def generate_so_name(model: Path) -> Path:
    """The path of the compiled program: `x_model.leapfrog` for `x.stan`."""
    return model.with_name(model.stem + _COMPILED)


def compile_model(
    stan_file: Union[str, os.PathLike[str]], *, stanc_args: Sequence[str] = (), make_args: Sequence[str] = ()
) -> Path:
    """
    Writes the compiled program to `x_model.leapfrog` beside `x.stan` and returns this path, from which `StanModel` opens the model without the
    program. Of `stanc_args`, only `--include-paths` has an effect. Raises StanProgramError if the program is invalid.
    """
    file = Path(stan_file).resolve()
    _require(file)
    if file.suffix != ".stan":
        raise ValueError(f"File '{stan_file}' does not end in .stan")
    return write_model(open_model(file, stanc_args, make_args), file)


def write_model(model: Model, file: Path) -> Path:
    """Writes a model to the path of the compiled program of `file`."""
    output = generate_so_name(file)
    output.write_bytes(encode({"version": version(), "contents": model._contents}, [model._wasm]))
    return output


def open_model(file: Path, stanc_args: Sequence[str] = (), make_args: Sequence[str] = ()) -> Model:
    """The model of a program, or of a compiled program. The library `x_model.so` stands for the program `x.stan` in the same folder."""
    if "--allow-undefined" in stanc_args or any(each.startswith("USER_HEADER") for each in make_args):
        raise StanError(
            "Functions of a C++ header (--allow-undefined, USER_HEADER) are not supported. Define them in the program."
        )
    if file.name.endswith(_COMPILED):
        _require(file)
        return _read(file)
    program = file.with_name(file.name.removesuffix(_LIBRARY) + ".stan") if file.name.endswith(_LIBRARY) else file
    _require(program)
    folders = [each.removeprefix(_INCLUDE_PATHS) for each in stanc_args if each.startswith(_INCLUDE_PATHS)]
    return compile_program(program, include_paths=[folder for each in folders for folder in each.split(",")])


def _read(file: Path) -> Model:
    """The model in a file of `compile_model`; programs that another version compiled are compiled again."""
    try:
        _, header, parts = decode(io.BytesIO(file.read_bytes()).read)
        contents = header["contents"]
        is_current = header["version"] == version()
        source = contents["source"]
    except (ValueError, KeyError, TypeError, struct.error) as error:
        raise ArgumentError(f"{file} is not a compiled program: compile the program again") from error
    if is_current:
        return Model(contents, bytes(parts[0]))
    return compile_program(source["program"] + "\n", name=source["name"], includes=source["includes"])


def _require(file: Path) -> None:
    if not file.is_file():
        raise FileNotFoundError(f"File '{file}' does not exist")
