"""Finds the rows of a table that a question identifies by comparison: the largest, the first, the next, the ticked.

A reader sees one row at a time, so it cannot compare rows. The keywords are English, as the readers are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from app.core.stop_words import ENGLISH, stop_words_for
from app.core.text import Replacement
from app.tasks.qa.ranking import MOST_LONGER, suffix_length

# A column can be compared if this share of its cells has a value of one kind.
_COMPARABLE = 0.6
# Rows are in the order of time if at most this share of steps goes the other way.
_OUT_OF_ORDER = 0.1
# A row matches a name if it contains at least this share of the name's words.
_LEAST_SHARED = 0.5
# A header names the compared column if its words occur in the question near the comparing word, scoring this much.
_LEAST_NAMED = 0.3
# In a longer text, “first” and “last” apply to a table only if one of its headers scores this much.
_LEAST_ASKED = 0.6


class Relation(Enum):
    """How a question identifies rows: by the largest or smallest value, by position, as the neighbour of another, or by
    a yes or no in a column.
    """

    EXTREME = auto()
    END = auto()
    BESIDE = auto()
    MARKED = auto()


@dataclass(frozen=True, slots=True)
class RowOrder:
    """How a question identifies rows of a table.

    `direction` is 1 for the largest, the last, the row below and a yes, else -1; `rank` is 1 for the second largest.
    `words` are the question's words in lower case, `at` is the index of the comparing word. `listed` is whether the
    order on the page is meant, even where the rows' dates run backwards. `beside` has the words that name the
    neighbouring row.
    """

    relation: Relation
    direction: int
    words: tuple[str, ...]
    at: int
    rank: int = 0
    listed: bool = False
    beside: str = ""


class Cell(NamedTuple):
    """A cell's words, below its column's header, which may be empty."""

    header: str
    words: str


_LARGEST = frozenset(
    "most highest largest biggest longest tallest greatest heaviest deepest widest furthest farthest"
    " strongest richest latest newest".split()
)
_SMALLEST = frozenset(
    "least fewest lowest smallest shortest lightest closest nearest narrowest cheapest earliest"
    " oldest".split()
)
_MORE = frozenset("more higher larger bigger longer taller greater heavier later newer".split())
_LESS = frozenset("less fewer lower smaller shorter lighter cheaper earlier sooner older".split())
_OF_TIME = "latest newest earliest oldest later newer earlier sooner older recent"
_RANKS = {"second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3}
# What an adjective compares, by the header of its column.
_MEASURES = tuple(
    (frozenset(adjectives.split()), re.compile(headers))
    for adjectives, headers in (
        ("longest shortest longer shorter furthest farthest closest nearest",
         r"length|duration|time|distance|\bkm\b|miles|years|running"),
        ("tallest highest shortest deepest taller higher shorter",
         r"height|elevation|floors|stor(?:e?y|ies)|depth|altitude"),
        ("largest biggest smallest larger bigger populous",
         r"size|area|population|capacity|seats|enrol|students|employees"),
        ("heaviest lightest heavier lighter", r"weight|mass"),
        ("cheapest cheaper expensive", r"price|cost|fee|rate"),
        (_OF_TIME, r"year|date|founded|built|opened|established|born|launch|complet|introduc|releas"),
    )
)  # fmt: skip
# Places are the better, the smaller their numbers are.
_PLACES = re.compile(r"\b(?:rank\w*|pos(?:ition)?|places?|placings?|charts?|seed)\b")
_ENDS = {"first": -1, "last": 1, "top": -1, "bottom": 1}
_NO_END = re.compile(
    r"\b(?:first|last) names?\b|\b(?:first|last|top) (?:half|quarter|\d+|ten|five|three)\b"
    r"|(?<!the )\blast (?:year|month|week|season)\b|\bat (?:first|last)\b"
)
_LISTED = re.compile(r"\b(?:listed|list|chart|table|row|page|top|bottom)\b")
_BESIDE = re.compile(
    r"\b(?:after|before|below|above|beneath|under(?:neath)?|follows|preceding|precedes|prior to|previous to|next to"
    r"|behind|ahead of)\b"
)
# These ask about an event, which has a row of its own, or give a bound.
_NOT_BESIDE = re.compile(
    r"\b(?:must|shall|should|can|needs?|ha(?:s|ve) to|happens?)\b|\b(?:after|before|prior to) an?\b"
    r"|\b(?:below|above|beneath|under(?:neath)?) [$€£]?\d"
)
# In a longer text, “after” refers to time unless one of these words occurs.
_PLACED = frozenset("next come comes came follows directly immediately".split())
_BACKWARDS = frozenset("before above preceding precedes prior previous ahead".split())
_AS_LISTED = re.compile(
    r"\b(?:listed|list|chart|table|below|above|beneath|under(?:neath)?|next to|behind|ahead|rank\w*|placed?"
    r"|finish\w*)\b"
)
_COUNTED = re.compile(r"\b(?:how (?:many|long|much)|total|number of)\b")
_WORD = re.compile(r"\w+(?:[.,:/]\d+)*")
_ASKS_FOR_ROWS = frozenset("which what who name list".split())
_NEGATED = re.compile(r"\b(?:not|no|without|non)\b|n['’]t\b")
_MARKS = dict.fromkeys("yes y true ✓ ✔".split(), 1) | dict.fromkeys("no n false ✗ ✘".split(), -1)
_MARK = re.compile(rf"[|\t]\s*(?:{'|'.join(_MARKS)})\s*(?:[|\t\n]|$)", re.IGNORECASE)


def order_in(question: str) -> RowOrder | None:
    """How a question identifies rows, if by comparison at all; None for questions in other languages than English."""
    low = " ".join(question.lower().split())[:1000]
    words = tuple(_WORD.findall(low))
    if stop_words_for(words) is not ENGLISH:  # the German “Last” is a load
        return None
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        if word in _LARGEST | _SMALLEST:
            if before == "at":
                return None
            direction = 1 if word in _LARGEST else -1
            return RowOrder(Relation.EXTREME, direction, words, at, _RANKS.get(before, 0))
        is_bound = before == "or"  # 10 or more
        if word in _MORE | _LESS and not is_bound and {"or", "between"} & set(words) and "than" not in words:
            return RowOrder(Relation.EXTREME, 1 if word in _MORE else -1, words, at)
    ends = [at for at, word in enumerate(words) if word in _ENDS]
    beside = _BESIDE.search(low)
    if "how long" in low:  # does it last
        ends = [at for at in ends if words[at] != "last"]
    if beside and not ends and not _COUNTED.search(low) and not _NOT_BESIDE.search(low):
        name = re.split(r"[?,;]", low[beside.end() :])[0]
        direction = -1 if beside.group().split()[0] in _BACKWARDS else 1
        at = len(_WORD.findall(low[: beside.start()]))
        listed = bool(_AS_LISTED.search(low))
        return RowOrder(Relation.BESIDE, direction, words, at, listed=listed, beside=name)
    if ends and not beside and not _NO_END.search(low):
        listed = bool(_LISTED.search(low))
        return RowOrder(Relation.END, _ENDS[words[ends[0]]], words, ends[0], listed=listed)
    if words and words[0] in _ASKS_FOR_ROWS:
        return RowOrder(Relation.MARKED, -1 if _NEGATED.search(low) else 1, words, 0)
    return None


def may_match(order: RowOrder, text: str, start: int, end: int) -> bool:
    """Whether the table between two code points may have rows that are meant; a quick check for a yes or no."""
    return order.relation is not Relation.MARKED or bool(_MARK.search(text, start, end))


def cells_of(text: str, start: int, end: int, replacements: Iterable[Replacement]) -> Iterator[Cell]:
    """The cells of the row between two code points of a text, by the row's replacements, which have the headers."""
    header = ""
    for one in replacements:
        if words := text[start : one.start].strip(" |"):
            yield Cell(header, words)
        start, header = one.end, _header(one.words)
    if words := text[start:end].strip(" |"):
        yield Cell(header, words)


