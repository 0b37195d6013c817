"""Finds the numbers and bullets that Word puts before list items and numbered headings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.documents.numerals import bullet, numeral
from app.documents.package import Element, attribute, child, children, integer
from app.documents.symbols import shown_bullet
from app.documents.word.styles import font_of
from app.documents.word.xml import number, switch, value

_LEVELS = 9
# As app.documents.numerals names them.
_FORMS = {"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}
_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True)
class _Level:
    """How one level of a list is numbered."""

    format: str = "decimal"
    text: str = ""
    start: int = 1
    restart: int | None = None  # the level, from 1, after which it starts again; 0 for never
    font: str = ""
    digits_only: bool = False


class WordLists:
    """Counts the items of a document's lists in order."""

    def __init__(self, root: Element | None) -> None:
        self._abstract: dict[str, Element] = {}
        self._numbers: dict[int, tuple[str, dict[int, Element]]] = {}
        self._by_style: dict[str, str] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._started: set[tuple[int, int]] = set()
        self._levels: dict[tuple[int, int], _Level | None] = {}
        for each in children(root, "abstractNum"):
            identifier = attribute(each, "abstractNumId") or ""
            self._abstract[identifier] = each
            if linked := value(each, "styleLink"):
                self._by_style[linked] = identifier
        for each in children(root, "num"):
            if (found := integer(attribute(each, "numId"))) is not None:
                overrides = {
                    level: override
                    for override in children(each, "lvlOverride")
                    if (level := integer(attribute(override, "ilvl"))) is not None
                }
                self._numbers[found] = (value(each, "abstractNumId") or "", overrides)

    def marker(self, list_number: int, level: int) -> str | None:
        """Count an item of a list at a level, 0 to 8, and return its marker, which may be empty; None for no list."""
        if list_number not in self._numbers:
            return None
        meant = self._level(list_number, level)
        if meant is None:
            return None
        counts = self._count(list_number, level, meant)
        if meant.format == "bullet":
            return _bullet(meant, level)
        if meant.format == "none" and not _PLACE.search(meant.text):
            return meant.text.strip()

        def written(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            other = self._level(list_number, at) or _Level()
            count = counts[at] if counts[at] is not None else other.start
            assert count is not None
            plain = meant.digits_only and at != level
            return _number(count, "decimal" if plain else other.format)

        return _PLACE.sub(written, meant.text).strip()

    def _count(self, list_number: int, level: int, meant: _Level) -> list[int | None]:
        """The counts of all levels after this item. Lists with the same definition continue each other's count."""
        definition, overrides = self._numbers[list_number]
        counts = self._counts.setdefault(definition, [None] * _LEVELS)
        for at, override in overrides.items():
            # An explicit start applies once, at the list's first item.
            start = number(override, "startOverride")
            if start is not None and 0 <= at < _LEVELS and (list_number, at) not in self._started:
                self._started.add((list_number, at))
                counts[at] = start - 1
        before = counts[level]
        counts[level] = meant.start if before is None else before + 1
        for deeper in range(level + 1, _LEVELS):
            below = self._level(list_number, deeper)
            if below is None or below.restart is None or (below.restart > 0 and level < below.restart):
                counts[deeper] = None
        return counts

    def _level(self, list_number: int, level: int) -> _Level | None:
        key = (list_number, level)
        if key not in self._levels:
            definition, overrides = self._numbers[list_number]
            own = child(overrides.get(level), "lvl")
            element = own if own is not None else self._defined(definition, level)
            self._levels[key] = _read(element) if element is not None else None
        return self._levels[key]

    def _defined(self, definition: str, level: int) -> Element | None:
        element = self._abstract.get(definition)
        style = value(element, "numStyleLink")
        if style and style in self._by_style:
            element = self._abstract.get(self._by_style[style])
        levels = children(element, "lvl")
        return next((each for each in levels if integer(attribute(each, "ilvl")) == level), None)


def _read(element: Element) -> _Level:
    start = number(element, "start")
    return _Level(
        value(element, "numFmt") or "decimal",
        value(element, "lvlText") or "",
        1 if start is None else start,
        number(element, "lvlRestart"),
        font_of(child(element, "rPr")) or "",
        bool(switch(element, "isLgl")),
    )


def _bullet(level: _Level, depth: int) -> str:
    if not level.text.strip():
        return bullet(depth + 1) if level.text == "" else ""
    return shown_bullet(level.text, level.font, depth + 1)


def _number(count: int, form: str) -> str:
    if form == "decimalZero":
        return f"{count:02}"
    return "" if form == "none" else numeral(count, _FORMS.get(form, "1"))
