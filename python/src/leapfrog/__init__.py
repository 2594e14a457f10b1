"""
Leapfrog: Stan programs in Python without a C++ toolchain.

    import leapfrog

    model = leapfrog.compile("parameters { real x; } model { x ~ std_normal(); }")
    fit = model.sample(chains=4, seed=1)
    print(fit.summary())
"""

from ._display import Plots
from ._magic import load_ipython_extension
from ._process import close, version
from ._tables import Estimate, Finding, LogEvidence, Loo, Summary
from .calibration import Calibration
from .cmdstan import cmdstan_path
from .errors import ArgumentError, Diagnostic, EngineError, Interrupted, LeapfrogError, StanError, StanProgramError
from .evidence import EvidenceComparison, compare_evidence
from .files import from_csv, load
from .fit import Chain, Fit
from .formula import FormulaModel, model_from_formula
from .kfold import KFold
from .model import Model, compile
from .nutpie import for_nutpie
from .posterior import Posterior
from .profile import Profile, StatementTime
from .programs import Comparison, compare, format
from .remote import RemoteModel, Server, connect

__version__ = version()

__all__ = [
    "ArgumentError",
    "Calibration",
    "Chain",
    "Comparison",
    "Diagnostic",
    "EngineError",
    "Estimate",
    "EvidenceComparison",
    "Finding",
    "Fit",
    "FormulaModel",
    "Interrupted",
    "KFold",
    "LeapfrogError",
    "LogEvidence",
    "Loo",
    "Model",
    "Plots",
    "Posterior",
    "Profile",
    "RemoteModel",
    "Server",
    "StanError",
    "StanProgramError",
    "StatementTime",
    "Summary",
    "close",
    "cmdstan_path",
    "compare",
    "compare_evidence",
    "compile",
    "connect",
    "for_nutpie",
    "format",
    "from_csv",
    "load",
    "load_ipython_extension",
    "model_from_formula",
]
