"""Exceptions of the package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Optional

if TYPE_CHECKING:
    from .fit import Fit


@dataclass(frozen=True)
class Diagnostic:
    """One error of a program. Lines and columns count from 1."""

    message: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    """As the compiler prints it, with the lines around the error."""
    code: str
    """Names the error independently of its text, such as `unknown-name`. docs/diagnostics.md lists the codes."""
    suggestion: Optional[str] = None
    """What was probably meant instead of the text at the location."""


class LeapfrogError(Exception):
    """Base class of the package's exceptions."""

    reason: Optional[str] = None
    """Identifier of an error of a server, such as `model_not_found`; None for other errors."""


class StanError(LeapfrogError, RuntimeError):
    """A program, its data or a point is invalid. The message is the program's or Stan's own."""

    is_recoverable: bool = False
    """Whether a sampler may continue, for nutpie."""

    def __init__(self, message: str, detail: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        self.detail = dict(detail or {})
        """What failed: `code` and, if known, `input`, `variable`, `declared` and `found` sizes, and the location."""

    @property
    def code(self) -> Optional[str]:
        """Identifier of the failure, such as `missing-variable`, which does not change with the message."""
        return self.detail.get("code")

    @property
    def variable(self) -> Optional[str]:
        """The variable whose value is wrong."""
        return self.detail.get("variable")

    @property
    def line(self) -> Optional[int]:
        """The line in the program, from 1."""
        return self.detail.get("line")

    @property
    def column(self) -> Optional[int]:
        """The column in the program, from 1."""
        column = self.detail.get("column")
        # Columns in the text of data already count from 1.
        return column if column is None or self.code == "data-syntax" else column + 1

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.detail), self.__dict__


class StanProgramError(StanError, ValueError):
    """A program does not compile. `line` and `column`, counted from 1, are those of the first error; `diagnostics` has all errors."""

    def __init__(self, message: str, diagnostics: list[Diagnostic]) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics

    @property
    def code(self) -> Optional[str]:
        return self.diagnostics[0].code if self.diagnostics else None

    @property
    def line(self) -> Optional[int]:
        return self.diagnostics[0].line if self.diagnostics else None

    @property
    def column(self) -> Optional[int]:
        return self.diagnostics[0].column if self.diagnostics else None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.diagnostics)


class ArgumentError(LeapfrogError, ValueError):
    """Arguments of a method are invalid. The message has one line per argument."""


class EngineError(LeapfrogError, RuntimeError):
    """The engine failed or its process ended. The program is not the cause."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during `sample` or `prior`."""

    def __init__(self, fit: Fit) -> None:
        super().__init__("The run was interrupted; the attribute `fit` of this exception has the draws so far.")
        self.fit = fit
        """The draws so far. During warmup, it has no draws unless `save_warmup` is set. Its `is_complete` is False."""


def error_of(failure: dict[str, Any]) -> LeapfrogError:
    """The exception for a failure that the engine reports."""
    kind, message = failure["kind"], failure["message"]
    if kind == "program":
        return StanProgramError(message, [_diagnostic(each) for each in failure["diagnostics"]])
    if kind == "request":
        return ArgumentError(message)
    if kind == "run":
        return StanError(message, failure.get("detail"))
    return EngineError(message)


def _diagnostic(detail: dict[str, Any]) -> Diagnostic:
    return Diagnostic(
        message=detail["message"],
        file=detail["file"],
        line=detail["line"],
        column=detail["column"] + 1,
        end_line=detail["end_line"],
        end_column=detail["end_column"] + 1,
        text=detail["text"],
        code=detail.get("code", ""),
        suggestion=detail.get("suggestion"),
    )
