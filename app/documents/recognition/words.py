"""Defines pictures of pages, and the words that engines recognise in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import atan2, degrees
from pathlib import Path
from typing import NamedTuple

from app.core.errors import SpanlightError
from app.core.message import Message

# Where systems keep Tesseract's data of languages.
SYSTEM_FOLDERS = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    "C:/Program Files/Tesseract-OCR/tessdata",
)

# Tesseract's local thresholding (5.0 and newer), for pages with shades and noise: on eight skewed and noisy pages 1.5%
# of the characters are wrong with it, 2.0% without.
SAUVOLA = "2"
# Fewer letters than these that are less sure than this are mostly specks or lines; a word may be right.
_LEAST_SURE, _SPECK = 15.0, 3
# Of a row's height, from the tops of tall letters to the ends of low ones: the font's size, and what is lit.
_SIZE, _ABOVE, _BELOW = 1.13, 1.02, 1.3

MOST_PIXELS = 30_000_000
# Maps grey values to 1 for ink and 0 for paper.
DARK = bytes(each < 170 for each in range(256))

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PagePicture:
    """Grey pixels, a byte each, rows from the top, `stride` bytes a row.

    `quarter` is how many quarter turns clockwise the page was turned, and `matrix` (a, b, c, d, e, f as in PDF) leads
    from a point of the page as shown to a pixel; `scale` is pixels a point.
    """

    width: int
    height: int
    stride: int
    pixels: bytes
    scale: float
    quarter: int
    matrix: tuple[float, float, float, float, float, float]

    @property
    def dpi(self) -> int:
        """Its resolution in dots per inch, at least the 70 that Tesseract accepts."""
        return max(70, round(72 * self.scale))

    def on_page(
        self, left: float, top: float, right: float, bottom: float
    ) -> tuple[float, float, float, float]:
        """The box on the page as shown that encloses a box of the picture."""
        a, b, c, d, e, f = self.matrix
        whole = a * d - b * c
        corners = [(x - e, y - f) for x in (left, right) for y in (top, bottom)]
        xs = [(d * x - c * y) / whole for x, y in corners]
        ys = [(a * y - b * x) / whole for x, y in corners]
        return min(xs), min(ys), max(xs), max(ys)


class Languages(NamedTuple):
    """A folder with Tesseract's data of languages, and the languages to use, by Tesseract's names, joined by “+”."""

    folder: str
    names: str


class Row(NamedTuple):
    """A line in pixels: the ends of its base line, the height of its letters, and how far they go below the base."""

    left: Point
    right: Point
    height: float = 0.0
    low: float = 0.0

    @property
    def is_level(self) -> bool:
        """Whether the line runs across the page, not up or down its margin."""
        return self.right[0] - self.left[0] > abs(self.right[1] - self.left[1])

    @property
    def slope(self) -> float:
        """The degrees clockwise by which the line falls."""
        return degrees(atan2(self.right[1] - self.left[1], self.right[0] - self.left[0]))


class Letter(NamedTuple):
    """A character with its left and right edges, in pixels."""

    character: str
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class RecognisedWord:
    """A word in a picture: its letters, its line's position in pixels, how sure it is (0 to 100), its line's slope.

    `begins_cell` tells whether a rule of a table is between it and the word before it.
    """

    letters: tuple[Letter, ...]
    base: float
    above: float
    below: float
    size: float
    sure: float
    begins_line: bool
    slope: float
    begins_cell: bool = False
    bold: bool = False

    @property
    def text(self) -> str:
        """The word's characters."""
        return "".join(letter.character for letter in self.letters)

    @property
    def is_doubtful(self) -> bool:
        """Whether the word is a letter or two that may be specks or lines."""
        return self.sure < _LEAST_SURE and sum(each.character.isalnum() for each in self.letters) < _SPECK


def require(where: Languages) -> None:
    """Raise SpanlightError where one of the languages is missing."""
    if not all(Path(where.folder, f"{name}.traineddata").is_file() for name in where.names.split("+")):
        raise unusable(where)


def unusable(where: Languages) -> SpanlightError:
    """The error for languages that cannot be used."""
    return SpanlightError(
        Message("Text in pictures cannot be recognised: {folder} cannot be used.", folder=where.folder),
        Message("Install Spanlight again."),
    )


def letters_of(written: str, left: int, right: int) -> list[Letter]:
    """The letters of a text between two edges, all of the same width."""
    step = (right - left) / max(1, len(written))
    return [
        Letter(one, round(left + at * step), round(left + (at + 1) * step)) for at, one in enumerate(written)
    ]


def word_of(letters: Sequence[Letter], row: Row, sure: float, begins_line: bool) -> RecognisedWord | None:
    """The word of letters in a row; None without letters, or where the row runs up or down."""
    if not letters or not row.is_level or row.height <= 0:
        return None
    middle = (letters[0].left + letters[-1].right) / 2
    (left, one), (right, other) = row.left, row.right
    base = one + (other - one) * (middle - left) / (right - left)
    return RecognisedWord(
        tuple(letters),
        base,
        _ABOVE * max(0.0, row.height - row.low),
        _BELOW * row.low,
        _SIZE * row.height,
        max(0.0, min(100.0, sure)),
        begins_line,
        row.slope,
    )


def weighted_median(values: Iterable[tuple[float, float]]) -> float:
    """The median of values with weights; 0 without any."""
    ordered = sorted(values)
    half = sum(weight for _, weight in ordered) / 2
    for value, weight in ordered:
        half -= weight
        if half <= 0:
            return value
    return 0.0
