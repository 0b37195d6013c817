"""Scrolling of equal columns side by side: which are visible, and where."""

from __future__ import annotations


class Sideways:
    """Places of equal columns in a width of pixels, and how far they are scrolled; all in pixels."""

    def __init__(self) -> None:
        self.count = 0
        self.column = 1.0
        self.width = 1.0
        self.offset = 0.0

    def fit(self, count: int, width: float, least: float, most: float) -> None:
        """Lay out `count` columns in a width, each between the least and the most width."""
        share = self.offset / self.length if self.length else 0.0
        self.count, self.width = count, max(1.0, width)
        self.column = min(most, max(least, self.width / max(1, count)))
        self.scroll_to(share * self.length)

    @property
    def length(self) -> float:
        """The length of all columns."""
        return self.count * self.column

    @property
    def scrolls(self) -> bool:
        """Whether not all columns are seen at once."""
        return self.length > self.width + 0.5

    def scroll_to(self, offset: float) -> None:
        """Scroll so far, within the columns."""
        self.offset = min(max(0.0, self.length - self.width), max(0.0, offset))

    def show(self, index: int, margin: int = 2) -> None:
        """Scroll as little as it takes to see a column and its neighbours."""
        first, last = (index - margin) * self.column, (index + 1 + margin) * self.column
        if first < self.offset:
            self.scroll_to(first)
        elif last > self.offset + self.width:
            self.scroll_to(last - self.width)

    def centre(self, index: float) -> None:
        """Scroll so that a column is in the middle."""
        self.scroll_to((index + 0.5) * self.column - self.width / 2)

    def left(self, index: float) -> float:
        """The left edge of a column, from the left of the visible part."""
        return index * self.column - self.offset

    def at(self, x: float) -> int:
        """The column at `x`, from the left of the visible part; -1 for none."""
        index = int((x + self.offset) // self.column) if 0 <= x < self.width else -1
        return index if 0 <= index < self.count else -1

    def seen(self) -> range:
        """The columns that are at least partly visible."""
        first = int(self.offset // self.column)
        return range(first, min(self.count, int((self.offset + self.width) // self.column) + 1))
