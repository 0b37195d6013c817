"""Recognises the text of a page in its picture, with Tesseract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import atan2, degrees
from pathlib import Path
from typing import Any

import pypdfium2

from app.core.errors import SpanlightError
from app.core.message import Message
from app.documents.pdf.characters import Word
from app.documents.pdf.geometry import load_page
from app.documents.recognition.page import RecognisedPage
from app.documents.recognition.pictures import PagePicture, picture_of

# Where systems keep what Tesseract recognises other languages by.
_FOLDERS = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    "C:/Program Files/Tesseract-OCR/tessdata",
)
_ENGLISH = "eng"
_CODES = {
    "ara": "ar", "bul": "bg", "cat": "ca", "ces": "cs", "chi_sim": "zh", "dan": "da", "deu": "de", "ell": "el",
    "eng": "en", "est": "et", "fas": "fa", "fin": "fi", "fra": "fr", "heb": "he", "hin": "hi", "hrv": "hr",
    "hun": "hu", "ind": "id", "ita": "it", "jpn": "ja", "kor": "ko", "lav": "lv", "lit": "lt", "nld": "nl",
    "nor": "no", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru", "slk": "sk", "slv": "sl", "spa": "es",
    "srp": "sr", "swe": "sv", "tha": "th", "tur": "tr", "ukr": "uk", "vie": "vi",
}  # fmt: skip
_MOST_LANGUAGES = 4
_MOST_MS = 60_000

# Below this, a page may lie on its side or be in another language.
_SURE = 75.0
# A page whose words are less sure than this on average shows none: they are taken out of a drawing, or a photograph.
_NONSENSE = 45.0
# Fewer letters than these that are less sure than this are nearly always specks or lines; a word may be right.
_LEAST_SURE, _SPECK = 15.0, 3
_LOW_DPI = 150.0
# In degrees: what is corrected, and what may be.
_LEAST_SKEW, _MOST_SKEW = 0.2, 15.0
# Of a row's height, from the tops of tall letters to the ends of low ones: the font's size, and what is lit.
_SIZE, _ABOVE, _BELOW = 1.13, 1.02, 1.3
_SAME_SIZE = 0.15


@dataclass(frozen=True, slots=True)
class _Seen:
    """A word in a picture: its letters with their left and right edges, its line's place, and how sure it is."""

    letters: str
    edges: tuple[tuple[int, int], ...]
    base: float
    above: float
    below: float
    size: float
    sure: float
    begins_line: bool


