"""A question about one document, several or a library, with its answers: plain data and its transitions, without Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from math import exp, log
from pathlib import Path
from time import perf_counter, time
from typing import TYPE_CHECKING

from app.core import wording
from app.core.message import Message
from app.core.models import Head, model_title
from app.core.report import Progress
from app.ui.document.marks.places import Place, PlacedReading, place_in_file

if TYPE_CHECKING:
    from app.core.corrections import Correction
    from app.core.history import Entry
    from app.core.inspection import Visit
    from app.core.layout import Opened
    from app.core.library import FoundAnswer, Library, LibraryReading, LibraryStatus
    from app.core.requests import Question
    from app.core.results import Answer, Reading
    from app.core.text import Span

_OPEN, _LIBRARY = "open", "library:"


class ScopeKind(Enum):
    """What a question is asked of."""

    DOCUMENT = auto()  # the one on the page
    OPEN = auto()  # all that are open
    LIBRARY = auto()


@dataclass(frozen=True, slots=True)
class Scope:
    """What questions are asked of; `library` is a library's number, 0 for the other kinds."""

    kind: ScopeKind = ScopeKind.DOCUMENT
    library: int = 0

    @property
    def key(self) -> str:
        """The scope as the settings save it."""
        if self.kind is ScopeKind.LIBRARY:
            return f"{_LIBRARY}{self.library}"
        return _OPEN if self.kind is ScopeKind.OPEN else ""


def scope_of(key: str) -> Scope:
    """Return the scope with a key of the settings; the document on the page for an unknown key."""
    number = key.removeprefix(_LIBRARY)
    if key.startswith(_LIBRARY) and number.isdecimal():
        return Scope(ScopeKind.LIBRARY, int(number))
    return Scope(ScopeKind.OPEN) if key == _OPEN else Scope()


class RunState(Enum):
    """The state of a question's reading."""

    QUEUED = auto()  # behind the loading of the reader, or the work of another page
    READING = auto()
    PAUSED = auto()  # while a newer question is read for
    STOPPED = auto()  # by the user or by a fault, before the end of the text
    DONE = auto()


class TextState(Enum):
    """Whether the text on the page is still the one that was asked about."""

    SAME = auto()
    CHANGED = auto()
    EMPTIED = auto()  # deleted or replaced on the page; undo may bring it back


