"""Reads a page of a PDF with the engine: its characters with their boxes, and the words that they form."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterator, Sequence
from ctypes import addressof, byref, c_double
from dataclasses import dataclass, field
from itertools import pairwise
from math import atan2, hypot, isfinite, pi

import pypdfium2
import pypdfium2.raw as pdfium

from app.documents.pdf.geometry import FARTHEST, ShownPart, in_frame, load_page, near, shown_part
from app.documents.pdf.notes import cuts, is_apart

REPLACEMENT = "\ufffd"

# No real page has more characters: its lines are then the engine's own.
_MOST_CHARACTERS = 200_000
_LONGEST_LABEL = 30
_PAPER = (612.0, 792.0)

# Spacing accents are drawn over a letter before or after them.
_ACCENTS = frozenset("\u00a8\u00af\u00b4\u00b8\u02c6\u02c7\u02d8\u02d9\u02da\u02db\u02dc\u02dd")
_WORD = re.compile(r"[^\s\x00\x02\ufffe]+\x02?|\x02")
_LINE = re.compile(r"[^\r\n]+")
_BOLD_NAME = re.compile(r"bold|black|heavy|[-,]bd\b", re.IGNORECASE)
_FIXED_NAME = re.compile(r"courier|mono|consolas|menlo|typewriter|cmtt|inconsolata", re.IGNORECASE)
_PRIVATE = {0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "➢", 0xF0FC: "✓", 0xF0E0: "→", 0xF02D: "-"}


@dataclass(slots=True)
class Word:
    """Characters `first` to `last` (not included) of a page that form a word.

    `left`, `right` and `base` are points in the frame in which its line is level: x from the left, y downwards, turned
    by `quarter` quarter turns counterclockwise. `gap` is whether the engine has a blank before it, `fixed` whether its
    font is monospaced, `apart` whether it is separated from a note's mark before it, so that the text has a blank where
    the page has none. `begins_cell` is whether a rule of a table is known to be before it. `order` are its characters
    in reading order if that differs from the page's.
    """

    first: int
    last: int
    left: float
    right: float
    base: float
    size: float
    bold: bool
    quarter: int
    gap: bool
    fixed: bool = False
    order: list[int] | None = None
    apart: bool = False
    begins_cell: bool = False

    def characters(self) -> Sequence[int]:
        """The characters in reading order."""
        return range(self.first, self.last) if self.order is None else self.order


@dataclass(slots=True)
class Sheet:
    """A page's size as shown, its characters and boxes as in core.layout.PageText, and its words in the file's order.

    `rightwards` is False for a page mostly in right-to-left scripts, `is_lost` True for one that the engine cannot
    read; `shown` is the part of it that is shown, None for one without characters. `language` and `sure`
    (uint8[len(characters)]) are those of core.layout.Recognised, empty for a page with its own text.
    """

    width: float
    height: float
    characters: str = ""
    boxes: array[float] = field(default_factory=lambda: array("f"))
    doubtful: frozenset[int] = frozenset()
    label: str = ""
    words: list[Word] = field(default_factory=list)
    rightwards: bool = True
    is_lost: bool = False
    shown: ShownPart | None = None
    language: str = ""
    sure: array[int] = field(default_factory=lambda: array("B"))


def read_sheet(document: pypdfium2.PdfDocument, number: int, check: Callable[[], None]) -> Sheet:
    """The page `number`, from 0; empty if the engine cannot read it."""
    try:
        page = load_page(document, number)
    except pypdfium2.PdfiumError:
        return Sheet(*_PAPER, is_lost=True)
    try:
        width, height = page.get_size()
        sheet = Sheet(width, height, label=_label(document, number))
        try:
            text = page.get_textpage()
        except pypdfium2.PdfiumError:
            return sheet
        try:
            _fill(sheet, page, text, check)
        finally:
            text.close()
        return sheet
    finally:
        page.close()


def _label(document: pypdfium2.PdfDocument, number: int) -> str:
    """The page's printed number on one line; empty if there is none or it is invalid."""
    try:
        label = document.get_page_label(number)
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        return ""
    shown = " ".join("".join(each if each.isprintable() else " " for each in label).split())
    return shown if len(shown) <= _LONGEST_LABEL else ""


