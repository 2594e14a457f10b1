"""Progress of runs: bars by tqdm if it is installed, otherwise lines on standard error."""

from __future__ import annotations

import sys
from typing import Any, Optional

from ._process import Event


def progress(shown: Optional[bool], title: str) -> Progress:
    """Shows progress if `shown`; by default on a terminal and in a notebook."""
    visible = _is_interactive() if shown is None else shown
    if not visible:
        return Progress()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return LineProgress(title)
    return BarProgress(title, tqdm)


def _is_interactive() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class Progress:
    """Shows nothing. It is called with the events of a run."""

    def __call__(self, event: Event) -> None:
        if event["kind"] == "progress":
            self.update(event["chain"], event["progress"])
        elif event["kind"] == "outlook":
            self.note(event["text"])

    def update(self, chain: int, state: dict[str, Any]) -> None:
        pass

    def note(self, outlook: str) -> None:
        pass

    def close(self) -> None:
        pass


class LineProgress(Progress):
    """One line per tenth of a chain."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._shown: dict[int, int] = {}

    def update(self, chain: int, state: dict[str, Any]) -> None:
        iteration, iterations = state.get("iteration"), state.get("iterations")
        if not iteration or not iterations:
            return
        tenth = 10 * iteration // iterations
        if tenth > self._shown.get(chain, 0):
            self._shown[chain] = tenth
            print(f"{self._title}: chain {chain}, {iteration} of {iterations} iterations", file=sys.stderr)


class BarProgress(Progress):
    """A line about the run, and one bar per chain."""

    def __init__(self, title: str, tqdm: Any) -> None:
        self._title = title
        self._tqdm = tqdm
        self._bars: dict[int, Any] = {}
        self._line: Any = None

    def update(self, chain: int, state: dict[str, Any]) -> None:
        iteration, iterations = state.get("iteration"), state.get("iterations")
        if not iteration or not iterations:
            return
        if self._line is None:
            self._line = self._tqdm(bar_format="{desc}", position=0)
        if chain not in self._bars:
            self._bars[chain] = self._tqdm(total=iterations, desc=f"chain {chain}", position=1 + len(self._bars))
        bar = self._bars[chain]
        bar.n = iteration
        divergences = state.get("divergences")
        if divergences:
            bar.set_postfix(divergences=divergences, refresh=False)
        bar.refresh()

    def note(self, outlook: str) -> None:
        if self._line is not None:
            self._line.set_description_str(outlook)

    def close(self) -> None:
        for bar in [*self._bars.values(), *([] if self._line is None else [self._line])]:
            bar.close()
