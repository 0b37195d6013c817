"""What every section of the page has where a model is looked into."""

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


class Looking(QObject):
    """One thing that a section wants to know: a newer asking takes the older one's place, whose result is dropped.

    `done` carries what came back, `partial` what there is of it before, `failed` the error; `stopped` tells that the
    person stopped it.
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
        """Whether an end is still waited for."""
        return self._job is not None and self._job.running

    def start(self, request: Look, words: str = "Looking inside") -> None:
        """Have the visit's model look at this; `words` say meanwhile what goes on."""
        self.start_flow(_look, request, self._section.visit.model, words=words)

    def start_flow(self, flow: Action, *arguments: object, words: str = "Looking inside") -> None:
        """Run `flow(workspace, *arguments, report)` in the work lane."""
        self.drop()
        section = self._section
        section.notice.clear()
        section.note.emit("")  # what was stopped or copied before is of another look
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
        """Stop what runs; returns whether there was something to stop."""
        running = self.running
        if self._job is not None:
            self._job.stop()
        return running

    def drop(self) -> None:
        """Forget what was asked."""
        if self._job is not None:
            self._job.drop()

    @Slot()
    def _started(self) -> None:
        self._section.strip.waiting(self._words)

    @Slot(object)
    def _done(self, result: object) -> None:
        self._section.rest()
        self.done.emit(result)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._section.rest()
        self._section.show_fault(error)
        self.failed.emit(error)

    @Slot()
    def _stopped(self) -> None:
        self._section.rest()
        self._section.say_stopped()
        self.stopped.emit()


class Section(QWidget):
    """A section: its name, the paper's term, a few sentences, a line for faults, progress, and `body` below.

    One section overrides `begin` (what is asked of a new visit), fills `body`, and says in `numbers` what can be
    saved. A section begins when it is first up with a visit; the page sees to that through `show_visit`.

    `note` is one line for the status line; `lost` says that the model process died; `save_asked` carries a chart
    whose numbers or picture are to be saved in a file; `visit_asked` carries another visit to look into.
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
        self._looks: list[Looking] = []
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
        """Whether this section has something to show of a head."""
        return head in cls.HEADS

    def begin(self) -> None:
        """Clear what was shown of another visit, and ask what is to be known of `self.visit`."""
        raise NotImplementedError

    def numbers(self) -> str:
        """What is shown, as CSV with a heading; empty while there is nothing."""
        return ""

    def looking(self, shown: Callable[[Any], object]) -> Looking:
        """Something to be known, whose result goes to `shown`, a bound slot."""
        one = Looking(self)
        one.done.connect(shown)
        self._looks.append(one)
        return one

    @property
    def card(self) -> ModelCard | None:
        """The card of the visit's model."""
        return self.models[0] if self.models else None

    def show_visit(self, visit: Visit, models: tuple[ModelCard, ...] = ()) -> None:
        """Look into this visit, unless that is what is shown or asked already.

        `models` are all that are installed with its head, the visit's own first.
        """
        if (visit, models) == (self.visit, self.models) and not self._again:
            return
        self.drop()
        self.visit, self.models = visit, models
        self._again = False
        self.notice.clear()
        self.begin()

    def stop(self) -> bool:
        """Stop what is being asked; returns whether there was something to stop."""
        running = [one for one in self._looks if one.running]
        for one in running:
            one.stop()
        return bool(running)

    def drop(self) -> None:
        """Forget what is being asked; nothing more is heard of it, and it is asked again when the section is up."""
        self._again = self._again or any(one.running for one in self._looks)
        for one in self._looks:
            one.drop()
        self.strip.clear()

    def rest(self) -> None:
        """Take the progress away once nothing runs."""
        if not any(one.running for one in self._looks):
            self.strip.clear()

    @Slot(object)
    def show_fault(self, error: BaseException) -> None:
        """Say what went wrong where the person is looking; it is tried again when the section comes up anew."""
        fault = fault_of(error)
        self._again = True
        self.notice.show_fault(fault.sentence, fault.hint, fault.report, act="Try again")
        if isinstance(error, EngineLost):
            self.lost.emit()

    def say_stopped(self) -> None:
        """Say that it was stopped, and offer to go on."""
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
