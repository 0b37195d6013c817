"""What was found for the blanks of the texts that stood on the page."""

from __future__ import annotations

from app.core import wording
from app.core.requests import TextToFill
from app.core.results import FilledText

# So that undo and redo find what was said before.
_MOST_KEPT = 16


class FillResults:
    """Results by the text they were found for; `asked` holds the words that a person asks about, by blank."""

    def __init__(self) -> None:
        self.asked: dict[int, str] = {}
        self.latest: FilledText | None = None
        self._found: dict[str, FilledText] = {}
        self._waiting = ""
        self._count = 0

    def ask(self, request: TextToFill) -> None:
        """Take note of which text the next result belongs to."""
        self._waiting = request.text

    def take(self, result: FilledText) -> None:
        """Keep a result of the text asked about last."""
        self.latest = result
        self._found.pop(self._waiting, None)
        self._found[self._waiting] = result
        if len(self._found) > _MOST_KEPT:
            del self._found[next(iter(self._found))]

    def of(self, text: str) -> FilledText | None:
        """What was found for exactly this text."""
        return self._found.get(text)

    def outdated(self, text: str) -> bool:
        """Whether only another text's results are there."""
        return self.latest is not None and text not in self._found

    def count_blanks(self, count: int) -> None:
        """Forget words asked about where blanks came or went: they were counted otherwise."""
        if count != self._count:
            self.asked.clear()
        self._count = count

    def source(self) -> str:
        """By which model, where and how fast the latest result was found."""
        if self.latest is None:
            return ""
        parts = (self.latest.model, self.latest.device, wording.duration(self.latest.seconds))
        return " · ".join(part for part in parts if part)
