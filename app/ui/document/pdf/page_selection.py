"""The selection on pages, as a part of the text: the same is shown and copied."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Generator

from app.core.layout import Opened
from app.core.page_runs import Box
from app.core.pages import places_of
from app.core.text import Span
from app.ui.document.marks.word_search import TURN
from app.ui.document.pdf.page_points import caret_at, character_span, line_around, page_of, word_around
from app.ui.document.pdf.page_stack import Spot

# Looking backwards, this much of the text is searched at first.
_BACK = 1 << 16


class PageSelection:
    """The selected part of a document's text, made with the mouse by letters, words or lines."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._text = opened.document.text
        self.span = Span(0, 0)
        self._anchor: Span | None = None
        self._unit: Callable[[Spot], Span | None] = self._letter
        self._boxes: dict[int, tuple[Span, tuple[Box, ...]]] = {}

    def words(self) -> str:
        """The selected words."""
        return self.span.of(self._text)

    def select(self, span: Span) -> None:
        """Select a part of the text."""
        self.span, self._anchor, self._unit = span, Span(span.start, span.start), self._letter

    def begin(self, spot: Spot, clicks: int = 1) -> None:
        """Begin at a place of a page: by letters, after two clicks by words, after three by lines."""
        self._unit = (self._letter, self._word, self._line)[min(clicks, 3) - 1]
        self._anchor = self._unit(spot)
        self.span = self._anchor or Span(0, 0)

    def extend(self, spot: Spot) -> None:
        """Select from where it began to a place of a page."""
        reached = self._unit(spot)
        if reached is None:
            return
        if self._anchor is None:
            self._anchor = reached
        self.span = Span(min(self._anchor.start, reached.start), max(self._anchor.end, reached.end))

    def boxes(self, page: int) -> tuple[Box, ...]:
        """The boxes of the selection on a page."""
        own = self._opened.pages[page].span
        start, end = max(own.start, self.span.start), min(own.end, self.span.end)
        if start >= end:
            return ()
        part = Span(start, end)
        cached = self._boxes.get(page)
        if cached is None or cached[0] != part:
            places = places_of(self._opened.pages, part)
            cached = part, next((place.boxes for place in places if place.page == page), ())
            self._boxes[page] = cached
        return cached[1]

    def forget(self, seen: range) -> None:
        """Drop the cached boxes of pages that are not visible any more."""
        for page in [page for page in self._boxes if page not in seen]:
            del self._boxes[page]

    def seek(self, words: str, start: int, backwards: bool) -> Generator[None, None, Span | None]:
        """Search the next match of these words after `start`, or the last before it, cyclically, in short turns.

        Upper and lower case are the same. A blank matches any blanks and line ends, as words run over lines.
        """
        if not words.strip():
            return None
        pattern = _pattern(words)
        if backwards:
            found = self._last(pattern, start)
        else:
            found = pattern.search(self._text, start)
        if found is None:
            yield
            found = self._last(pattern, len(self._text)) if backwards else pattern.search(self._text)
        return Span(*found.span()) if found else None

    def count(self, words: str) -> Generator[None, None, tuple[int, int]]:
        """The number of the selected match of these words, from 1, 0 for none, and of all; in short turns."""
        number = several = 0
        until = time.perf_counter() + TURN
        for found in _pattern(words).finditer(self._text) if words.strip() else ():
            several += 1
            number += found.start() <= self.span.start
            if time.perf_counter() > until:
                yield
                until = time.perf_counter() + TURN
        return number, several

    def _last(self, pattern: re.Pattern[str], end: int) -> re.Match[str] | None:
        reach = _BACK
        while True:
            last = deque(pattern.finditer(self._text, max(0, end - reach), end), maxlen=1)
            if last or reach >= end:
                return last[0] if last else None
            reach *= 4

    def _letter(self, spot: Spot) -> Span | None:
        point = caret_at(self._opened.pages[spot.page], spot.x, spot.y)
        return None if point is None else Span(point, point)

    def _word(self, spot: Spot) -> Span | None:
        letter = character_span(self._opened.pages[spot.page], spot.x, spot.y)
        return None if letter is None else word_around(self._text, letter.start)

    def _line(self, spot: Spot) -> Span | None:
        letter = character_span(self._opened.pages[spot.page], spot.x, spot.y)
        if letter is None:
            return None
        return line_around(self._opened.pages[page_of(self._opened.pages, letter.start)], letter.start)


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(re.escape(word) for word in words.split()), re.IGNORECASE)
