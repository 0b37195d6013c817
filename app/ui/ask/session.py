"""An open document, or several, with the question about it: plain data and its transitions, without Qt."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum, auto
from time import time
from typing import TYPE_CHECKING

from app.ui.ask.run import AskRun, RunState, TextState
from app.ui.document.marks.places import with_places

if TYPE_CHECKING:
    from app.core.history import Entry
    from app.core.layout import Opened
    from app.core.results import Reading
    from app.flows.history.kept_answers import LocatedAnswers


class DocumentState(Enum):
    """Whether a session's document is on the page."""

    OPEN = auto()
    ASLEEP = auto()  # not read yet: its file is read once its tab is shown
    LOADING = auto()
    LOCKED = auto()  # encrypted: its password is needed
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class WaitingQuestion:
    """A question that is asked once its text is there; `whole`: every passage is read for it."""

    question: str
    whole: bool
    asked_at: float = field(default_factory=time)


@dataclass(eq=False, slots=True)
class AskSession:
    """An open document with its question. A text without a `name` was typed or pasted."""

    # Names its draft.
    key: str = field(default_factory=lambda: secrets.token_hex(4))
    name: str = ""
    path: str = ""
    # Opens the file where it is encrypted; saved nowhere.
    password: str = ""
    state: DocumentState = DocumentState.OPEN
    # The file that is shown; None for a text without one, and before it was read.
    opened: Opened | None = None
    # The question as it is typed, the questions asked, oldest first, and those suggested for a sample.
    question: str = ""
    history: list[str] = field(default_factory=list)
    suggestions: tuple[str, ...] = ()
    run: AskRun | None = None
    # The latest; it is in `history` too, so that it is not lost where its file cannot be opened.
    waiting: WaitingQuestion | None = None
    # The code point to scroll to once the file is read.
    place: int = 0
    # The number of the last answer's entry in the history, 0 without one.
    entry: int = 0
    is_unsaved: bool = False
    # Whether Spanlight itself opened it as a demonstration: it is not saved for the next start.
    is_demo: bool = False
    # Whether the next file opened from a list of answers takes its place: until it is asked about, edited or kept.
    is_preview: bool = False
    # The number of pages being recognised whose text is not there yet.
    awaited_pages: int = 0
    # Whether the page was empty after the last edit.
    _was_blank: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the document is on the page."""
        return self.state is DocumentState.OPEN

    @property
    def is_awaited(self) -> bool:
        """Whether the text is still to come: the file is being read, is being recognised, or needs its password."""
        return self.awaited_pages > 0 or self.state in (DocumentState.LOADING, DocumentState.LOCKED)

    @property
    def shown_run(self) -> AskRun | None:
        """The last question; None while the text that it was asked about is not on the page."""
        return self.run if self.run is not None and self.run.text is not TextState.EMPTIED else None

    def running(self) -> AskRun | None:
        """Return the question that is being read for or paused, None without one."""
        return self.run if self.run is not None and self.run.is_running else None

    def take_waiting(self) -> WaitingQuestion | None:
        """Take the waiting question out, and return it; None where none waits."""
        waiting, self.waiting = self.waiting, None
        return waiting

    def restore(self, entry: Entry, found: LocatedAnswers, reading: Reading, threshold: float | None) -> None:
        """Replace the question by an entry of the history, with its answers where they were found."""
        from app.core.requests import Question

        self.run = AskRun(
            Question(entry.question, (found.opened.document,), quick=entry.quick),
            (found.opened,),
            threshold,
            state=RunState.STOPPED if entry.stopped else RunState.DONE,
            reading=reading,
            places=with_places(reading, (found.opened,)).places,
            note=entry.stopped,
            asked_at=entry.asked,
            is_same_document=not found.changed,
            is_shared=entry.shared,
        )

    def text_changed(self, *, is_blank: bool, is_same: bool) -> bool:
        """Note an edit of the text; returns whether that changes what is shown.

        `is_blank`: the page is empty now; `is_same`: it has the text that was asked about again.
        """
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
        """Take the file that was read; an earlier question stays, and knows whether its text has changed."""
        self.state, self.opened = DocumentState.OPEN, opened
        self.name, self.path = opened.document.name, opened.document.path
        if self.run is not None:
            same = self.run.opened.document.text == opened.document.text
            self.run.text = TextState.SAME if same else TextState.CHANGED


def next_question(
    sessions: Collection[AskSession], ready: Collection[AskSession], shown: Collection[AskSession]
) -> AskSession | None:
    """Return the session to read for next: the one with the latest question that waits and is `ready`, or is paused.

    While a question is read for, only a newer one of a session that is `shown` comes before it; None for no change.
    """
    running = [(session, run) for session in sessions if (run := session.running()) is not None]
    reading = next((run for _, run in running if run.state is not RunState.PAUSED), None)
    asked_at = {session: session.waiting.asked_at for session in ready if session.waiting is not None}
    if reading is not None:
        asked_at = {one: at for one, at in asked_at.items() if one in shown and at >= reading.asked_at}
    else:
        asked_at = {session: run.asked_at for session, run in running} | asked_at
    return max(asked_at, key=lambda one: asked_at[one], default=None)
