"""Writes the blocks of a PDF as one text, joining their lines, with the page's character for each code point."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

from app.core.layout import PageText, Recognised
from app.core.text import Span
from app.documents.pdf.characters import Sheet
from app.documents.pdf.lines import HYPHENS, Line
from app.documents.pdf.paragraphs import LEADERS, Block

_WORDS = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_LAST = re.compile(rf"((?:[^\W\d_]+[-\u2010])*[^\W\d_]+)[{re.escape(HYPHENS)}]$")
_BROKEN = re.compile(r"([^\W\d_]+)(?:\x02|[-\u2010\u00ad] ?\r?\n)([^\W\d_]+)")
# Scripts written without blanks between words, including full-width forms and their punctuation.
_UNSPACED = re.compile(
    "[\u0e00-\u0edf\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3001-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff]"
)
_WIDE_MARKS = re.compile("[\u3001-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65“”‘’]")
# Prefixes that keep their hyphen if the document gives no evidence.
_KEEP_HYPHEN = frozenset(["all", "cross", "ex", "half", "non", "post", "pre", "self", "well"])
# The minimum length of a compound's parts, and the minimum count of them as words in the document.
_WHOLE, _OFTEN = 4, 3


class Hyphens:
    """Learns from a document's words which it writes with a hyphen, to join words that are broken at a line's end."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: Counter[str] = Counter()
        broken: list[tuple[str, str]] = []
        for text in texts:
            broken += _BROKEN.findall(text)
            self._words.update(map(_usual, _WORDS.findall(_BROKEN.sub(" ", text))))
        without = sum(1 for one, two in broken if _usual(one + two) in self._words)
        hyphenated = sum(1 for one, two in broken if _usual(f"{one}-{two}") in self._words)
        self._takes_out = without >= hyphenated

    def join(self, line: str, following: str) -> tuple[str, bool]:
        """The separator between two lines of a paragraph, and whether the first one's last hyphen is removed.

        A hyphen is removed if the document has the word without it more often; if it has neither, the document's usual
        way is followed, but the hyphen stays after capitals, before a capital letter, and between words that occur
        separately elsewhere.
        """
        if not line or not following:
            return "", False
        last, first = line[-1], following[0]
        if last == "\u00ad":
            return "", True
        if last in HYPHENS:
            left, right = _LAST.search(line[-80:]), _WORDS.match(following[:80])
            if not left:
                return ("", False) if last == "\x02" or right is None else (" ", False)
            if right is None:
                return "", False
            return "", self._is_one_word(left[1], right[0])
        if last in "—/" and line[-2:-1] not in ("", " ", last):
            return "", False
        if _UNSPACED.match(last) and _UNSPACED.match(first):
            return "", False
        if (_WIDE_MARKS.match(last) and _UNSPACED.match(last)) or (
            _WIDE_MARKS.match(first) and _UNSPACED.match(first)
        ):
            return "", False
        return " ", False

    def _is_one_word(self, left: str, right: str) -> bool:
        plain = right[0].islower() and not left.isupper()
        without, hyphenated = self._words[_usual(left + right)], self._words[_usual(f"{left}-{right}")]
        if without != hyphenated:
            return without > hyphenated
        if not plain or left.casefold() in _KEEP_HYPHEN or "-" in left:
            return False
        if (
            min(len(left), len(right)) >= _WHOLE
            and min(self._words[_usual(left)], self._words[right]) >= _OFTEN
        ):
            return False  # two words of the document, not the halves of one
        return self._takes_out


def _usual(word: str) -> str:
    """A word in lower case, unless it mixes upper and lower case, as identifiers do."""
    return word.lower() if word.istitle() or word.isupper() or word[1:].islower() else word


# Latin and Armenian ligatures: one character of the page, several of the text.
_LIGATURES = {
    chr(code): unicodedata.normalize("NFKC", chr(code))
    for code in (*range(0xFB00, 0xFB07), *range(0xFB13, 0xFB18))
}
_CONTROLS = [
    chr(code) for code in (*range(32), *range(127, 160), 0xAD, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF)
]
# The replacement of the engine's mark of a hyphen at a line's end comes after the controls, as it is one of them.
_CHANGED = dict.fromkeys(_CONTROLS, "") | _LIGATURES | {"\x02": "-", "\t": " ", "\xa0": " "}
_RARE = re.compile("[" + "".join(re.escape(each) for each in _CHANGED) + "]")
_STRENGTH = ["", " ", "\t", "\n", "\n\n"]


