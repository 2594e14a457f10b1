"""A folder for scripts that pass the path of BridgeStan's sources on. It has a makefile that compiles programs."""

from __future__ import annotations

import sys
from pathlib import Path

# Not the folder of BridgeStan's own sources, which may be installed.
CURRENT_BRIDGESTAN = Path("~").expanduser() / ".bridgestan" / "leapfrog" / "bridgestan-2.7.0"

_MAKEFILE = """\
%_model.leapfrog: %.stan
\t"{python}" -c 'import sys; from leapfrog.bridgestan import compile_model; compile_model(sys.argv[1])' "$<"
"""


def write_bridgestan_folder() -> None:
    """Writes the folder. Nothing is downloaded."""
    CURRENT_BRIDGESTAN.mkdir(parents=True, exist_ok=True)
    (CURRENT_BRIDGESTAN / "Makefile").write_text(_MAKEFILE.format(python=sys.executable), encoding="utf-8")
