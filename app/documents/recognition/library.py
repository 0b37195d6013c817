"""Runs Tesseract as a library in this process, by the package tesserocr."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.documents.recognition.words import (
    SAUVOLA,
    Languages,
    Letter,
    PagePicture,
    RecognisedWord,
    Row,
    letters_of,
    require,
    unusable,
    weighted_median,
    word_of,
)

_MOST_MS = 60_000


class Library:
    """The engine that tesserocr provides. Raises ImportError where that is missing.

    Its methods raise SpanlightError where the languages cannot be used.
    """

    def __init__(self) -> None:
        import tesserocr

        self._library: Any = tesserocr
        self._open: dict[Languages, Any] = {}

    def slope(self, picture: PagePicture, where: Languages) -> float:
        """The degrees clockwise by which the lines of a picture fall, by its layout alone."""
        level, api = self._library.RIL.TEXTLINE, self._with_picture(picture, where)
        lines = api.AnalyseLayout()
        slopes: list[tuple[float, float]] = []
        for line in self._library.iterate_level(lines, level) if lines else ():
            if (found := line.Baseline(level)) is None:
                continue
            (left, one), (right, other) = found
            if right - left > 4 * abs(other - one) and right - left > picture.width / 20:
                slopes.append((Row((left, one), (right, other)).slope, right - left))
        return weighted_median(slopes)

    def words(self, picture: PagePicture, where: Languages) -> Iterator[RecognisedWord]:
        """The words of a picture, line by line; none where that takes more than a minute."""
        level, api = self._library.RIL, self._with_picture(picture, where)
        if not api.Recognize(_MOST_MS):
            return
        found = api.GetIterator()
        begins_line = True
        letters: list[Letter] = []
        for each in self._library.iterate_level(found, level.SYMBOL) if found else ():
            begins_line = begins_line or each.IsAtBeginningOf(level.TEXTLINE)
            box = each.BoundingBox(level.SYMBOL)
            if box is not None and (written := each.GetUTF8Text(level.SYMBOL).strip()):
                letters += letters_of(written, box[0], box[2])
            if each.IsAtFinalElement(level.WORD, level.SYMBOL):
                # Without letters there may be no row, and Tesseract would crash.
                if letters and (line := each.Baseline(level.TEXTLINE)) is not None:
                    left, right = line
                    sizes = each.RowAttributes()
                    row = Row(left, right, sizes["row_height"], abs(sizes["descenders"]))
                    word = word_of(letters, row, each.Confidence(level.WORD), begins_line)
                    if word is not None:
                        begins_line = False
                        yield word
                letters = []

    def close(self) -> None:
        """Free the engine."""
        while self._open:
            self._open.popitem()[1].End()

    def _with_picture(self, picture: PagePicture, where: Languages) -> Any:
        """Tesseract's interface for languages, with a picture set."""
        api = self._open[where] if where in self._open else self._start(where)
        api.SetImageBytes(picture.pixels, picture.width, picture.height, 1, picture.stride)
        api.SetSourceResolution(picture.dpi)
        return api

    def _start(self, where: Languages) -> Any:
        kinds = self._library
        require(where)  # Tesseract itself crashes a confined process where a language is missing
        try:
            api = kinds.PyTessBaseAPI(
                path=where.folder, lang=where.names, psm=kinds.PSM.AUTO, oem=kinds.OEM.LSTM_ONLY
            )
        except RuntimeError as fault:
            raise unusable(where) from fault
        # tesserocr has it write what it notes to /dev/null, which a confined process may not open for that: it
        # would crash. To standard error, which is the log, it may.
        api.SetVariable("debug_file", "")
        api.SetVariable("thresholding_method", SAUVOLA)
        self._open[where] = api
        return api