class Writer:
    """Writes blocks one after the other, in the order of their pages."""

    def __init__(self, sheets: Sequence[Sheet], hyphens: Hyphens) -> None:
        self._sheets = sheets
        self._hyphens = hyphens
        self._parts: list[str] = []
        self._length = 0
        self._index = array("i")
        self._start = 0
        self._pages: list[PageText] = []
        self._pending = ""

    def write(self, block: Block) -> Span:
        """Write a block after its separator; return its span in the text, empty if it has no words."""
        start = end = -1
        for number, (line, join) in enumerate(zip(block.lines, block.joins, strict=True)):
            takes_out = False
            if join is None:
                join, _ = self._hyphens.join(block.lines[number - 1].text, line.text)
            if number + 1 < len(block.lines) and block.joins[number + 1] is None:
                _, takes_out = self._hyphens.join(line.text, block.lines[number + 1].text)
            self._pending = max(self._pending, join, key=_STRENGTH.index)
            text, places = self._words(line, takes_out)
            if not text:
                continue
            self._separate()
            self._turn_to(line.page)
            start = self._length if start < 0 else start
            self._put(text, places)
            end = self._length
        return Span(max(start, 0), max(end, 0))

    def finish(self) -> tuple[str, tuple[PageText, ...]]:
        """The whole text and all pages; the pages' spans cover it without gap or overlap."""
        self._turn_to(len(self._sheets))
        return "".join(self._parts), tuple(self._pages)

    def _separate(self) -> None:
        if self._length and self._pending:
            self._put(self._pending, array("i", [-1] * len(self._pending)))
        self._pending = ""

    def _put(self, text: str, places: array[int]) -> None:
        self._parts.append(text)
        self._length += len(text)
        self._index += places

    def _turn_to(self, page: int) -> None:
        """End the pages before `page`."""
        while len(self._pages) < page:
            sheet = self._sheets[len(self._pages)]
            self._pages.append(
                PageText(
                    sheet.width,
                    sheet.height,
                    Span(self._start, self._length),
                    sheet.characters,
                    sheet.boxes,
                    self._index,
                    sheet.doubtful,
                    sheet.label,
                    _recognised(sheet, self._index),
                )
            )
            self._start, self._index = self._length, array("i")

    def _words(self, line: Line, takes_out: bool) -> tuple[str, array[int]]:
        """A line's text and the character of the page for each of its code points."""
        characters = self._sheets[line.page].characters
        pieces: list[str] = []
        places = array("i")
        for word in line.words:
            if (word.gap or word.apart) and places:
                pieces.append(" ")
                places.append(_blank_after(characters, places[-1]))
            unchanged = characters[word.first : word.last] if word.order is None else ""
            if unchanged and not _RARE.search(unchanged):
                pieces.append(unchanged)
                places.extend(range(word.first, word.last))
                continue
            for each in word.characters():
                written = _CHANGED.get(characters[each], characters[each])
                pieces.append(written)
                places.extend([each] * len(written))
        text = "".join(pieces)
        if takes_out and text.endswith(("-", "\u2010")):
            text, places = text[:-1], places[:-1]
        return _tidied(text, places)


def _recognised(sheet: Sheet, index: array[int]) -> Recognised | None:
    """How sure each code point's word is; an inserted code point is as sure as the one before it."""
    if not sheet.language:
        return None
    sure, last = array("B"), 0
    for character in index:
        last = (sheet.sure[character] or last) if character >= 0 else last
        sure.append(last)
    return Recognised(sheet.language, sure)


def _blank_after(characters: str, place: int) -> int:
    """The number of the page's blank after a character; -1 if there is none and one is inserted."""
    following = place + 1
    if 0 < following < len(characters) and characters[following] in " \t\xa0\u3000":
        return following
    return -1


_UNTIDY = re.compile(r"^\s+|\s+$|(?<=\s)\s+|" + LEADERS.pattern)


def _tidied(text: str, places: array[int]) -> tuple[str, array[int]]:
    """The text without blanks at its ends or repeated ones, and with a tab for the dots of a table of contents."""
    found = list(_UNTIDY.finditer(text))
    if not found:
        return text, places
    pieces: list[str] = []
    tidied_places = array("i")
    done = 0
    for match in found:
        pieces.append(text[done : match.start()])
        tidied_places += places[done : match.start()]
        if not match.group().isspace() and match.start() and match.end() < len(text):
            pieces.append("\t")
            tidied_places.append(-1)
        done = match.end()
    pieces.append(text[done:])
    tidied_places += places[done:]
    return "".join(pieces), tidied_places