@lru_cache(maxsize=1000)
def _header(words: str) -> str:
    """The header that is read before a cell, in lower case; empty if there is none."""
    words = words.rstrip()
    return words[:-1].rpartition(". ")[2].strip(" .:").lower() if words.endswith(":") else ""


class TableOrder:
    """The rows of one table, in the order of the page, of which those are found that a question means.

    `rows` are each row's cells. `is_all` is whether the text is nothing but this table.
    """

    def __init__(self, rows: Sequence[Sequence[Cell]], *, is_all: bool) -> None:
        self._rows, self._is_all = rows, is_all
        self._columns: dict[str, dict[int, float]] = {}
        self._headers = tuple(dict.fromkeys(cell.header for row in rows for cell in row if cell.header))
        # Neither headers, nor sections, nor sums.
        self._data = [
            number
            for number, row in enumerate(rows)
            if row
            and (any(cell.header for cell in row) if self._headers else number)
            and not _SUM.match(row[0].words)
        ]

    def meant(self, order: RowOrder, weights: np.ndarray, beside: np.ndarray) -> list[int]:
        """The numbers of the rows that are meant; none if this table cannot decide.

        `weights` are those of the question's words in each row, float[words, rows], `beside` those of the words of
        `order.beside`; 0 where a row does not have the word.
        """
        if len(self._data) < 2:
            return []
        if order.relation is Relation.BESIDE:
            return self._beside(order, beside)
        word = order.words[order.at]
        if order.relation is not Relation.MARKED and self._names(word, self._data):
            return []
        header_row = min(set(range(len(self._rows))) - set(self._data), default=None)
        others = weights if header_row is None else weights[weights[:, header_row] == 0]
        rows = self._having(others) or self._data
        if order.relation is Relation.EXTREME:
            return self._extreme(order, set(rows))
        if order.relation is Relation.MARKED:
            return self._marked(order, rows)
        is_asked_about = self._is_all or any(
            _named(header, order) >= _LEAST_ASKED for header in self._headers
        )
        if not is_asked_about or any(word in _WORD.findall(header) for header in self._headers):
            return []
        if not self._time and not order.listed and (dated := self._of_time(order, set(rows))):
            return dated
        return [rows[-1] if self._direction(order) > 0 else rows[0]]

    def _having(self, weights: np.ndarray) -> list[int]:
        """The rows with the most of some words, rarer words counting more; empty if no word distinguishes rows."""
        has = weights[:, self._data] > 0
        having = has.sum(axis=1)
        distinct = (having > 0) & (having < len(self._data))
        scores = np.log1p((len(self._data) - having + 0.5) / (having + 0.5)) * distinct @ has
        return (
            [self._data[at] for at in np.flatnonzero(scores >= 0.999 * scores.max())]
            if distinct.any()
            else []
        )

    def _names(self, word: str, rows: Iterable[int]) -> bool:
        """Whether rows contain the comparing word in a name, such as "First stage", so that it compares nothing."""
        cells = (cell.words.lower() for at in rows for cell in self._rows[at])
        return any(word in words and word in _WORD.findall(words) for words in cells)

    def _beside(self, order: RowOrder, weights: np.ndarray) -> list[int]:
        rows = self._having(weights)
        if len(rows) != 1 or (weights[:, rows[0]] > 0).mean() < _LEAST_SHARED:
            return []
        is_placed = self._is_all or order.listed or not _PLACED.isdisjoint(order.words)
        if not is_placed or self._names(order.words[order.at], rows):
            return []
        at = self._data.index(rows[0]) + self._direction(order)
        return self._data[at : at + 1] if at >= 0 else []

    def _extreme(self, order: RowOrder, rows: Collection[int]) -> list[int]:
        header = self._compared(order)
        values = {at: value for at, value in self._column(header).items() if at in rows} if header else {}
        is_place = _PLACES.search(header) and order.words[order.at].startswith(("high", "low"))
        levels = sorted(set(values.values()), reverse=(order.direction > 0) != bool(is_place))
        if len(values) < 2 or order.rank >= len(levels):
            return []
        return [at for at, value in values.items() if value == levels[order.rank]]

    def _marked(self, order: RowOrder, rows: Sequence[int]) -> list[int]:
        """The rows with the wanted mark below a header of yes and no, all of whose words the question has."""
        for header, cells in self._cells.items():
            marks = {at: _MARKS.get(words.lower(), 0) for at, words in cells.items()}
            words = [word for word in _WORD.findall(header) if word not in _UNNAMED]
            is_named = words and all(any(_is_alike(word, other) for other in order.words) for word in words)
            if (
                is_named
                and {-1, 1} <= set(marks.values())
                and list(marks.values()).count(0) <= len(marks) / 5
            ):
                return [at for at in rows if marks.get(at) == order.direction]
        return []

    def _named(self, order: RowOrder) -> list[str]:
        """The headers of the columns that the question names as what is compared, the surest first."""
        named = {header: _named(header, order) for header in self._headers}
        return sorted((each for each in named if named[each] >= _LEAST_NAMED), key=lambda each: -named[each])

    def _compared(self, order: RowOrder) -> str:
        """The header of the column whose values are compared; empty if the question gives none."""
        for header in self._named(order):
            if self._column(header):
                return header
        measured = (
            header
            for adjectives, headers in _MEASURES
            if adjectives & set(order.words[order.at : order.at + 2])  # most expensive
            for header in self._headers
            if headers.search(header) and self._column(header)
        )
        return next(measured, "")

    def _column(self, header: str) -> dict[int, float]:
        """The values of a column by the number of the row; empty if most cells have none of one kind."""
        if header not in self._columns:
            self._columns[header] = _comparable(self._cells[header])
        return self._columns[header]

    @cached_property
    def _cells(self) -> dict[str, dict[int, str]]:
        """The cells below each header, by the number of the row."""
        cells: dict[str, dict[int, str]] = {header: {} for header in self._headers}
        for at in self._data:
            for header, words in self._rows[at]:
                if header:
                    cells[header][at] = words
        return cells

    def _of_time(self, order: RowOrder, rows: Collection[int]) -> list[int]:
        """The first or last rows by the dates of a column that the question names."""
        for header in self._named(order):
            dates = {at: value for at, value in self._column(header).items() if at in rows}
            if dates and _are_dates(dates.values()):
                end = max(dates.values()) if order.direction > 0 else min(dates.values())
                return [at for at, value in dates.items() if value == end]
        return []

    def _direction(self, order: RowOrder) -> int:
        """The direction on the page: the other one where the rows run backwards in time, unless the page's is meant."""
        return -order.direction if self._time < 0 and not order.listed else order.direction

    @cached_property
    def _time(self) -> int:
        """1 where the rows follow the order of time, -1 where they run backwards, else 0."""
        for values in (list(self._column(header).values()) for header in self._headers):
            if len(values) < 3 or not _are_dates(values):
                continue
            up = sum(one < other for one, other in pairwise(values))
            down = sum(one > other for one, other in pairwise(values))
            if up + down and min(up, down) <= _OUT_OF_ORDER * (up + down):
                return 1 if up > down else -1
        return 0


