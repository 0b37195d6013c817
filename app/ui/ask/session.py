"""One open document, or several of them, with the question about it: plain data and its transitions, without Qt."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum, auto
from time import time
from typing import TYPE_CHECKING

from app.ui.ask.question_run import QuestionRun, RunState, TextState

if TYPE_CHECKING:
    from app.core.history import Entry
    from app.core.layout import Opened
    from app.core.results import Reading
    from app.flows.history.kept_answers import LocatedAnswers


class DocumentState(Enum):
    """Whether a session's document is on the page."""

    OPEN = auto()
    ASLEEP = auto()  # of an earlier start: its file is read once its tab is shown
    LOADING = auto()
    LOCKED = auto()  # needs its password
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class WaitingQuestion:
    """A question that is asked once its file is open and no other one is read for; `whole`: of every passage."""

    question: str
    whole: bool
    asked_at: float = field(default_factory=time)


@dataclass(eq=False, slots=True)
class AskSession:
    """One open document with its question. A text without a `name` was typed or pasted."""

    # Names its draft.
    key: str = field(default_factory=lambda: secrets.token_hex(4))
    name: str = ""
    path: str = ""
    # Opens the file where it is encrypted; saved nowhere.
    password: str = ""
    state: DocumentState = DocumentState.OPEN
    # The file that is shown; None for a text without one, and before it was read.
    opened: Opened | None = None
    # As typed; those asked, the oldest first; and those offered about a sample.
    question: str = ""
    history: list[str] = field(default_factory=list)
    suggestions: tuple[str, ...] = ()
    run: QuestionRun | None = None
    # At most one, the latest; it is in the history too, so that it is not lost where its file cannot be opened.
    waiting: WaitingQuestion | None = None
    # The code point to scroll to once the file is read.
    place: int = 0
    # The number of the last answer in the history, 0 without one.
    entry: int = 0
    is_unsaved: bool = False
    # Shown by Spanlight itself: not saved for the next start.
    is_demo: bool = False
    # Opened from a list of answers: the next one from there takes its place, until it is asked, edited or pinned.
    is_preview: bool = False
    # How many pages are not in its text yet while they are being recognised.
    awaited_pages: int = 0
    # Whether the page was empty at the last change since a question.
    _was_blank: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the document is on the page."""
        return self.state is DocumentState.OPEN

    @property
    def is_awaited(self) -> bool:
        """Whether the file is being read, its pages are being recognised, or it waits for its password."""
        return self.awaited_pages > 0 or self.state in (DocumentState.LOADING, DocumentState.LOCKED)

    @property
    def shown_run(self) -> QuestionRun | None:
        """The last question; None while its text is not on the page."""
        return self.run if self.run is not None and self.run.text is not TextState.EMPTIED else None

    def running(self) -> QuestionRun | None:
        """The question that has not ended yet, if any."""
        return self.run if self.run is not None and self.run.is_running else None

    def take_waiting(self) -> WaitingQuestion | None:
        """The question that waited, which waits no longer; None where none did."""
        waiting, self.waiting = self.waiting, None
        return waiting

    def restore(self, entry: Entry, found: LocatedAnswers, reading: Reading, threshold: float | None) -> None:
        """Show a question of the history in place of the last one, its answers as they were found."""
        from app.core.requests import Question

        self.run = QuestionRun(
            Question(entry.question, (found.opened.document,), quick=entry.quick),
            (found.opened,),
            threshold,
            state=RunState.STOPPED if entry.stopped else RunState.DONE,
            reading=reading,
            note=entry.stopped,
            asked_at=entry.asked,
            is_same_document=not found.changed,
            is_shared=entry.shared,
        )

    def text_changed(self, *, is_blank: bool, is_same: bool) -> bool:
        """The text was edited; returns whether that changes what is shown. `is_same`: it is the one asked again."""
        run = self.run
        if run is None:
            return False
        before = run.text, self._was_blank
        self._was_blank = is_blank
        if is_same:
            run.text = TextState.SAME
        elif is_blank or run.text is TextState.EMPTIED:
            run.text = TextState.EMPTIED
        else:
            run.text = TextState.CHANGED
        return before != (run.text, is_blank)

    def file_read(self, opened: Opened) -> None:
        """The file was read, perhaps again: an earlier question stays, and may be about another text now."""
        self.state, self.opened = DocumentState.OPEN, opened
        self.name, self.path = opened.document.name, opened.document.path
        if self.run is not None:
            same = self.run.opened.document.text == opened.document.text
            self.run.text = TextState.SAME if same else TextState.CHANGED


def next_question(
    sessions: Collection[AskSession], ready: Collection[AskSession], shown: Collection[AskSession]
) -> AskSession | None:
    """The session to read for next: the latest question of those that wait and are `ready`, and of the paused ones.

    While one is read for, only a newer one of a session that is `shown` goes first; None where nothing is to begin.
    """
    running = [(session, run) for session in sessions if (run := session.running()) is not None]
    reading = next((run for _, run in running if run.state is not RunState.PAUSED), None)
    turns = {session: session.waiting.asked_at for session in ready if session.waiting is not None}
    if reading is not None:
        turns = {one: at for one, at in turns.items() if one in shown and at >= reading.asked_at}
    else:
        turns = {session: run.asked_at for session, run in running} | turns
    return max(turns, key=lambda one: turns[one], default=None)