class Recogniser:
    """Recognises pages with the languages in `folder`, and with those of the system where these fit better.

    Raises SpanlightError where Tesseract is not installed or cannot be used. Not thread-safe.
    """

    def __init__(self, folder: str) -> None:
        try:
            import tesserocr
        except ImportError as fault:
            raise SpanlightError(
                Message("Text in pictures cannot be recognised: Tesseract is missing."),
                Message("Install Spanlight again, or the Python package tesserocr."),
            ) from fault
        self._library: Any = tesserocr
        self._folder = folder
        self._engines: dict[str, Any] = {}

    def recognise(
        self, document: pypdfium2.PdfDocument, number: int, check: Callable[[], None]
    ) -> RecognisedPage:
        """The text of a page, from 0; without characters for one that holds none or cannot be drawn."""
        try:
            page = load_page(document, number)
        except pypdfium2.PdfiumError:
            return RecognisedPage(_CODES[_ENGLISH])
        try:
            quarter, found = 0, self._read(page, 0, check)
            if _mean(found[1]) < _SURE:
                quarter = self._way_up(page, check)
                if quarter:
                    found = self._read(page, quarter, check)
            language = _ENGLISH
            if _mean(found[1]) < _SURE and (others := _languages_of_system()):
                other = self._read(page, quarter, check, others)
                if _mean(other[1]) > _mean(found[1]) + 5:
                    language, found = others[1], other
            if _mean(found[1]) < _NONSENSE:
                found = found[0], []
            return _page(*found, "+".join(_CODES.get(one, one) for one in language.split("+")))
        finally:
            page.close()

    def close(self) -> None:
        """Free what it holds."""
        while self._engines:
            self._engines.popitem()[1].End()

    def _read(
        self,
        page: pypdfium2.PdfPage,
        quarter: int,
        check: Callable[[], None],
        where: tuple[str, str] | None = None,
    ) -> tuple[PagePicture, list[_Seen]]:
        """The words of a page that is turned and made level first."""
        engine = self._engine(*(where or (self._folder, _ENGLISH)))
        check()
        skew = self._skew(engine, picture_of(page, quarter, dpi=_LOW_DPI))
        check()
        picture = picture_of(page, quarter, -skew if _LEAST_SKEW <= abs(skew) <= _MOST_SKEW else 0.0)
        words = list(self._words(engine, picture))
        check()
        return picture, words

    def _way_up(self, page: pypdfium2.PdfPage, check: Callable[[], None]) -> int:
        """By how many quarter turns clockwise most words are legible."""
        engine = self._engine(self._folder, _ENGLISH)
        best, most = 0, 0.0
        for quarter in range(4):
            check()
            words = self._words(engine, picture_of(page, quarter, dpi=_LOW_DPI))
            legible = sum(len(word.letters) * (word.sure - 50) for word in words if word.sure > 50)
            if legible > most * (1.2 if quarter else 1):
                best, most = quarter, legible
        return best

    def _engine(self, folder: str, languages: str) -> Any:
        key = f"{folder}:{languages}"
        if key not in self._engines:
            kinds = self._library
            refusal = SpanlightError(
                Message("Text in pictures cannot be recognised: {folder} cannot be used.", folder=folder),
                Message("Install Spanlight again."),
            )
            # Tesseract itself crashes a confined process where one is missing.
            if not all(
                Path(folder, f"{language}.traineddata").is_file() for language in languages.split("+")
            ):
                raise refusal
            try:
                engine = kinds.PyTessBaseAPI(
                    path=folder, lang=languages, psm=kinds.PSM.AUTO, oem=kinds.OEM.LSTM_ONLY
                )
            except RuntimeError as fault:
                raise refusal from fault
            # tesserocr has it write what it notes to /dev/null, which a confined process may not open for that: it
            # would crash. To standard error, which is the log, it may.
            engine.SetVariable("debug_file", "")
            self._engines[key] = engine
        return self._engines[key]

    def _skew(self, engine: Any, picture: PagePicture) -> float:
        """By how many degrees clockwise the lines of a picture fall."""
        level = self._library.RIL.TEXTLINE
        self._show(engine, picture)
        lines = engine.AnalyseLayout()
        slopes: list[tuple[float, float]] = []
        for line in self._library.iterate_level(lines, level) if lines else ():
            found = line.Baseline(level)
            if found is None:
                continue
            (left, one), (right, other) = found
            if right - left > 4 * abs(other - one) and right - left > picture.width / 20:
                slopes.append((degrees(atan2(other - one, right - left)), right - left))
        return _weighted_median(slopes)

    def _show(self, engine: Any, picture: PagePicture) -> None:
        engine.SetImageBytes(picture.pixels, picture.width, picture.height, 1, picture.stride)
        engine.SetSourceResolution(max(70, round(72 * picture.scale)))

    def _words(self, engine: Any, picture: PagePicture) -> Iterator[_Seen]:
        level = self._library.RIL
        self._show(engine, picture)
        if not engine.Recognize(_MOST_MS):
            return
        found = engine.GetIterator()
        begins_line = True
        letters: list[tuple[str, int, int]] = []
        for each in self._library.iterate_level(found, level.SYMBOL) if found else ():
            begins_line = begins_line or each.IsAtBeginningOf(level.TEXTLINE)
            box = each.BoundingBox(level.SYMBOL)
            if box is not None and (written := each.GetUTF8Text(level.SYMBOL).strip()):
                step = (box[2] - box[0]) / len(written)
                letters += [
                    (one, round(box[0] + at * step), round(box[0] + (at + 1) * step))
                    for at, one in enumerate(written)
                ]
            if each.IsAtFinalElement(level.WORD, level.SYMBOL):
                word = self._seen(each, letters, begins_line) if letters else None
                letters = []
                if word is not None:
                    begins_line = False
                    yield word

    def _seen(self, found: Any, letters: list[tuple[str, int, int]], begins_line: bool) -> _Seen | None:
        level = self._library.RIL
        sure, line = found.Confidence(level.WORD), found.Baseline(level.TEXTLINE)
        number = sum(letter.isalnum() for letter, _, _ in letters)
        if line is None or (sure < _LEAST_SURE and number < _SPECK):
            return None
        (left, one), (right, other) = line
        if right - left <= abs(other - one):  # it runs up or down the margin
            return None
        row = found.RowAttributes()
        height, low = row["row_height"], abs(row["descenders"])
        if height <= 0:
            return None
        middle = (letters[0][1] + letters[-1][2]) / 2
        base = one + (other - one) * (middle - left) / (right - left)
        return _Seen(
            "".join(letter for letter, _, _ in letters),
            tuple((start, end) for _, start, end in letters),
            base,
            _ABOVE * max(0.0, height - low),
            _BELOW * low,
            _SIZE * height,
            max(0.0, min(100.0, sure)),
            begins_line,
        )


def _languages_of_system() -> tuple[str, str] | None:
    """A folder of the system with other languages than English, and some of them."""
    for folder in _FOLDERS:
        try:
            names = sorted(path.stem for path in Path(folder).glob("*.traineddata"))
        except OSError:
            continue
        others = [name for name in names if name in _CODES and name != _ENGLISH]
        if others:
            return folder, "+".join(others[:_MOST_LANGUAGES])
    return None


def _mean(words: list[_Seen]) -> float:
    """How sure the letters are on average; 0 without any."""
    letters = sum(len(word.letters) for word in words)
    return sum(len(word.letters) * word.sure for word in words) / letters if letters else 0.0


def _weighted_median(values: list[tuple[float, float]]) -> float:
    half = sum(weight for _, weight in values) / 2
    for value, weight in sorted(values):
        half -= weight
        if half <= 0:
            return value
    return 0.0


def _page(picture: PagePicture, words: list[_Seen], language: str) -> RecognisedPage:
    """The words in the order of their lines; sizes that differ by little are one."""
    page = RecognisedPage(language)
    body = _weighted_median([(word.size, len(word.letters)) for word in words])
    pieces: list[str] = []
    length = 0
    for word in words:
        if abs(word.size - body) <= _SAME_SIZE * body:
            word = replace(word, size=body)
        if length:
            pieces.append("\n" if word.begins_line else " ")
            page.boxes.extend((0, 0, 0, 0))
            length += 1
        pieces.append(word.letters)
        for left, right in word.edges:
            box = (left, word.base - word.above, max(right, left + 1), word.base + word.below)
            page.boxes.extend(picture.on_page(*box))
        scale = picture.scale
        begins, ends = word.edges[0][0] / scale, max(edge for _, edge in word.edges) / scale
        page.add(
            Word(
                length,
                length + len(word.letters),
                min(begins, ends),
                ends,
                word.base / scale,
                word.size / scale,
                False,
                picture.quarter,
                not word.begins_line,
            ),
            word.sure,
        )
        length += len(word.letters)
    page.characters = "".join(pieces)
    return page