@dataclass(eq=False, slots=True)
class AskRun:
    """A question about a document, several documents or a library, with the answers found so far.

    `documents` are those asked about, with their texts at that time, in which spans count code points. A library has
    none: its answers stand in its files, in `found`. The reader cannot resume in the middle: a paused question is read
    for from the beginning again, with the same final result, and its earlier answers stay until as much of the text was
    read again. Answers in several documents are grouped by document, and `chosen` is -1 until one is chosen.
    """

    request: Question
    documents: tuple[Opened, ...]
    # The threshold that the user set; None for the reader's own.
    threshold: float | None = None
    state: RunState = RunState.QUEUED
    text: TextState = TextState.SAME
    reading: Reading | None = None
    # The places of the answers in documents, by the index of the document and the span.
    places: dict[tuple[int, Span], Place] = field(default_factory=dict)
    progress: Progress | None = None
    # What it waits for while it is queued, as a sentence.
    queue_note: str = ""
    # How the reading ended, or how far it came: "Stopped after 34% of the text".
    note: str = ""
    # The index of the answer that is highlighted strongly.
    chosen: int = 0
    # For each answer whether the page highlights it.
    lit: tuple[bool, ...] = ()
    # The answer that the user chose during the reading: it stays in the list, even below better ones.
    pinned: Answer | None = None
    # Whether the nearest words are shown although there is no answer.
    shows_nearest: bool = False
    # Whether Spanlight itself asked it as a demonstration; it is then saved nowhere.
    is_example: bool = False
    # In seconds since 1970.
    asked_at: float = field(default_factory=time)
    # Before a pause, as shares of the text, 0 to 1: how much was read, and how much the answers shown come from.
    reached: float = 0.0
    shown_share: float = 0.0
    # For several open documents: the keys of their sessions, in the order of `documents`.
    keys: tuple[str, ...] = ()
    library: Library | None = None
    status: LibraryStatus | None = None
    found: tuple[FoundAnswer, ...] = ()
    # How many passages of the library the reader reads.
    passages: int = 0
    # The newest result, while it comes from less of the text than the answers shown.
    held_back: PlacedReading | LibraryReading | None = None
    # Whether the document is unchanged: an entry of the history may be shown in a later version of its file.
    is_same_document: bool = True
    # Whether it shows one document of a question about several, whose probabilities are shared among them.
    is_shared: bool = False
    # The person's corrections by document, keyed as in `place_key`; "" is the key of a single document.
    corrections: dict[str, Correction] = field(default_factory=dict)
    began: float = 0.0

    @property
    def question(self) -> str:
        """The question's text."""
        return self.request.text

    @property
    def is_running(self) -> bool:
        """Whether the reading has not ended; a paused question counts as running."""
        return self.state in (RunState.QUEUED, RunState.READING, RunState.PAUSED)

    @property
    def is_across(self) -> bool:
        """Whether the question is about several documents or a library."""
        return self.library is not None or bool(self.keys)

    @property
    def scope(self) -> Scope:
        """What the question was asked of."""
        if self.library is not None:
            return Scope(ScopeKind.LIBRARY, self.library.number)
        return Scope(ScopeKind.OPEN) if self.keys else Scope()

    @property
    def opened(self) -> Opened:
        """The document of a question about one; there must be one."""
        return self.documents[0]

    # Transitions

    def begin(self) -> None:
        """Queue the question, to be read for from the start of the text."""
        self.state, self.note, self.held_back = RunState.QUEUED, "", None
        self.began = perf_counter()

    def start_reading(self) -> None:
        """Note that the reader has begun."""
        self.state, self.began = RunState.READING, perf_counter()

    def take_progress(self, progress: Progress) -> bool:
        """Note the progress; returns whether it released a result that was held back."""
        # The progress counts windows of the model; the user sees that the text is read.
        words = self._activity_at(progress)
        if progress.fraction < self.reached:
            words = Message("Reading again")
        self.progress = replace(progress, what=words if progress.total else progress.what)
        if self.held_back is None or progress.fraction < self.shown_share:
            return False
        self._take(self.held_back)
        return True

    def take_partial(self, result: PlacedReading | LibraryReading) -> bool:
        """Show the reading so far; returns False where it is held back, as those shown come from more of the text.

        The result of a model that was chosen since is shown at once, but the quick reader's does not replace the
        careful one's.
        """
        reading = result.reading
        share, before = reading.share_read, self.reading
        same = before is None or reading.model in (before.model, before.finder)
        if share is not None and share < self.shown_share and same:
            self.held_back = result
            return False
        self._take(result)
        return True

    def finish(self, result: PlacedReading | LibraryReading) -> None:
        """Show the final reading."""
        self._take(result)
        self.state, self.note = RunState.DONE, _speed_note(result, self.documents)

    def pause(self) -> None:
        """Pause the question for a newer one, and note how far it came."""
        self._count_read()
        self.note = self._progress_note(Message("Paused"))
        found = self.reading.share_read if self.reading is not None else 0.0
        self.reached = max(self.fraction, found or 0.0)
        self.shown_share = self.reached if found is None else found
        self.progress, self.state = None, RunState.PAUSED

    def stop(self, how: str = wording.STOPPED) -> None:
        """Stop the reading before its end; the answers so far stay."""
        self._count_read()
        self.note, self.state = self._progress_note(how), RunState.STOPPED

    def choose(self, index: int) -> None:
        """Choose an answer; in one document it is pinned while better ones may come."""
        self.chosen = index
        if self.is_running and not self.is_across and self.text is TextState.SAME:
            self.pinned = self.answers()[index]

    def show_nearest(self, on: bool) -> None:
        """Show the words nearest to an answer, or hide them."""
        self.shows_nearest = on
        if not self.is_across:
            self.chosen = 0

    def set_threshold(self, threshold: float | None) -> None:
        """Judge the answers by another threshold."""
        self.threshold, self.chosen = threshold, 0

    def _take(self, result: PlacedReading | LibraryReading) -> None:
        """Replace the reading; a pinned answer stays the chosen one."""
        if isinstance(result, PlacedReading):
            self.places |= result.places  # that of a pinned answer stays
        if self.is_across:
            self._take_grouped(result)
            return
        reading = result.reading
        self.reading, self.held_back = reading, None
        if self.pinned is None:
            return
        here = self.pinned.span
        same = (a for a in reading.answers if a.span.start < here.end and here.start < a.span.end)
        self.pinned = next(same, None) or replace(
            self.pinned, probability=_probability_now(self.pinned, reading)
        )
        self.chosen = self.answers().index(self.pinned)

    def _take_grouped(self, result: PlacedReading | LibraryReading) -> None:
        """Replace the reading, its answers grouped by document; the chosen span stays chosen if it is still there."""
        before = self.place_key(self.chosen) if 0 <= self.chosen < len(self.answers()) else None
        reading, self.held_back = result.reading, None
        if not isinstance(result, PlacedReading):
            self.status, self.passages, self.found = result.status, result.passages, result.found
        self.reading = reading
        documents = [self.place_key(at)[0] for at in range(len(reading.answers))]
        order = sorted(range(len(documents)), key=lambda at: documents.index(documents[at]))
        if self.found:
            self.found = tuple(self.found[at] for at in order)
        self.reading = replace(reading, answers=tuple(reading.answers[at] for at in order))
        keys = [self.place_key(at) for at in range(len(order))]
        self.chosen = keys.index(before) if before in keys else -1

    def _count_read(self) -> None:
        """Count what was read since the last result, unless that result comes from more of the text."""
        read = self.progress.fraction if self.progress is not None else 0.0
        if self.reading is not None and self.state is not RunState.PAUSED and read >= self.shown_share:
            self.reading = self.reading.stopped(self.progress, perf_counter() - self.began)

    # What is shown

    @property
    def fraction(self) -> float:
        """The share of the text that was read, 0 to 1."""
        return max(self.reached, self.progress.fraction if self.progress is not None else 0.0)

    @property
    def heat(self) -> tuple[float, ...]:
        """`Reading.heat` of a single document; empty without one."""
        return self.reading.heat[0] if self.reading is not None and self.reading.heat else ()

    @property
    def is_answered(self) -> bool:
        """Whether there is an answer by the threshold."""
        return self.reading is not None and self.judged().best is not None

    @property
    def unrecognised(self) -> int:
        """The number of pages that were not read because the text of their pictures was not recognised."""
        return sum(len(opened.pictures) for opened in self.documents)

    @property
    def judged_whole(self) -> bool:
        """Whether the outcome holds for the whole text, or library, that was asked about; there must be a reading."""
        if self.library is not None:
            return self.state is not RunState.STOPPED  # its passages were found in all of it
        whole = self.judged().judged_whole and not self.unrecognised
        return whole and self.state is not RunState.STOPPED

    def judged(self) -> Reading:
        """Return the reading, judged by the threshold; there must be one."""
        assert self.reading is not None
        if self.threshold is None:
            return self.reading
        answered = bool(self.reading.answers) and 1.0 - self.reading.no_answer_probability >= self.threshold
        own = self.reading.threshold
        return replace(self.reading, answered=answered, threshold=self.threshold, own_threshold=own)

    def answers(self) -> tuple[Answer, ...]:
        """Return the best answers so far, best first, and last a pinned one that is not among them."""
        found = self.reading.answers if self.reading is not None else ()
        return found if self.pinned is None or self.pinned in found else (*found, self.pinned)

    def highlighted(self) -> tuple[Answer, ...]:
        """Return the answers to highlight; where nothing answers, none or only the nearest words."""
        if self.reading is None:
            return ()
        if self.judged().shown is not None:
            return self.answers()
        return self.answers()[:1] if self.shows_nearest else ()

    @property
    def reachable(self) -> int:
        """The number of answers that can be chosen: those that the page highlights, in several documents all."""
        return len(self.answers() if self.is_across else self.lit)

    @property
    def best_span(self) -> Span | None:
        """The span of the best answer so far; None without one."""
        return next((answer.span for answer in self.answers()), None)

    def place(self, index: int) -> Place:
        """Return an answer's place, as it is shown."""
        if self.library is not None:
            found = self.found[index]
            equal = wording.equal_names(one.file.path for one in self.found)
            return replace(
                place_in_file(found.file.path, found.answer),
                source=wording.name_with_folder(found.file.path, equal),
                recognised=found.recognised,
            )
        answer = self.answers()[index]
        return replace(
            self.places[answer.document, answer.span],
            probability=answer.probability,
            document=self.keys[answer.document] if self.keys else "",
        )

    def place_key(self, index: int) -> tuple[str, Span]:
        """Return the document's key and the span of one of the answers in several documents."""
        if self.library is not None:
            return self.found[index].file.path, self.found[index].answer.span
        answer = self.answers()[index]
        return self.keys[answer.document], answer.span

    def entry(self, index: int) -> Entry:
        """Return an entry about the document of one of the answers: this answer first, then the others in it."""
        from app.core.layout import Opened
        from app.core.text import Document
        from app.flows.history.history import entry_of, kept_answer

        reading = self.judged()
        here = self.place_key(index)[0]
        others = (at for at in range(len(self.answers())) if at != index and self.place_key(at)[0] == here)
        order = (index, *others)
        if self.library is not None:
            file = self.found[index].file
            opened = Opened(Document("", Path(file.path).name, file.path), file.kind, sha256=file.sha256)
            kept = tuple(self.found[at].answer for at in order)
        else:
            opened = self.documents[reading.answers[index].document]
            kept = tuple(kept_answer(opened, reading.answers[at]) for at in order)
        entry = entry_of(opened, self.request, replace(reading, answers=()), asked=self.asked_at)
        return replace(entry, answers=kept, answered=reading.answered)

    def entries(self) -> tuple[Entry, ...]:
        """Return an entry for each document with an answer, the best answer's first; only that one counts as answered.

        There must be a reading.
        """
        if not self.is_across:
            from app.flows.history.history import entry_of

            entry = entry_of(self.opened, self.request, self.judged(), asked=self.asked_at)
            return (replace(entry, shared=self.is_shared),)
        keys = [self.place_key(at)[0] for at in range(len(self.answers()))]
        best, *others = (self.entry(keys.index(key)) for key in dict.fromkeys(keys))
        return (best, *(replace(entry, answered=False) for entry in others))

    @property
    def activity(self) -> str:
        """What is being read, as a sentence."""
        if self.status is not None:
            return Message(
                "Reading the best passages of {n:,} file",
                "Reading the best passages of {n:,} files",
                n=self.status.read,
            )
        if self.keys:
            return Message("Reading {n:,} document", "Reading {n:,} documents", n=len(self.keys))
        return Message("Reading")

    def _activity_at(self, progress: Progress) -> str:
        """Return what is being read, by its name where it is one of several documents."""
        if progress.document < 0 or not self.is_across:
            return self.activity
        if self.library is None:
            return Message("Reading {name}", name=self.documents[progress.document].document.name)
        return progress.what  # the flow names the file

    @property
    def no_answer(self) -> str:
        """The sentence that says that nothing answers: "The text does not say.", "Not in 412 of 415 files."."""
        if not self.judged_whole:
            return wording.NO_ANSWER_IN_PART
        if self.keys:
            number = len(self.keys)
            return Message("Not in the {n:,} open document.", "Not in the {n:,} open documents.", n=number)
        return wording.NO_ANSWER if self.status is None else self.status.without_answer

    def facts(self) -> str:
        """Return how long the reading took, if known, what was read, and by which model; empty before the end."""
        if self.reading is None or self.is_running:
            return ""
        passages = self.passages if self.library is not None else None
        read = _model_note(self.reading, passages, is_whole=self.reading.complete and not self.unrecognised)
        if self.reading.seconds:
            return Message("{time}, {read}", time=wording.duration(self.reading.seconds), read=read)
        return read

    def visit(self) -> Visit | None:
        """Return the question with its chosen answer for the page Look inside; None before the text was read."""
        if self.reading is None or self.is_running or self.is_across or self.text is not TextState.SAME:
            return None
        focus = next((each.span for each in self.answers()[self.chosen : self.chosen + 1]), None)
        from app.core.inspection import Subject, Visit

        text, view = self.opened.document.text, self.opened.document.view
        question = self.reading.read_as or self.question
        subject = Subject(Head.QUESTION_ANSWERING, text, question, focus, view=view)
        return Visit(subject, self.reading.model, question)

    def _progress_note(self, how: str) -> str:
        reading = self.reading
        if reading is None:
            return wording.stopped_after(self.fraction, quick=None, how=how)
        # An answer may have come before its progress.
        read = reading.share_read
        share = max(self.fraction, read) if read is not None else self.fraction or None
        return wording.stopped_after(share, quick=reading.quick or self.library is not None, how=how)