def _fill(
    sheet: Sheet, page: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage, check: Callable[[], None]
) -> None:
    count = max(0, text.count_chars())
    if not count:
        return
    handle = text.raw
    unicode_of, error_at = pdfium.FPDFText_GetUnicode, pdfium.FPDFText_HasUnicodeMapError
    codes = [unicode_of(handle, each) for each in range(count)]
    check()
    doubtful = {each for each in range(count) if error_at(handle, each) == 1}
    corners = _boxes(handle, codes, check)
    hidden = _join_surrogates(codes)
    doubtful.update(each for each, code in enumerate(codes) if code in (0, 0xFFFD) and each not in hidden)
    sheet.shown = shown = shown_part(page)
    sheet.boxes = shown.boxes(corners)
    sheet.characters = "".join(_character(code) for code in codes)
    for each in hidden:
        sheet.boxes[4 * each : 4 * each + 4] = array("f", (0, 0, 0, 0))
    sheet.doubtful = frozenset(doubtful)
    sheet.rightwards = _is_rightwards(sheet.characters)
    sheet.words = _words(handle, sheet, shown, hidden, check)


def _character(code: int) -> str:
    return _PRIVATE.get(code) or (REPLACEMENT if 0xD800 <= code <= 0xDFFF else chr(code))


def _join_surrogates(codes: list[int]) -> set[int]:
    """Combine each pair of surrogates, in either order, into one code point; return the freed indices, now zero."""
    hidden = set()
    wide = [each for each, code in enumerate(codes) if 0xD800 <= code <= 0xDFFF]
    for each in wide:
        one, two = codes[each], codes[each + 1] if each + 1 < len(codes) else 0
        high, low = (one, two) if one < 0xDC00 else (two, one)
        if 0xD800 <= high < 0xDC00 <= low <= 0xDFFF:
            codes[each] = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
            codes[each + 1] = 0
            hidden.add(each + 1)
    return hidden


def _boxes(handle: pdfium.FPDF_TEXTPAGE, codes: list[int], check: Callable[[], None]) -> array[float]:
    """Left, top, right, bottom of each character in the page's own space (y upwards), as high as its line."""
    count = len(codes)
    rectangles = (pdfium.FS_RECTF * count)()
    head, size_of, loose = rectangles[0], 16, pdfium.FPDFText_GetLooseCharBox
    for each in range(count):
        loose(handle, each, byref(head, size_of * each))
    check()
    corners = array("f")
    corners.frombytes(bytes(rectangles))
    lefts, tops, rights, bottoms = corners[0::4], corners[1::4], corners[2::4], corners[3::4]
    flat = [
        each
        for each in range(count)
        if (rights[each] <= lefts[each] or tops[each] <= bottoms[each]) and codes[each] > 32
    ]
    left, right, bottom, top = c_double(), c_double(), c_double(), c_double()
    for each in flat:
        if pdfium.FPDFText_GetCharBox(handle, each, left, right, bottom, top):
            corners[4 * each : 4 * each + 4] = array(
                "f", map(near, (left.value, top.value, right.value, bottom.value))
            )
    total = sum(corners)
    if not isfinite(total) or max(corners) > FARTHEST or min(corners) < -FARTHEST:
        corners = array("f", map(near, corners))
    return corners


def _words(
    handle: pdfium.FPDF_TEXTPAGE, sheet: Sheet, shown: ShownPart, hidden: set[int], check: Callable[[], None]
) -> list[Word]:
    characters = sheet.characters
    # The freed index of a surrogate pair belongs to the word around it.
    marked = characters if not hidden else _masked(characters, hidden)
    pattern = _WORD if len(characters) <= _MOST_CHARACTERS else _LINE
    matrix, x, y = pdfium.FS_MATRIX(), c_double(), c_double()
    fonts: dict[int, tuple[bool, bool]] = {}
    words: list[Word] = []
    before = 0

    def measure(each: int) -> tuple[float, tuple[float, float], int]:
        pdfium.FPDFText_GetMatrix(handle, each, matrix)
        pdfium.FPDFText_GetCharOrigin(handle, each, x, y)
        size = pdfium.FPDFText_GetFontSize(handle, each) * hypot(matrix.c, matrix.d)
        return size, shown.point(near(x.value), near(y.value)), _turns(matrix, shown)

    def standing(each: int) -> tuple[float, float]:
        size, (x, y), quarter = measure(each)
        return size, (y, x, -y, -x)[quarter]  # as in in_frame

    def pieces() -> Iterator[tuple[int, int]]:
        for first, last in _word_ranges(handle, pattern, marked, sheet, shown):
            marks = cuts(characters, first, last, standing) if sheet.rightwards else []
            yield from pairwise([first, *marks, last])

    for first, last in pieces():
        if last - first == 1 and characters[first] in _ACCENTS:
            continue
        size, origin, quarter = measure(first)
        ends = sheet.boxes[4 * first : 4 * last]
        if sheet.rightwards:
            ends = ends[:4] + ends[-4:]
        left, right, base, height = in_frame(ends, origin, quarter)
        if not 0.5 <= size <= 3 * max(height, 0.5):
            size = max(0.5, 0.8 * height)
        gap = any(characters[each] not in "\r\n" for each in range(before, first))
        bold, fixed = _style(handle, first, fonts)
        word = Word(first, last, left, right, base, size, bold, quarter, gap, fixed)
        word.apart = sheet.rightwards and is_apart(characters, words, word)
        words.append(word)
        before = last
        if len(words) % 50_000 == 0:
            check()
    return words


