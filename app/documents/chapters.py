"""Finds the headings of a plain text that are certain: those of numbered chapters, and titles between marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from app.core.kinds import is_code
from app.core.layout import Heading
from app.core.text import Span, View
from app.core.view import view_of_text
from app.documents.numerals import from_roman

LONGEST = 300
_FEWEST = 3

# A paragraph's first line: the line before it is blank.
_NAMED = re.compile(r"^([^\W\d_][^\W_]{1,20}) ([0-9]{1,3}|[^\W\d_]{1,20})(?:[.:)](?=\s)|$)", re.MULTILINE)
_BARE = re.compile(r"^([0-9]{1,3}|[IVXLC]+)\.[ ](?=[^\s])", re.MULTILINE)
# "*** END OF ... ***", "=== French ===", and what programs that concatenate files write ("==> notes.txt <==").
_MARKED = re.compile(r"^[ \t]*(([=*#~+-])\2\2.*|==> .* <==)[ \t]*$", re.MULTILINE)
# Next to words without a blank, other marks mean bold type or delimiters ("-----BEGIN PGP MESSAGE-----").
_CLOSE = frozenset("=#")
_END = re.compile(r"\n[ \t]*(?:\n|\Z)")
_ROMAN = re.compile(r"(XC|XL|L?X{0,3}|C{1,3}(?:XC|XL|L?X{0,3}))(IX|IV|V?I{0,3})")
# Numbered like chapters, but not chapters.
_CAPTIONS = frozenset(
    "abb abbildung equation example fig figura figure footnote image listing note photo plate tab tabelle tabla table "
    "tableau tabula".split()
)


class _Line(NamedTuple):
    """A possible chapter heading: its word ("chapter", or none), and its number, 0 if written as a word."""

    span: Span
    word: str
    number: int


def find_chapters(text: str) -> tuple[Heading, ...]:
    """The titles between marks ("=== French ==="), at least two, and the headings of numbered chapters.

    All have level 1; often there are none. A chapter's heading ("CHAPTER I. Down the Rabbit-Hole") is a short separate
    paragraph that begins with one word and a number, or with a number before words in capitals. It is certain as part
    of a sequence: the same word each time, and consecutive numbers from 1 (a second part may begin again at 1; the
    first number may be written as a word), at least three of them. The longest sequence is taken, and any other one
    entirely before or after it: each of several concatenated texts keeps its own.
    """
    titles = list(_titles(text))
    chapters = [line.span for line in _rows(list(_candidates(text)))]
    spans = [*chapters, *(titles if len(titles) > 1 else ())]
    return tuple(Heading(span, 1) for span in sorted(spans))


def view_with_chapters(text: str, chapters: Sequence[Heading], name: str = "") -> View:
    """The view of a plain text with these chapters as headings; without any, with lines that look like headings.

    `name` is that of its file: tabs and bars of source code make no table.
    """
    headings = ((chapter.span.start, chapter.span.of(text)) for chapter in chapters)
    return view_of_text(text, headings, tables=not is_code(name))


def _titles(text: str) -> Iterator[Span]:
    """The titles of lines that begin and end with the same marks."""
    for match in _MARKED.finditer(text):
        line = match[1].rstrip()
        before, behind = ("==>", "<==") if line.startswith("==> ") else (match[2], match[2])
        inner = line.lstrip(before).rstrip(behind)
        marks = len(line) - len(line.lstrip(before)), len(line) - len(line.rstrip(behind))
        words = inner.strip()
        apart = match[2] in _CLOSE or (inner[:1].isspace() and inner[-1:].isspace())
        if apart and marks[0] == marks[1] and len(words) <= LONGEST and any(each.isalpha() for each in words):
            start = match.start(1) + line.index(words)
            yield Span(start, start + len(words))


def _rows(lines: list[_Line]) -> list[_Line]:
    """The longest sequence of headings among the lines, and others that do not overlap it."""
    rows = [_row(lines, word) for word in {line.word: None for line in lines if line.word}]
    chosen: list[list[_Line]] = []
    for row in sorted(rows, key=len, reverse=True):
        if len(row) >= _FEWEST and all(
            row[-1].span < each[0].span or each[-1].span < row[0].span for each in chosen
        ):
            chosen.append(row)
    return [line for row in chosen for line in row]


def _candidates(text: str) -> Iterator[_Line]:
    found = [*_NAMED.finditer(text), *_BARE.finditer(text)]
    for match in sorted(found, key=lambda each: each.start()):
        start = match.start()
        before = text.rfind("\n", 0, max(0, start - 1)) + 1
        if match[1].casefold() in _CAPTIONS or text[before:start].strip():
            continue
        end = _END.search(text, start, start + LONGEST)
        words = text[start : end.start()].rstrip() if end else ""
        span = Span(start, start + len(words))
        if match.re is _NAMED and words[:1].isupper():
            yield _Line(span, match[1].casefold(), _number(match[2]))
        elif match.re is _BARE and words.isupper():
            yield _Line(span, "", _number(match[1]))


def _row(lines: list[_Line], word: str) -> list[_Line]:
    """The sequence of this word's headings, including bare numbers before capitals."""
    relevant = [line for line in lines if line.word in (word, "")]
    row: list[_Line] = []
    for line, after in pairwise([*relevant, _Line(Span(0, 0), "", -1)]):
        number = line.number
        if not number:
            number = 1 if after.number == 2 and line.word else -1
        last = row[-1].number if row else 0
        # A second part starts again at 1.
        if number == last + 1 or (number == 1 and line.word and last >= _FEWEST):
            row.append(line._replace(number=number))
    return row


def _number(words: str) -> int:
    """The number in digits or Roman numerals; 0 for anything else."""
    if words.isdecimal() and words.isascii():
        return int(words)
    return from_roman(words) if _ROMAN.fullmatch(words) else 0
