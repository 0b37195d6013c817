"""An answer's place in a document, in words: its sentence, its page and heading, or its share of the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.core import wording
from app.core.text import Span, common_prefix
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.core.history import KeptAnswer
    from app.core.layout import Opened
    from app.core.quotes import Quote
    from app.core.results import Answer, Reading


@dataclass(frozen=True, slots=True)
class Place:
    """An answer with its place, as the answer panel shows it.

    `sentence[start:end]` are the answer's words in their sentence, or in their table row as it is read; every run of
    blanks counts as one. `where` is the place in words, `cell` the row in a table, and the column unless it is in
    `where`; `source` is the document's name; `document` identifies it where several were asked, else it is empty.
    `recognised` says that the words were recognised in a picture, and how surely; `unsure` are the ranges of `sentence`
    to compare with the picture.
    """

    text: str
    probability: float
    sentence: str
    start: int
    end: int
    where: str
    cell: str = ""
    source: str = ""
    document: str = ""
    recognised: str = ""
    unsure: tuple[tuple[int, int], ...] = ()

    @property
    def likely(self) -> str:
        """The probability in words and as a number: "Very likely, 94%"."""
        return wording.likely(self.probability)

    def copied(self) -> str:
        """Return the answer with its sentence and place, for the clipboard."""
        source = ", ".join(filter(None, map(localised, (self.source, self.where, self.recognised))))
        cell = f"{localised(self.cell)}\n" if self.cell else ""
        return f"{self.text}\n\n“{self.sentence}”\n{cell}({source})"


@dataclass(frozen=True, slots=True)
class PlacedReading:
    """A reading with the places of its answers, by their `document` and `span`."""

    reading: Reading
    places: dict[tuple[int, Span], Place]


def with_places(reading: Reading, documents: Sequence[Opened]) -> PlacedReading:
    """Return a reading of these documents with its answers' places."""
    places = {(one.document, one.span): place_of(documents[one.document], one) for one in reading.answers}
    return PlacedReading(reading, places)


def place_of(opened: Opened, answer: Answer) -> Place:
    """Return the place of an answer in its document."""
    from app.core.quotes import quote  # not at the window's start

    quoted = quote(opened, answer.span)
    recognised, unsure = _recognised(opened, answer, quoted) if opened.pages else ("", ())
    before, words = _with_single_blanks(quoted.before), _with_single_blanks(answer.text)
    return Place(
        text=words if not opened.is_text else answer.text,
        probability=answer.probability,
        sentence=before + words + _with_single_blanks(quoted.after),
        start=len(before),
        end=len(before) + len(words),
        where=where(opened, answer.span.start),
        cell=(replace(quoted, column="") if opened.column_name_at(answer.span.start) else quoted).cell,
        source=opened.document.name,
        recognised=recognised,
        unsure=unsure,
    )


def _recognised(opened: Opened, answer: Answer, quoted: Quote) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return how the answer was recognised, in words, and the ranges of the shown sentence recognised unsurely.

    The ranges count code points. A table row is read with headers between its cells: there only the answer's own words
    are looked at.
    """
    from app.core.recognition import recognition_of

    text, span, before, after = opened.document.text, answer.span, quoted.before, quoted.after
    own = recognition_of(opened, span)
    start, end = span.start - len(before), span.end + len(after)
    if start < 0 or text[start:end] != before + span.of(text) + after:
        start, end = span.start, span.end
    lead = len(_with_single_blanks(before)) if start == span.start else 0
    around = recognition_of(opened, Span(start, end))
    unsure = []
    for one in around.unsure if around is not None else ():
        first = lead + len(_with_single_blanks(text[start : one.start]))
        unsure.append((first, first + len(_with_single_blanks(one.of(text)))))
    return own.in_words if own is not None else "", tuple(unsure)


def place_in_file(path: str, kept: KeptAnswer) -> Place:
    """Return the place of an answer in a file that is not open."""
    words, sentence = _with_single_blanks(kept.text), _with_single_blanks(kept.sentence)
    before = _with_single_blanks(kept.before)
    # Of several occurrences in the sentence, the one with the same characters before it is meant.
    starts = [found.start() for found in re.finditer(re.escape(words), sentence)]
    start = max(starts, key=lambda at: common_prefix(sentence[:at][::-1], before[::-1]), default=0)
    if not starts:
        sentence = words
    heading = wording.first_words(kept.heading)
    return Place(
        text=words,
        probability=kept.probability,
        sentence=sentence,
        start=start,
        end=start + len(words),
        where=", ".join(filter(None, (localised(kept.where), "" if kept.cell else heading))),
        source=Path(path).name,
        document=path,
    )


def _with_single_blanks(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def where(opened: Opened, at: int) -> str:
    """Return the place of a code point: "page 22, V2.1 Password Security", or "line 12, at 34% of the text"."""
    heading, place = opened.heading_above(at), localised(opened.place_at(at))
    heading = "" if opened.is_spreadsheet else wording.first_words(heading)
    if place and opened.cells.rows:
        return place
    if place and (heading or opened.pages):
        return f"{place}, {heading}" if heading else place
    percent = round(100 * at / max(1, len(opened.document.text)))
    share = tr("at {percent}% of the text", percent=percent) if percent else tr("at the start")
    return ", ".join(part for part in (place, heading, share) if part)