def _word_ranges(
    handle: pdfium.FPDF_TEXTPAGE, pattern: re.Pattern[str], characters: str, sheet: Sheet, shown: ShownPart
) -> Iterator[tuple[int, int]]:
    """The characters of words, first to last (not included), split where the engine merged lines or distant words.

    Only right-to-left words are split for the distance between their characters.
    """
    boxes = sheet.boxes
    for found in pattern.finditer(characters):
        first, last = found.span()
        if sheet.rightwards and not _leaves_line(boxes, first, last - 1, 0):
            yield first, last
            continue
        quarter = _quarter(handle, first, shown)
        for each in range(first + 1, last):
            left, top, right, bottom = boxes[4 * each : 4 * each + 4]
            left_before, _, right_before, _ = boxes[4 * each - 4 : 4 * each]
            gap = max(left - right_before, left_before - right)
            far = not sheet.rightwards and gap > 0.25 * (bottom - top)
            if far or _leaves_line(boxes, each - 1, each, quarter):
                yield first, each
                first = each
        yield first, last


def _leaves_line(boxes: array[float], one: int, other: int, quarter: int) -> bool:
    """Whether the second of two characters of a word is higher or lower than the first by half its height."""
    if quarter % 2:
        before, after, low = boxes[4 * one], boxes[4 * other], boxes[4 * one + 2]
    else:
        before, after, low = boxes[4 * one + 1], boxes[4 * other + 1], boxes[4 * one + 3]
    drawn = boxes[4 * other + 2] > boxes[4 * other] and boxes[4 * one + 2] > boxes[4 * one]
    return drawn and abs(after - before) > 0.6 * (low - before)


def _quarter(handle: pdfium.FPDF_TEXTPAGE, character: int, shown: ShownPart) -> int:
    """The number of quarter turns counterclockwise by which a character is rotated on the page as shown."""
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(handle, character, matrix)
    return _turns(matrix, shown)


def _turns(matrix: pdfium.FS_MATRIX, shown: ShownPart) -> int:
    return round(atan2(matrix.b, matrix.a) / (pi / 2) - shown.turns) % 4


def _masked(characters: str, hidden: set[int]) -> str:
    return "".join("x" if each in hidden else character for each, character in enumerate(characters))


def _style(
    handle: pdfium.FPDF_TEXTPAGE, character: int, fonts: dict[int, tuple[bool, bool]]
) -> tuple[bool, bool]:
    """Whether a character's font is bold, and whether it is monospaced."""
    shape = pdfium.FPDFText_GetTextObject(handle, character)
    font = pdfium.FPDFTextObj_GetFont(shape) if shape else None
    if not font:
        return False, False
    key = addressof(font.contents)
    if key not in fonts:
        length = pdfium.FPDFFont_GetBaseFontName(font, None, 0)
        name = bytearray(length)
        if length:
            buffer = (pdfium.c_char * length).from_buffer(name)
            pdfium.FPDFFont_GetBaseFontName(font, buffer, length)
        font_name = name.decode("utf-8", "replace")
        fonts[key] = bool(_BOLD_NAME.search(font_name)), bool(_FIXED_NAME.search(font_name))
    return fonts[key]


def _is_rightwards(characters: str) -> bool:
    if characters.isascii():
        return True
    sides = [unicodedata.bidirectional(each) for each in characters[:20_000]]
    leftwards = sides.count("R") + sides.count("AL")
    return leftwards < 0.3 * (leftwards + sides.count("L")) or not leftwards