def _probability_now(answer: Answer, reading: Reading) -> float:
    """Return the probability of an earlier answer beside the better ones of a reading.

    The probabilities of one reading are about exponential in the scores, so two of them give that of a third score. It
    is at most 1 less the probabilities of the reading's words and of no answer.
    """
    from app.core.results import best_places

    rest = 1.0 - reading.no_answer_probability - sum(one.probability for one in best_places(reading.answers))
    return max(0.0, min(rest, _extrapolated(answer, reading.answers)))


def _extrapolated(answer: Answer, found: Sequence[Answer]) -> float:
    first, last = (found[0], found[-1]) if found else (answer, answer)
    if first.rank <= last.rank or not 0 < last.probability < first.probability:
        return min(answer.probability, last.probability)
    slope = (log(first.probability) - log(last.probability)) / (first.rank - last.rank)
    return min(last.probability, last.probability * exp(slope * (answer.rank - last.rank)))


def _speed_note(result: PlacedReading | LibraryReading, documents: Sequence[Opened]) -> str:
    """Return what was read, and how fast: "71 pages read whole in 2.1 seconds"; a library has no `documents`.

    Pages whose text was not recognised are not counted.
    """
    if not isinstance(result, PlacedReading):
        return Message(
            "{n:,} passage of {files} read in {time}",
            "{n:,} passages of {files} read in {time}",
            n=result.passages,
            files=Message("{n:,} file", "{n:,} files", n=result.status.read),
            time=wording.duration(result.seconds),
        )
    reading, time = result.reading, wording.duration(result.reading.seconds)
    pages = sum(len(opened.pages) - len(opened.pictures) for opened in documents)
    characters = sum(len(opened.document.text) for opened in documents)
    if reading.quick:
        length = (
            Message("{n:,} page", "{n:,} pages", n=pages)
            if pages
            else Message("{n:,} character", "{n:,} characters", n=characters)
        )
        return Message("The best passages of {length} read in {time}", length=length, time=time)
    if pages:
        return Message(
            "{n:,} page read whole in {time}", "{n:,} pages read whole in {time}", n=pages, time=time
        )
    return Message(
        "{n:,} character read whole in {time}",
        "{n:,} characters read whole in {time}",
        n=characters,
        time=time,
    )


def _model_note(reading: Reading, passages: int | None, *, is_whole: bool) -> str:
    """Return what was read, and by which model; `passages` is the number of a library's passages, else None."""
    model = model_title(reading.model)
    if passages is not None and is_whole:
        return Message(
            "{n:,} passage read by {model}", "{n:,} passages read by {model}", n=passages, model=model
        )
    if passages is not None:
        return Message(
            "{n:,} passage read in part by {model}",
            "{n:,} passages read in part by {model}",
            n=passages,
            model=model,
        )
    if not is_whole:
        return Message("read in part by {model}", model=model)
    if not reading.quick:
        return Message("read whole by {model}", model=model)
    if reading.finder in ("", reading.model):
        return Message("the best passages read by {model}", model=model)
    finder = model_title(reading.finder)
    return Message("the best passages found by {finder}, read by {model}", finder=finder, model=model)
