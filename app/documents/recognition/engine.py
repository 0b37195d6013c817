"""Recognises the text of pages in their pictures with Tesseract, as a library or else as a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, radians, sin, sqrt
from pathlib import Path, PurePath

import pypdfium2
import pypdfium2.raw as pdfium

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Report
from app.documents.orders import Recognise
from app.documents.pdf.characters import Word
from app.documents.pdf.document import open_pdf
from app.documents.pdf.draw import require_same
from app.documents.pdf.geometry import load_page
from app.documents.recognition.ink import corrected
from app.documents.recognition.library import Library
from app.documents.recognition.looks import with_looks
from app.documents.recognition.page import RecognisedPage
from app.documents.recognition.program import Program, Run
from app.documents.recognition.rules import in_cells, without_rules
from app.documents.recognition.words import (
    MOST_PIXELS,
    SYSTEM_FOLDERS,
    Languages,
    PagePicture,
    RecognisedWord,
    weighted_median,
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

# Below this, a page may lie on its side or be in another language.
_SURE = 75.0
# The words of a page that are less sure than this on average are none: they were seen in a drawing or a photograph.
_NONSENSE = 45.0
_DPI, _LOW_DPI = 300.0, 150.0
_WHITE = 0xFFFFFFFF
_ALMOST = 0.99  # its sides are rounded
_LONGEST = 32_767  # pixels of the longest side that Tesseract takes
# In degrees: the least and the largest skew that is corrected.
_LEAST_SKEW, _MOST_SKEW = 0.2, 15.0


class Recogniser:
    """Recognises pages with the languages in `folder`, or with those of the system where these fit better.

    `run` runs the program where the library is missing. Raises SpanlightError where both are missing. Not thread-safe.
    """

    def __init__(self, folder: str, run: Run | None = None) -> None:
        self._own = Languages(folder, _ENGLISH)
        try:
            self._engine: Program | Library = Program(run) if run else Library()
        except ImportError as fault:
            raise SpanlightError(
                Message("Text in pictures cannot be recognised: Tesseract is missing."),
                Message(
                    "Install the program tesseract, or the Python package tesserocr, and start Spanlight again."
                ),
            ) from fault

    def carry_out(self, order: Recognise, report: Report) -> None:
        """Recognise the pages of an order; each page's number and text are a partial result.

        Raises SpanlightError for a file that has changed, SpanlightError and PasswordNeeded as `open_pdf` does, and
        Stopped when the report says so.
        """
        if order.path:
            require_same(order, Path(order.path))
        name = order.name or PurePath(order.path).name
        document = open_pdf(order.data or order.path, name, order.password)
        try:
            for number in order.pages:
                report.check()
                if 0 <= number < len(document):
                    page = self.recognise(document, number, report.check)
                    report.partial((number, page.to_bytes()))
        finally:
            document.close()

    def recognise(
        self, document: pypdfium2.PdfDocument, number: int, check: Callable[[], None]
    ) -> RecognisedPage:
        """The text of page `number`, from 0; without characters if it has no text or cannot be drawn."""
        try:
            page = load_page(document, number)
        except pypdfium2.PdfiumError:
            return RecognisedPage(_CODES[_ENGLISH])
        try:
            quarter, language = 0, _ENGLISH
            picture, words = self._read(page, 0, check, self._own)
            if _mean_confidence(words) < _SURE and (quarter := self._upright_turns(page, check)):
                picture, words = self._read(page, quarter, check, self._own)
            if _mean_confidence(words) < _SURE and (others := _languages_of_system()):
                other_picture, other_words = self._read(page, quarter, check, others)
                if _mean_confidence(other_words) > _mean_confidence(words) + 5:
                    language, picture, words = others.names, other_picture, other_words
            if _mean_confidence(words) < _NONSENSE:
                words = []
            return _page(picture, words, "+".join(_CODES.get(name, name) for name in language.split("+")))
        finally:
            page.close()

    def close(self) -> None:
        """Free the engine."""
        self._engine.close()

    def _read(
        self, page: pypdfium2.PdfPage, quarter: int, check: Callable[[], None], where: Languages
    ) -> tuple[PagePicture, list[RecognisedWord]]:
        """The picture of a page turned by `quarter` and made level, and its words.

        Where the engine tells a slope only with the words, a page that is not level is read twice.
        """
        check()
        slope = self._engine.slope(picture_of(page, quarter, dpi=_LOW_DPI), where)
        check()
        picture, rules = without_rules(picture_of(page, quarter, _level(slope or 0.0)))
        words = list(self._engine.words(picture, where))
        check()
        if slope is None:
            level = _level(weighted_median((word.slope, len(word.letters)) for word in words))
            if level:
                picture, rules = without_rules(picture_of(page, quarter, level))
                words = list(self._engine.words(picture, where))
                check()
        words = with_looks(picture, list(corrected(picture, words)))
        return picture, list(in_cells(picture, words, rules))

    def _upright_turns(self, page: pypdfium2.PdfPage, check: Callable[[], None]) -> int:
        """The number of quarter turns clockwise after which most words are legible."""
        best, most = 0, 0.0
        for quarter in range(4):
            check()
            words = self._engine.words(picture_of(page, quarter, dpi=_LOW_DPI), self._own)
            legible = sum(len(word.letters) * (word.sure - 50) for word in words if word.sure > 50)
            if legible > most * (1.2 if quarter else 1):
                best, most = quarter, legible
        return best


def picture_of(
    page: pypdfium2.PdfPage, quarter: int = 0, level: float = 0.0, dpi: float = _DPI
) -> PagePicture:
    """The picture of a page turned by `quarter` quarter turns clockwise, and by `level` degrees more.

    A very large page has fewer pixels, at most `MOST_PIXELS`, and a very long one too.
    """
    width, height = page.get_size()
    turn = radians(90 * quarter + level)
    flat, steep = abs(cos(turn)), abs(sin(turn))
    across, down = flat * width + steep * height, steep * width + flat * height
    most = min(sqrt(MOST_PIXELS / max(1.0, across * down)), _LONGEST / max(1.0, across, down))
    scale = min(dpi / 72, _ALMOST * most)
    across, along = scale * cos(turn), scale * sin(turn)
    # x' = across x - along y, y' = along x + across y: clockwise, as y counts downwards.
    xs = [across * x - along * y for x in (0, width) for y in (0, height)]
    ys = [along * x + across * y for x in (0, width) for y in (0, height)]
    matrix = (across, along, -along, across, -min(xs), -min(ys))
    size = max(1, round(max(xs) - min(xs))), max(1, round(max(ys) - min(ys)))
    bitmap = pypdfium2.PdfBitmap.new_native(*size, pdfium.FPDFBitmap_Gray)
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, *size, _WHITE)
        flags = pdfium.FPDF_ANNOT | pdfium.FPDF_GRAYSCALE
        clip = pdfium.FS_RECTF(0, 0, *size)
        pdfium.FPDF_RenderPageBitmapWithMatrix(bitmap, page, pdfium.FS_MATRIX(*matrix), clip, flags)
        return PagePicture(*size, bitmap.stride, bytes(bitmap.buffer), scale, quarter % 4, matrix)
    finally:
        bitmap.close()


def _level(slope: float) -> float:
    """The degrees clockwise by which to turn a page whose lines fall by `slope` degrees."""
    return -slope if _LEAST_SKEW <= abs(slope) <= _MOST_SKEW else 0.0


def _languages_of_system() -> Languages | None:
    """Some of the system's languages other than English."""
    for folder in SYSTEM_FOLDERS:
        try:
            names = sorted(path.stem for path in Path(folder).glob("*.traineddata"))
        except OSError:
            continue
        others = [name for name in names if name in _CODES and name != _ENGLISH]
        if others:
            return Languages(folder, "+".join(others[:_MOST_LANGUAGES]))
    return None