def _comparable(cells: Mapping[int, str]) -> dict[int, float]:
    """The values of cells that can be compared; empty if most have none of one kind, or they differ in their units."""
    cells = {at: words for at, words in cells.items() if any(map(str.isalnum, words))}
    parsed = {at: value for at, words in cells.items() if (value := _value(words))}
    kinds = Counter(kind for kind, _ in parsed.values()).most_common(1)
    if not kinds or kinds[0][1] < max(2, _COMPARABLE * len(cells)):
        return {}
    if kinds[0][0] is _Kind.NUMBER and len({unit for words in cells.values() if (unit := _unit(words))}) > 1:
        return {}
    return {at: value for at, (kind, value) in parsed.items() if kind is kinds[0][0]}


_SUM = re.compile(r"\W*(?:grand )?(?:totals?|average|sum|overall|mean)\b", re.IGNORECASE)


def _named(header: str, order: RowOrder) -> float:
    """How surely a question compares the values below a header: by the words that they share.

    A word counts 1 just behind the word of order, less further behind it, and less again before it.
    """
    words = [word for word in _WORD.findall(header) if word not in _UNNAMED] or _WORD.findall(header)
    score = 0.0
    for word in words:
        distances = (
            at - order.at
            for at, other in enumerate(order.words)
            if at != order.at and other not in _UNNAMED and _is_alike(word, other)
        )
        score += max(
            (1 / (1 + (away - 1) / 4) if away > 0 else 0.4 / (1 - away / 4) for away in distances),
            default=0.0,
        )
    return score / max(1, len(words)) ** 0.5


