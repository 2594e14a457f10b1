"""The time of a gradient by statement of the program."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Optional


@dataclass(frozen=True)
class StatementTime:
    """The time of a statement, in one evaluation of the log density and its gradient."""

    nanoseconds: float
    share: float
    """Fraction of the time of the gradient."""
    executions: int
    """The number of executions: one per iteration of the loops that contain it."""
    cost: Optional[str]
    """How a statement that adds to `target` is compiled: data, once, sums, groups, distinct rows, or rows."""
    text: str
    file: str
    line: int
    end_line: int


class Profile:
    """The result of `Model.profile`."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.nanoseconds: float = answer["nanoseconds"]
        """The time of one evaluation of the log density and its gradient."""
        self.evaluations: int = answer["evaluations"]
        """The number of timed evaluations."""
        self.statements: tuple[StatementTime, ...] = tuple(_statement(each) for each in answer["statements"])
        """Statements in program order."""
        self.other: float = answer["other"]["nanoseconds"]
        """Nanoseconds outside all statements."""

    def __str__(self) -> str:
        rows = "".join(f"{each.share:7.1%} {each.executions:11}  {_shown(each)}\n" for each in self._slowest())
        return f"  share  executions  statement\n{rows}{self.nanoseconds / 1000:.4g} µs per gradient"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "<tr><th>share</th><th>executions</th><th>statement</th></tr>"
        body = "".join(
            f"<tr><td>{each.share:.1%}</td><td>{each.executions}</td><td><code>{escape(_shown(each))}</code></td></tr>"
            for each in self._slowest()
        )
        total = f"<p>{self.nanoseconds / 1000:.4g} µs per gradient</p>"
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{total}"

    def _slowest(self) -> list[StatementTime]:
        return sorted(self.statements, key=lambda each: -each.nanoseconds)


def _statement(sent: dict[str, Any]) -> StatementTime:
    cost = sent["cost"]["cost"] if "cost" in sent else None
    return StatementTime(
        sent["nanoseconds"],
        sent["share"],
        sent["executions"],
        cost,
        sent["text"],
        sent["file"],
        sent["line"],
        sent["end_line"],
    )


def _shown(statement: StatementTime) -> str:
    first, *others = statement.text.splitlines() or [""]
    return f"line {statement.line}: {first}{' …' if others else ''}"
