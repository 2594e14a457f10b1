"""A CmdStan folder for CmdStanPy and others."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Optional, Union

from . import _process


def cmdstan_path(folder: Union[None, str, os.PathLike[str]] = None) -> str:
    """
    Creates or updates a folder that CmdStanPy uses as CmdStan, and returns its path:

        cmdstanpy.set_cmdstan_path(leapfrog.cmdstan_path())

    The folder is `~/.cmdstan/leapfrog/cmdstan-2.40.0` by default, or a temporary folder if the home folder is not writable. Sets the
    environment variable MAKE if GNU make is not installed.
    """
    path = Path(folder) if folder is not None else _default_folder()
    path.mkdir(parents=True, exist_ok=True)
    _process.engine().request({"op": "cmdstan", "folder": str(path.resolve())})
    _use_own_make(path.resolve())
    return str(path.resolve())


def _default_folder() -> Path:
    home = Path.home() / ".cmdstan" / "leapfrog"
    try:
        home.mkdir(parents=True, exist_ok=True)
        return home / "cmdstan-2.40.0"
    except OSError:
        return Path(tempfile.gettempdir()) / "leapfrog" / "cmdstan-2.40.0"


def _use_own_make(folder: Path) -> Optional[str]:
    from shutil import which

    if "MAKE" not in os.environ and which("make") is None:
        os.environ["MAKE"] = str(folder / "bin" / "make")
    return os.environ.get("MAKE")
