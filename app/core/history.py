"""Entries of the history: enough to show a question again, to check it again, and to export it."""

from __future__ import annotations

from dataclasses import dataclass

from app.core import wording
from app.core.layout import Kind
from app.core.results import QuestionResult
from app.core.text import Span


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A saved answer with its place; `before` and `after` are up to 32 code points around it.

    `page` counts from 1, None if the document has no pages, and `page_label` is the number printed on it, empty if
    unknown; `line` counts from 1 too, None if the file has no lines. `cell` is the cell ("B12") of a spreadsheet, whose
    sheet is then the heading, or of a CSV file, whose column is then `column_name`. `sentence` is the sentence around
    the words, or their table row as it was read.
    """

    span: Span
    text: str
    probability: float
    sentence: str = ""
    before: str = ""
    after: str = ""
    page: int | None = None
    heading: str = ""
    page_label: str = ""
    line: int | None = None
    cell: str = ""
    column_name: str = ""

    @property
    def where(self) -> str:
        """The page, cell or line, in words: "page iv (4 in the file)", "line 12"; empty if there is none."""
        if self.cell:
            return wording.cell_in_words(self.heading, self.cell, self.column_name)
        return wording.place_in_words(self.page, self.page_label, self.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(QuestionResult[KeptAnswer]):
    """One question about one document, and its result.

    `number` is 0 until it is saved. `asked` is seconds since 1970. `path` is empty for a text that was typed or pasted;
    `sha256` is of the file's bytes, or of such a text in UTF-8. `answers` are best first, also when the text does not
    answer (`answered`, `absent`, `finder`, `own_threshold` and `read_as` as in Reading). `quick` is whether only the
    best passages were to be read, `complete` whether reading was finished; `windows` were read of `windows_total`, both
    0 if unknown, as are `seconds` and `threshold`. With `shared` several documents were asked at once, and share the
    probabilities.
    """

    question: str
    name: str
    path: str
    sha256: str
    kind: Kind
    answers: tuple[KeptAnswer, ...]
    answered: bool
    no_answer_probability: float
    threshold: float = 0.0
    model: str
    device: str = ""
    seconds: float = 0.0
    asked: float
    quick: bool = False
    complete: bool = True
    number: int = 0
    windows: int = 0
    windows_total: int = 0
    absent: float = 0.0
    finder: str = ""
    shared: bool = False
    own_threshold: float = 0.0
    read_as: str = ""

    @property
    def stopped(self) -> str:
        """How far a stopped reading got: "Stopped after 34% of the text"; empty if it was finished."""
        best_passages = self.quick or bool(self.finder)
        return "" if self.complete else wording.stopped_after(self.share_read, quick=best_passages)

    @property
    def in_part(self) -> str:
        """Which part of the text was read: how far, or only the best passages; empty if all of it was."""
        return wording.best_passages() if self.complete and self.quick else self.stopped

    @property
    def shown_span(self) -> Span | None:
        """The place of the words shown; None if the text does not answer."""
        return None if self.shown is None else self.shown.span

    @property
    def words(self) -> str:
        """The words shown, else the sentence for no answer, which claims nothing about unread parts."""
        return self._without_answer[0] if self.shown is None else self.shown.text

    @property
    def likely(self) -> str:
        """The confidence in what is shown, in words and as a percentage: "Very likely, 94%"; "Low confidence, 43%"."""
        if self.shown is None:
            return self._without_answer[1]
        if self.best is None:
            return wording.low_confidence(self.shown.probability)
        return wording.best_of(self.best.probability, self.no_answer_probability)

    @property
    def _without_answer(self) -> tuple[str, str]:
        return wording.without_answer(self.no_answer_probability, whole=self.complete and not self.quick)


@dataclass(frozen=True, slots=True)
class DeletedEntry:
    """A deleted entry with the document's text, if that was stored: all that restoring it needs."""

    entry: Entry
    text: str = ""
