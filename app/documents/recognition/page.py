"""Keeps the recognised text of a page as bytes, and puts it in place of the text that the PDF has."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.core.plain import json_of
from app.documents.pdf.characters import Sheet, Word
from app.documents.pdf.geometry import FARTHEST

# Raised when pages are recognised differently: what was kept before is then recognised anew.
VERSION = 3
_NUMBERS = 10  # of a word: first, last, left, right, base, size, quarter, how sure, bold, begins a cell
_MOST = 40_000_000


@dataclass(slots=True)
class RecognisedPage:
    """The characters of a page with their boxes, as in core.layout.PageText, and its words.

    `language` is as in core.layout.Recognised. `words` (float32[10 n]) has the numbers of characters.Word, and how sure
    the word is in percent; positions along a line are those on the page turned upright and level.
    """

    language: str
    characters: str = ""
    boxes: array[float] = field(default_factory=lambda: array("f"))
    words: array[float] = field(default_factory=lambda: array("f"))

    def add(self, word: Word, sure: float) -> None:
        """Add a word, whose characters and boxes are added by the caller."""
        self.words.extend(
            (
                word.first,
                word.last,
                word.left,
                word.right,
                word.base,
                word.size,
                word.quarter,
                sure,
                word.bold,
                word.begins_cell,
            )
        )

    def to_bytes(self) -> bytes:
        """The page as compressed bytes."""
        head = json_of([VERSION, self.language, self.characters]).encode()
        numbers = array("f", self.boxes + self.words).tobytes()
        return zlib.compress(len(head).to_bytes(4, "little") + head + numbers)

    @staticmethod
    def from_bytes(data: bytes) -> RecognisedPage | None:
        """The page of bytes from `to_bytes`; None for any others."""
        try:
            unpacked = zlib.decompressobj().decompress(data, _MOST)
            end = 4 + int.from_bytes(unpacked[:4], "little")
            version, language, characters = json.loads(unpacked[4:end])
            numbers = array("f")
            numbers.frombytes(unpacked[end:])
        except (zlib.error, ValueError, TypeError):
            return None
        if version != VERSION or not (isinstance(language, str) and isinstance(characters, str)):
            return None
        boxes, words = numbers[: 4 * len(characters)], numbers[4 * len(characters) :]
        page = RecognisedPage(language, characters, boxes, words)
        return page if len(boxes) == 4 * len(characters) and page._is_sound() else None

    def replace_text(self, sheet: Sheet) -> None:
        """Replace the sheet's own text with this."""
        sheet.characters, sheet.boxes, sheet.doubtful = self.characters, self.boxes, frozenset()
        sheet.language, sheet.rightwards = self.language, True
        sheet.sure = array("B", bytes(len(self.characters)))
        sheet.words = []
        before = 0
        for word, sure in self._words_with_confidence():
            word.gap = before > 0 and "\n" not in self.characters[before : word.first]
            sheet.words.append(word)
            sheet.sure[word.first : word.last] = array("B", [round(sure)] * (word.last - word.first))
            before = word.last

    def _words_with_confidence(self) -> Iterator[tuple[Word, float]]:
        """Each word, and how sure it is."""
        for at in range(0, len(self.words), _NUMBERS):
            first, last, left, right, base, size, quarter, sure, bold, begins = self.words[at : at + _NUMBERS]
            word = Word(
                int(first),
                int(last),
                left,
                right,
                base,
                size,
                bool(bold),
                int(quarter),
                False,
                begins_cell=bool(begins),
            )
            yield word, sure

    def _is_sound(self) -> bool:
        # No comparison is true of NaN.
        if len(self.words) % _NUMBERS or not all(abs(one) <= FARTHEST for one in self.boxes + self.words):
            return False
        before = 0
        for word, sure in self._words_with_confidence():
            if not before <= word.first < word.last <= len(self.characters):
                return False
            if (
                word.left > word.right
                or word.size <= 0
                or word.quarter not in range(4)
                or not 0 <= sure <= 100
            ):
                return False
            before = word.last
        return True
