"""The one place that converts between code points of a text, UTF-16 units, and characters of a PDF's page."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left

from app.core.text import Span

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def utf16_units(text: str) -> int:
    """How many UTF-16 units a text has: a character beyond U+FFFF takes two."""
    # Encoding it as UTF-16 is many times faster than searching for those characters.
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


class Offsets:
    """Converts positions of one text between both ways of counting; each conversion takes logarithmic time."""

    def __init__(self, text: str) -> None:
        any_astral = utf16_units(text) > len(text)
        astral = [match.start() for match in _ASTRAL.finditer(text)] if any_astral else []
        self._points = array("q", astral)
        self._units = array("q", (point + before for before, point in enumerate(astral)))
        self.units = len(text) + len(astral)

    def to_qt(self, point: int) -> int:
        """The UTF-16 position of a code point position."""
        return point + bisect_left(self._points, point)

    def to_point(self, unit: int) -> int:
        """The code point position of a UTF-16 position; one inside a pair is moved to its start."""
        return unit - bisect_left(self._units, unit)

    def span_to_qt(self, span: Span) -> tuple[int, int]:
        """A span's start and end as UTF-16 positions."""
        return self.to_qt(span.start), self.to_qt(span.end)
