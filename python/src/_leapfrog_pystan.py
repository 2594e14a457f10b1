"""
`import stan` on this engine if the environment variable LEAPFROG_PYSTAN is 1.

leapfrog_pystan.pth imports this module when Python starts. Nothing else is imported until the program imports `stan`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Optional, Sequence


class _StanLoader(Loader):
    """Loads PyStan, and replaces its client."""

    def __init__(self, spec: ModuleSpec, loader: Loader) -> None:
        self._spec = spec
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> Optional[ModuleType]:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._spec.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        import_module("leapfrog.pystan")


class _StanFinder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        if fullname != "stan":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _StanLoader(spec, spec.loader)
        return spec


sys.meta_path.insert(0, _StanFinder())
