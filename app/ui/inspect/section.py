"""The base class of the sections of the Look inside page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.core.errors import EngineLost
from app.core.inspection import Look, Subject, Visit
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.flows.heads.inspect import look
from app.flows.workspace import Workspace
from app.ui.inspect.part import within
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of
from app.ui.kit.notice import Notice
from app.ui.kit.progress_strip import ProgressStrip, QueueStatus
from app.ui.kit.theme import Theme

Action = Callable[..., object]

_NOTHING = Visit(Subject(Head.QUESTION_ANSWERING, ""))


class ModelQuery(QObject):
    """A section's query to the model: a newer request replaces the older one, whose result is dropped.

    `done` carries the result, `partial` an incomplete one before it, `failed` the error; `stopped` is sent when the
    user stopped it.
    """

    done = Signal(object)
    partial = Signal(object)
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, section: Section) -> None:
        super().__init__(section)
        self._section = section
        self._job: Job | None = None
        self._words = ""

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._job is not None and self._job.running

    def start(self, request: Look, words: str = "Looking inside") -> None:
        """Run a request on the visit's model; `words` are shown meanwhile."""
        self.start_flow(_look, request, self._section.visit.model, words=words)

    def start_flow(self, flow: Action, *arguments: object, words: str = "Looking inside") -> None:
        """Run `flow(workspace, *arguments, report)` in the work lane."""
        self.drop()
        section = self._section
        section.notice.clear()
        section.note.emit("")  # a note on an earlier query no longer applies
        self._words = words
        if not section.strip.isVisibleTo(section):
            section.strip.waiting(words)
        self._job = section.lanes.work.start(flow, section.workspace, *arguments)
        self._job.name = "the work on Look inside"
        if section.lanes.work.ahead(self._job):
            QueueStatus(section.lanes.work, self._job, section.strip, words)
        self._job.started.connect(self._started)
        self._job.progress.connect(section.strip.show_progress)
        self._job.partial.connect(self.partial)
        self._job.done.connect(self._done)
        self._job.failed.connect(self._failed)
        self._job.stopped.connect(self._stopped)

    def stop(self) -> bool:
        """Stop the request; returns whether one was running."""
        running = self.running
        if self._job is not None:
            self._job.stop()
        return running

    def drop(self) -> None:
        """Drop the request."""
        if self._job is not None:
            self._job.drop()

    @Slot()
    def _started(self) -> None:
        self._section.strip.waiting(self._words)

    @Slot(object)
    def _done(self, result: object) -> None:
        self._section.clear_progress()
        self.done.emit(result)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._section.clear_progress()
        self._section.show_fault(error)
        self.failed.emit(error)

    @Slot()
    def _stopped(self) -> None:
        self._section.clear_progress()
        self._section.show_stopped()
        self.stopped.emit()


