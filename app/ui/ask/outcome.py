"""The outcome of a question, as the Ask page shows it."""

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
    """The outcome of a question about `opened`; positions count in its text at that time.

    `waiting` is what the question waits for before anything is read; `ended` how it ended where it was not read to
    the end ("Stopped after 34% of the text"); `chosen` is the index of the answer that is highlighted strongly,
    `lit` for each answer whether the page shows it; `why_not`: the nearest words are shown although there is no
    answer; `stale`: the page has another text by now; `note` is the text for the status line. `pinned` is the answer
    that the user went to during the reading: it stays among the others until the next question, also where better
    ones would replace it. `hidden`: its text is not on the page, but undoing may bring it back; until then the
    outcome is not shown. `example`: Spanlight asked it itself as a demonstration, and saves it nowhere. `asked_at` is
    the time of the question in seconds since 1970. `paused`: a newer question is read for first, though this one is
    still running; `reached` is the share of the text that had been read by then, 0 to 1. `quick`: only the best
    passages were to be read.
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
    pinned: Answer | None = None
    hidden: bool = False
    example: bool = False
    asked_at: float = field(default_factory=time)
    paused: bool = False
    reached: float = 0.0
    quick: bool = False

    @property
    def fraction(self) -> float:
        """The share of the text that was read, 0 to 1."""
        return max(self.reached, self.progress.fraction if self.progress is not None else 0.0)

    def stopped(self, how: str = "Stopped") -> str:
        """A sentence on how far an unfinished reading came."""
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
        """The heat over the text: `Reading.heat` of the one document."""
        return self.reading.heat[0] if self.reading is not None and self.reading.heat else ()

    def answered(self, threshold: float | None) -> bool:
        """Whether the text has an answer by this threshold or, with None, by the one it was read with."""
        return self.reading is not None and self.judged(threshold).best is not None

    def judged(self, threshold: float | None) -> Reading:
        """The reading judged by this threshold or, with None, by its own; there must be a reading."""
        assert self.reading is not None
        least = self.reading.threshold if threshold is None else threshold
        answered = bool(self.reading.answers) and 1.0 - self.reading.no_answer_probability >= least
        return replace(self.reading, answered=answered, threshold=least)

    def answers(self) -> tuple[Answer, ...]:
        """The best answers so far, with the pinned one."""
        found = self.reading.answers if self.reading is not None else ()
        return found if self.pinned is None or self.pinned in found else (*found, self.pinned)

    def shown(self, threshold: float | None) -> tuple[Answer, ...]:
        """The answers to highlight, by this threshold; without an answer none, or only the nearest words."""
        if self.reading is None:
            return ()
        if self.judged(threshold).shown is not None:
            return self.answers()
        return self.answers()[:1] if self.why_not else ()

    def pin(self, index: int) -> None:
        """Pin one of the answers."""
        self.pinned = self.answers()[index]
        self.chosen = self.answers().index(self.pinned)

    def take(self, reading: Reading) -> None:
        """Take the reading so far; a pinned answer stays the chosen one."""
        self.reading = reading
        if self.pinned is None:
            return
        here = self.pinned.span
        same = (a for a in reading.answers if a.span.start < here.end and here.start < a.span.end)
        self.pinned = next(same, None) or replace(
            self.pinned, probability=_probability_now(self.pinned, reading)
        )
        self.chosen = self.answers().index(self.pinned)

    @property
    def best_span(self) -> Span | None:
        """The span of the best answer so far; None without one."""
        return next((answer.span for answer in self.answers()), None)

    def visit(self) -> Visit | None:
        """The visit to look inside: the question, and the place highlighted strongly; None before the text was read."""
        if self.reading is None or self.running or self.stale:
            return None
        answers = self.answers()
        focus = answers[self.chosen].span if self.chosen < len(answers) else None
        from app.core.inspection import Subject, Visit

        document = self.opened.document
        subject = Subject(Head.QUESTION_ANSWERING, document.text, self.question, focus, view=document.view)
        return Visit(subject, self.reading.model, self.question)

    def place(self, index: int) -> Place:
        """The place of one of the answers, as it is shown."""
        return place_of(self.opened, self.answers()[index])


def _probability_now(answer: Answer, reading: Reading) -> float:
    """The probability of an earlier answer among better ones found since.

    The probabilities of one reading are exponentials of the scores, so two of them give that of a third score. It is at
    most the rest of 1 that the answers found, and no answer, leave.
    """
    found = reading.answers
    rest = 1.0 - reading.no_answer_probability - sum(one.probability for one in found)
    return max(0.0, min(rest, _extrapolated(answer, found)))


def _extrapolated(answer: Answer, found: Sequence[Answer]) -> float:
    first, last = (found[0], found[-1]) if found else (answer, answer)
    if first.rank <= last.rank or not 0 < last.probability < first.probability:
        return min(answer.probability, last.probability)
    slope = (log(first.probability) - log(last.probability)) / (first.rank - last.rank)
    return min(last.probability, last.probability * exp(slope * (answer.rank - last.rank)))