def _mean_confidence(words: Sequence[RecognisedWord]) -> float:
    """The mean confidence of words, weighted by their letters; 0 without words."""
    letters = sum(len(word.letters) for word in words)
    return sum(len(word.letters) * word.sure for word in words) / letters if letters else 0.0


def _page(picture: PagePicture, words: Sequence[RecognisedWord], language: str) -> RecognisedPage:
    """The RecognisedPage of a picture's words, in the order of their lines."""
    page = RecognisedPage(language)
    pieces: list[str] = []
    length = 0
    for word in words:
        if length:
            pieces.append("\n" if word.begins_line else " ")
            page.boxes.extend((0, 0, 0, 0))
            length += 1
        pieces.append(word.text)
        for _, left, right in word.letters:
            box = (left, word.base - word.above, max(right, left + 1), word.base + word.below)
            page.boxes.extend(picture.on_page(*box))
        scale = picture.scale
        begins, ends = word.letters[0].left / scale, max(letter.right for letter in word.letters) / scale
        page.add(
            Word(
                length,
                length + len(word.letters),
                min(begins, ends),
                ends,
                word.base / scale,
                word.size / scale,
                word.bold,
                picture.quarter,
                not word.begins_line,
                begins_cell=word.begins_cell,
            ),
            word.sure,
        )
        length += len(word.letters)
    page.characters = "".join(pieces)
    return page