class Section(QWidget):
    """A section: its name, the paper's term, a few sentences, a line for errors, progress, and `body` below.

    A subclass overrides `begin` (the queries for a new visit), fills `body`, and returns the numbers to save from
    `numbers`. A section begins when it is first shown with a visit, for which the page calls `show_visit`.

    `note` is one line for the status line; `lost` is sent when the model process died; `save_asked` carries a chart
    whose numbers or picture are to be saved in a file; `visit_asked` carries another visit to inspect.
    """

    KEY: ClassVar[str] = ""
    TITLE: ClassVar[str] = ""
    TERM: ClassVar[str] = ""
    ABOUT: ClassVar[str] = ""
    HEADS: ClassVar[tuple[Head, ...]] = tuple(Head)

    note = Signal(str)
    lost = Signal()
    save_asked = Signal(object)
    visit_asked = Signal(object)

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self.theme = theme
        self.lanes = lanes
        self.visit: Visit = _NOTHING
        self.models: tuple[ModelCard, ...] = ()
        self.notice = Notice(theme)
        self.notice.acted.connect(self._retry)
        self.strip = ProgressStrip(theme)
        self.strip.stop_asked.connect(self._stop_asked)
        self._queries: list[ModelQuery] = []
        self._again = True
        self._title, self._term, self.about = QLabel(self.TITLE), QLabel(self.TERM), QLabel(self.ABOUT)
        self._term.setProperty("ink", "quiet")
        for label in (self._term, self.about):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.about.setWordWrap(True)
        names = QHBoxLayout()
        names.addWidget(self._title)
        names.addWidget(self._term, 1, Qt.AlignmentFlag.AlignBottom)
        self._names = names
        self.body = QVBoxLayout()
        self._column = QVBoxLayout(self)
        self._column.addLayout(names)
        self._column.addLayout(within(self.about))
        for line in (self.notice, self.strip):
            self._column.addWidget(line)
        self._column.addLayout(self.body, 1)
        self.setAccessibleName(self.TITLE)
        self.setAccessibleDescription(self.ABOUT)
        theme.changed.connect(self._restyle_section)
        self._restyle_section()

    @classmethod
    def fits(cls, head: Head) -> bool:
        """Whether this section applies to a head."""
        return head in cls.HEADS

    def begin(self) -> None:
        """Clear the content of the previous visit, and start the queries for `self.visit`."""
        raise NotImplementedError

    def numbers(self) -> str:
        """The shown numbers, as CSV with a heading; empty if there are none."""
        return ""

    def query(self, shown: Callable[[Any], object]) -> ModelQuery:
        """A new query whose result goes to `shown`, a bound slot."""
        one = ModelQuery(self)
        one.done.connect(shown)
        self._queries.append(one)
        return one

    @property
    def card(self) -> ModelCard | None:
        """The card of the visit's model."""
        return self.models[0] if self.models else None

    def show_visit(self, visit: Visit, models: tuple[ModelCard, ...] = ()) -> None:
        """Inspect this visit, unless it is already shown or requested.

        `models` are all installed models with its head, the visit's own first.
        """
        if (visit, models) == (self.visit, self.models) and not self._again:
            return
        self.drop()
        self.visit, self.models = visit, models
        self._again = False
        self.notice.clear()
        self.begin()

    def stop(self) -> bool:
        """Stop the running queries; returns whether there were any."""
        running = [one for one in self._queries if one.running]
        for one in running:
            one.stop()
        return bool(running)

    def drop(self) -> None:
        """Drop the running queries; they are repeated when the section is shown again."""
        self._again = self._again or any(one.running for one in self._queries)
        for one in self._queries:
            one.drop()
        self.strip.clear()

    def clear_progress(self) -> None:
        """Hide the progress once nothing runs."""
        if not any(one.running for one in self._queries):
            self.strip.clear()

    @Slot(object)
    def show_fault(self, error: BaseException) -> None:
        """Show an error; the query is retried when the section is shown again."""
        fault = fault_of(error)
        self._again = True
        self.notice.show_fault(fault.sentence, fault.hint, fault.report, act="Try again")
        if isinstance(error, EngineLost):
            self.lost.emit()

    def show_stopped(self) -> None:
        """Show that it was stopped, and offer to continue."""
        self._again = True
        self.notice.show_hint("Stopped.", act="Look again")
        self.note.emit("Stopped")

    @Slot()
    def _retry(self) -> None:
        self.show_visit(self.visit, self.models)

    @Slot()
    def _stop_asked(self) -> None:
        self.stop()

    @Slot()
    def _restyle_section(self) -> None:
        step = self.theme.step
        self._title.setFont(self.theme.font("title"))
        self._term.setFont(self.theme.font("small"))
        self._names.setSpacing(step(3))
        self._term.setContentsMargins(0, 0, 0, step(0.75))
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(step(3))
        self.body.setSpacing(step(4))
        self.about.setMaximumWidth(step(190))


def _look(workspace: Workspace, request: Look, model: str, report: Report) -> object:
    return look(workspace, request, report, model=model)
