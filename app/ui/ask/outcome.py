"""What has come of a question, as the Ask page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import exp, log
from time import time
from typing import TYPE_CHECKING

from app.core import wording
from app.core.models import Head
from app.core.report import Progress
from app.ui.document.marks.places import Place, place_of

if TYPE_CHECKING:
    from app.core.inspection import Visit
    from app.core.layout import Opened
    from app.core.results import Answer, Reading
    from app.core.text import Span


@dataclass(slots=True)
class Outcome:
    """What has come of a question about `opened`; positions count in its text as it was asked.

    `waiting` says what is waited for while nothing was read yet; `ended` how it ended where it was not read to the
    end ("Stopped after 34 % of the text"); `chosen` is the index of the answer that is lit up strongly, `lit` tells for
    each whether the page shows it; `why_not` tells that the nearest words are shown of a text that does not say,
    `stale` that the page says something else by now; `note` is what the status line says of it. `kept` is the answer
    that a person went to while it was being read: it stays among the others until the next question, also where better
    ones would take its place. `hidden` tells that its text was taken off the page, which may come back by undoing that:
    until then nothing is said of it. `example` tells that Spanlight asked it itself, to show what it does: it is kept
    nowhere. `asked` is when it was asked, in seconds since 1970. `paused` tells that a newer question is read for
    first, though this one is still running; `reached` is how much of the text had been read by then, 0 to 1.
    `quick` tells that only the best passages were to be read.
    """

    question: str
    opened: Opened
    reading: Reading | None = None
    running: bool = True
    waiting: str = ""
    progress: Progress | None = None
    ended: str = ""
    stale: bool = False
    chosen: int = 0
    why_not: bool = False
    lit: tuple[bool, ...] = ()
    note: str = ""
    kept: Answer | None = None
    hidden: bool = False
    example: bool = False
    asked: float = field(default_factory=time)
    paused: bool = False
    reached: float = 0.0
    quick: bool = False

    @property
    def fraction(self) -> float:
        """How much of the text was read, 0 to 1."""
        return max(self.reached, self.progress.fraction if self.progress is not None else 0.0)

    def stopped(self, how: str = "Stopped") -> str:
        """How far a reading came that was not read to its end."""
        reading = self.reading
        if reading is None:
            return wording.stopped_after(self.fraction, quick=None, how=how)
        # An answer may have come before its progress.
        read = reading.share_read
        share = max(self.fraction, read) if read is not None else self.fraction or None
        return wording.stopped_after(share, quick=reading.quick, how=how)

    def read_in(self) -> str:
        """What was read and how fast: "71 pages read whole in 2.1 seconds"; there must be a reading."""
        reading = self.reading
        assert reading is not None
        pages, characters = len(self.opened.pages), len(self.opened.document.text)
        length = wording.count(pages, "page") if pages else wording.count(characters, "character")
        time = wording.duration(reading.seconds)
        if reading.quick:
            return f"The best passages of {length} read in {time}"
        return f"{length} read whole in {time}"

    @property
    def heat(self) -> tuple[float, ...]:
        """Where in the text answers were seen: `Reading.heat` of the one document."""
        return self.reading.heat[0] if self.reading is not None and self.reading.heat else ()

    def answered(self, threshold: float | None) -> bool:
        """Whether the text is held to answer, by this threshold or, with None, the one it was read with."""
        return self.reading is not None and self.judged(threshold).best is not None

    def judged(self, threshold: float | None) -> Reading:
        """The reading as it is held by this threshold or, with None, by its own; there must be one."""
        assert self.reading is not None
        least = self.reading.threshold if threshold is None else threshold
        answered = bool(self.reading.answers) and 1.0 - self.reading.no_answer_probability >= least
        return replace(self.reading, answered=answered, threshold=least)

    def answers(self) -> tuple[Answer, ...]:
        """The best places found so far, with the one that the person went to."""
        found = self.reading.answers if self.reading is not None else ()
        return found if self.kept is None or self.kept in found else (*found, self.kept)

    def shown(self, threshold: float | None) -> tuple[Answer, ...]:
        """The places to light up, by this threshold: none where the text does not say, or its nearest words alone."""
        if self.reading is None:
            return ()
        if self.judged(threshold).shown is not None:
            return self.answers()
        return self.answers()[:1] if self.why_not else ()

    def keep(self, index: int) -> None:
        """Take one of them as the one that the person went to."""
        self.kept = self.answers()[index]
        self.chosen = self.answers().index(self.kept)

    def take(self, reading: Reading) -> None:
        """Take what was found by now; the answer that the person went to stays the chosen one."""
        self.reading = reading
        if self.kept is None:
            return
        here = self.kept.span
        same = (a for a in reading.answers if a.span.start < here.end and here.start < a.span.end)
        self.kept = next(same, None) or replace(self.kept, probability=_now(self.kept, reading))
        self.chosen = self.answers().index(self.kept)

    @property
    def best_span(self) -> Span | None:
        """Where the best answer so far stands; None where there is none."""
        return next((answer.span for answer in self.answers()), None)

    def visit(self) -> Visit | None:
        """What there is to look into: the question, and the place that is lit up strongly; None before it was read."""
        if self.reading is None or self.running or self.stale:
            return None
        answers = self.answers()
        focus = answers[self.chosen].span if self.chosen < len(answers) else None
        from app.core.inspection import Subject, Visit

        document = self.opened.document
        subject = Subject(Head.QUESTION_ANSWERING, document.text, self.question, focus, view=document.view)
        return Visit(subject, self.reading.model, self.question)

    def place(self, index: int) -> Place:
        """What is said of one of them."""
        return place_of(self.opened, self.answers()[index])


def _now(answer: Answer, reading: Reading) -> float:
    """The probability that an answer has beside those found since, which have left it behind.

    Probabilities of one reading are exponentials of the scores: what two of them tell goes on to a third one. It is
    never more than what those that were found, and there being no answer, leave of 1.
    """
    found = reading.answers
    rest = 1.0 - reading.no_answer_probability - sum(one.probability for one in found)
    return max(0.0, min(rest, _beside(answer, found)))


def _beside(answer: Answer, found: Sequence[Answer]) -> float:
    first, last = (found[0], found[-1]) if found else (answer, answer)
    if first.rank <= last.rank or not 0 < last.probability < first.probability:
        return min(answer.probability, last.probability)
    slope = (log(first.probability) - log(last.probability)) / (first.rank - last.rank)
    return min(last.probability, last.probability * exp(slope * (answer.rank - last.rank)))
