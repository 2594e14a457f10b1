"""Models and fits as HTML, for notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from ._tables import Finding

_GOOD, _BAD = "#1d6f5c", "#b3261e"


@dataclass(frozen=True, repr=False)
class Plots:
    """Plots as SVG. A notebook shows them side by side."""

    svg: tuple[str, ...]
    """One document per plot."""

    def __repr__(self) -> str:
        return f"<{len(self.svg)} plots>"

    def _repr_html_(self) -> str:
        # The plots have the colors of paper even in a notebook with a dark theme.
        style = "display:flex;flex-wrap:wrap;gap:1em;background:#fff;color:#1b1f24"
        return f'<div style="{style}">{"".join(self.svg)}</div>'


def model_html(name: str, program: str, warnings: str) -> str:
    notes = f"<pre>{escape(warnings)}</pre>" if warnings else ""
    return f"<details><summary>Stan model <b>{escape(name)}</b></summary><pre>{escape(program)}</pre></details>{notes}"


def findings_html(headline: str, findings: Sequence[Finding]) -> str:
    """The verdict on draws and the finding of each check, problems first."""
    if not findings:
        return ""
    problems = [each for each in findings if not each.ok]
    items = "".join(f"<li>{escape(str(each))}</li>" for each in sorted(findings, key=lambda each: each.ok))
    checks = f"{len(problems)} of {len(findings)} checks found a problem." if problems else "No check found a problem."
    return (
        f'<p style="color:{_BAD if problems else _GOOD}"><b>{escape(headline)}</b></p>'
        f"<details{' open' if problems else ''}><summary>{checks}</summary><ul>{items}</ul></details>"
    )


def folded(title: str, html: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{html}</details>"


def table_html(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    """A table whose rows begin with a name."""
    head = "".join(f"<th>{escape(each)}</th>" for each in columns)
    body = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, cells in rows
    )
    return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"
