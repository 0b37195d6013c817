"""What a person says of an answer, with all that a reader needs to learn from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.core.layout import Kind
from app.core.message import Message
from app.core.models import Adjustment
from app.core.text import Document, Span, View

# From so many verdicts on a reader's calibration is adjusted to them.
FEWEST_VERDICTS = 50


class Verdict(StrEnum):
    """What the person said about an answer."""

    NONE = ""
    RIGHT = "right"
    OTHER_WORDS = "other words"
    NOT_THERE = "not there"

    def agrees(self, *, shown: bool) -> bool:
        """Whether by this verdict the reader was right; `shown`: it showed words, also with low confidence.

        That a text does not answer agrees only with a reader that said so: words of low confidence are wrong then, as
        they are right where the person says that they are.
        """
        return self is Verdict.RIGHT or (self is Verdict.NOT_THERE and not shown)


@dataclass(frozen=True, slots=True)
class Correction:
    """The person's verdict on the answer to a question about one document.

    `words` at `span` are the right ones, "" and None where the text does not answer (`NOT_THERE`); `shown` at
    `shown_span` are those that the reader gave, or the nearest ones where it gave none. `probability` is how likely it
    found these right, `no_answer` that the text does not answer, both as shown; `answered`: they were given as the
    answer, with `low_confidence` they were shown in doubt (False of older ones too). `passage` is the text around the
    place, from the document's code point `passage_start` on, with its `view`. `in_parts`: the document was read in
    several windows; `in_table`: `shown` stands in a table. `model` is the reader's name and `weights` its fingerprint,
    "" where its calibration does not follow. `path` is empty for a typed text; `sha256` is of the file's bytes, or of
    such a text in UTF-8. `judged` is seconds since 1970; `number` is 0 until it is saved. `adjustment` is the one that
    the reader's calibration had when it was asked.
    """

    question: str
    name: str
    path: str
    sha256: str
    kind: Kind
    verdict: Verdict
    words: str
    span: Span | None
    shown: str
    shown_span: Span | None
    probability: float
    no_answer: float
    answered: bool
    passage: str
    passage_start: int
    view: View | None
    in_parts: bool
    in_table: bool
    model: str
    weights: str
    judged: float
    number: int = 0
    adjustment: Adjustment | None = None
    low_confidence: bool = False

    @property
    def is_agreed(self) -> bool:
        """Whether the person agreed with what was shown."""
        return self.verdict.agrees(shown=self.answered or self.low_confidence)

    def verdict_on(self, shown: Span | None) -> Verdict:
        """The verdict on what a reading shows, perhaps a later one: the words at `shown`, None for no answer."""
        if self.span is None:
            return Verdict.NOT_THERE
        return Verdict.RIGHT if shown == self.span else Verdict.OTHER_WORDS

    def agrees_with(self, shown: Span | None) -> bool:
        """Whether what a reading shows, perhaps a later one, is right: the words at `shown`, None for no answer."""
        return self.verdict_on(shown).agrees(shown=shown is not None)

    def said_of(self, shown: Span | None) -> str:
        """The verdict on what a reading shows in words: "You said: right", "Yours: noon"."""
        match self.verdict_on(shown):
            case Verdict.RIGHT:
                return Message("You said: right")
            case Verdict.OTHER_WORDS:
                return Message("Yours: {words}", words=" ".join(self.words.split()))
            case _:
                return Message("You said: not in the text")

    @property
    def place(self) -> Span | None:
        """The place of the right words in the passage; None where the text does not answer."""
        if self.span is None:
            return None
        return Span(self.span.start - self.passage_start, self.span.end - self.passage_start)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a correction shows about its reader's probabilities.

    `said` is the probability that words were shown with, None where there were none. `chance` is how likely the text
    answers, and `share` the words' part of that, both by the reader's shipped calibration. `answers`: the text does
    answer; `right`: those words were the right ones.
    """

    said: float | None
    chance: float
    share: float
    answers: bool
    right: bool


# How many code points of a document a passage has on either side of its place.
_AROUND = 3000


def passage_around(document: Document, place: Span | None) -> tuple[int, str, View | None]:
    """A correction's `passage_start`, `passage` and `view`: the lines around a place, or the document's first ones."""
    text = document.text
    start, end = (place.start, place.end) if place is not None else (0, 0)
    first = max(0, start - _AROUND)
    first = (
        text.rfind("\n", 0, first) + 1 if first and first - text.rfind("\n", 0, first) < _AROUND else first
    )
    last = min(len(text), end + _AROUND)
    line_end = text.find("\n", last)
    last = line_end if 0 <= line_end - last < _AROUND else last
    view = document.view.of_parts([Span(first, last)]) if document.view is not None else None
    return first, text[first:last], view
