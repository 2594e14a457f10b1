"""BridgeStan's package on this engine: `import leapfrog.bridgestan as bridgestan`."""

from . import compile, download
from .compile import compile_model, set_bridgestan_path
from .model import StanModel

__all__ = ["StanModel", "compile", "compile_model", "download", "set_bridgestan_path"]