_UNNAMED = frozenset("a an and the of in on at to for by with from is was were per".split())


def _is_alike(word: str, other: str) -> bool:
    """Whether two words are the same but for an ending."""
    short, long = sorted((word, other), key=len)
    if not (short.isalpha() and long.isalpha()):
        return word == other
    return len(long) <= len(short) + MOST_LONGER and long.startswith(
        short[: len(short) - suffix_length(short)]
    )


class _Kind(Enum):
    DATE = auto()
    TIME = auto()
    NUMBER = auto()


_MONTHS = {month: at for at, month in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())}
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DATES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+{_MONTH},?[\s-]+(?P<year>\d{{4}})",
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})",
        rf"\b{_MONTH}\s+(?P<year>\d{{4}})",
        r"\b(?P<year>\d{4})-(?P<number>\d\d)-(?P<day>\d\d)",
        rf"^(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+{_MONTH}$",
        rf"^{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?$",
    )
]
_CLOCK = re.compile(r"\D{0,3}(?:(\d{1,4}):)?(\d{1,3}):(\d\d(?:\.\d+)?)")
# 1,250.50, or 1.250,50, or neither; but no part of 1/5/2024 or of 1.2.3.
_NUMBER = re.compile(
    r"\D{0,3}?([-−–]?(?:\d{1,3}(?:[,  ]\d{3})+(?:\.\d+)?|(?:\d{1,3}(?:[.  ]\d{3})+|\d+),\d{1,2}|\d+(?:\.\d+)?"
    r"|\.\d+))(?![.,/]?\d)"
)


