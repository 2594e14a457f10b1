"""The cell magic `%%stan` of IPython and Jupyter."""

from __future__ import annotations

import sys
from typing import Any

from .errors import StanProgramError
from .model import compile


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext leapfrog` calls this."""
    from IPython.core.error import UsageError

    def stan(line: str, cell: str) -> None:
        """
        %%stan NAME

        Compiles the cell, a Stan program, and assigns the model to the variable NAME. Files of `#include` are searched for in the current folder.
        """
        name = line.strip()
        if not name.isidentifier():
            raise UsageError("%%stan requires the name of a variable for the model, as in: %%stan model")
        try:
            model = compile(cell, name=name, include_paths=["."])
        except StanProgramError as error:
            # IPython prints a usage error without a traceback, which would not show the program.
            raise UsageError(str(error)) from None
        if model.warnings:
            print(model.warnings, file=sys.stderr)
        shell.push({name: model})

    shell.register_magic_function(stan, "cell", "stan")
