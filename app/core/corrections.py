"""A person's verdicts on answers, with everything that a reader needs to learn from them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.core.layout import Kind
from app.core.message import Message
from app.core.models import Adjustment
from app.core.text import Document, Span, View

# With at least this many verdicts a reader's calibration is adjusted to them.
FEWEST_VERDICTS = 50


class Verdict(StrEnum):
    """A person's verdict on an answer."""

    NONE = ""
    RIGHT = "right"
    OTHER_WORDS = "other words"
    NOT_THERE = "not there"

    def agrees(self, *, shown: bool) -> bool:
        """Whether the reader was right by this verdict; `shown` is whether it showed words, even with low confidence.

        `NOT_THERE` agrees only with a reader that showed no words.
        """
        return self is Verdict.RIGHT or (self is Verdict.NOT_THERE and not shown)


@dataclass(frozen=True, slots=True)
class Correction:
    """The person's verdict on the answer to a question about one document.

    `words` at `span` are the right ones, "" and None if the text does not answer (`NOT_THERE`); `shown` at `shown_span`
    are the words that the reader gave, or the nearest ones if it gave none. `probability` is the one shown for these
    words, `no_answer` the one shown for the text not answering. `answered` is whether they were given as the answer,
    `low_confidence` whether they were shown as doubtful (False for corrections of older versions too). `passage` is the
    text around the place, from the document's code point `passage_start` on, with its `view`. `in_parts` is whether the
    document was read in several windows, `in_table` whether `shown` is in a table. `model` is the reader's name and
    `weights` its fingerprint, "" if its calibration is not adjusted. `path` is empty for a typed text; `sha256` is of
    the file's bytes, or of a typed text in UTF-8. `judged` is in seconds since 1970; `number` is 0 until the correction
    is saved. `adjustment` is the one that the reader's calibration had when the question was asked.
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
        """Return the verdict on what a reading, perhaps a later one, shows: words at `shown`, None for no answer."""
        if self.span is None:
            return Verdict.NOT_THERE
        return Verdict.RIGHT if shown == self.span else Verdict.OTHER_WORDS

    def agrees_with(self, shown: Span | None) -> bool:
        """Whether what a reading, perhaps a later one, shows is right: the words at `shown`, None for no answer."""
        return self.verdict_on(shown).agrees(shown=shown is not None)

    def verdict_in_words(self, shown: Span | None) -> str:
        """Return `verdict_on` in words: "You said: right", "Yours: noon"."""
        match self.verdict_on(shown):
            case Verdict.RIGHT:
                return Message("You said: right")
            case Verdict.OTHER_WORDS:
                return Message("Yours: {words}", words=" ".join(self.words.split()))
            case _:
                return Message("You said: not in the text")

    @property
    def place(self) -> Span | None:
        """The place of the right words in the passage; None if the text does not answer."""
        if self.span is None:
            return None
        return Span(self.span.start - self.passage_start, self.span.end - self.passage_start)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The stated probabilities of one answer, and whether they came true by the person's verdict.

    `stated` is the probability that was shown with the words, None if no words were shown. `chance` is the probability
    that the text answers, `share` the words' share of it, both by the reader's shipped calibration. `answers` is
    whether the text does answer, `right` whether the words were the right ones.
    """

    stated: float | None
    chance: float
    share: float
    answers: bool
    right: bool


# Code points of the document on either side of a correction's place.
_AROUND = 3000


def passage_around(document: Document, place: Span | None) -> tuple[int, str, View | None]:
    """Return a correction's `passage_start`, `passage` and `view`: the lines around a place, else the first lines."""
    text = document.text
    start, end = (place.start, place.end) if place is not None else (0, 0)
    first = max(0, start - _AROUND)
    line_start = text.rfind("\n", 0, first) + 1
    first = line_start if first - line_start < _AROUND else first
    last = min(len(text), end + _AROUND)
    line_end = text.find("\n", last)
    last = line_end if 0 <= line_end - last < _AROUND else last
    view = document.view.of_parts([Span(first, last)]) if document.view is not None else None
    return first, text[first:last], view