def _value(words: str) -> tuple[_Kind, float] | None:
    """The value by which a cell is compared, from its first date, time or number: days, seconds or the number."""
    for pattern in _DATES:
        if match := pattern.search(words):
            parts = match.groupdict()
            month = int(parts["number"]) - 1 if "number" in parts else _MONTHS[parts["month"].lower()]
            return _Kind.DATE, _of_day(int(parts.get("year") or 1), month, int(parts.get("day") or 1))
    if match := _CLOCK.match(words):
        return _Kind.TIME, int(match[1] or 0) * 3600 + int(match[2]) * 60 + float(match[3])
    if match := _NUMBER.match(words):
        number = match[1].translate(_MINUS)
        if _DECIMAL_COMMA.search(number):
            number = number.replace(".", "").replace(",", ".")
        return _Kind.NUMBER, float(re.sub(r"[,  ]", "", number))
    return None


_MINUS = str.maketrans("−–", "--")
_DECIMAL_COMMA = re.compile(r",\d{1,2}$")
_UNIT = re.compile(r"\s?(?!(?:st|nd|rd|th)\b)([^\W\d_]+|%)")


def _unit(words: str) -> str:
    """The word right behind a cell's number, without a plural's s; empty if there is none."""
    number = _NUMBER.match(words)
    unit = _UNIT.match(words, number.end()) if number else None
    return unit[1].lower().rstrip("s") if unit else ""


def _of_day(year: int, month: int = 0, day: int = 1) -> float:
    return year * 372 + month * 31 + day


def _is_year(value: float) -> bool:
    return 1000 <= value <= 2100 and value == int(value)


def _are_dates(values: Collection[float]) -> bool:
    return all(map(_is_year, values)) or min(values) >= _of_day(1000)
