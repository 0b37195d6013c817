"""The base class of the sections of the Look inside page, and the cards that a section is made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.core.errors import EngineLost
from app.core.inspection import Look, Subject, Visit
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.flows.heads.inspect import look
from app.flows.workspace import Workspace
from app.ui.inspect.charts.export import ChartBar
from app.ui.kit.chart import Figures
from app.ui.kit.elided import ElidedChoice, ElidedLabel
from app.ui.kit.flow_row import FlowRow
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of
from app.ui.kit.notice import Notice
from app.ui.kit.parts import plain_label
from app.ui.kit.progress_strip import ProgressStrip, QueueStatus
from app.ui.kit.spoken import name_choice
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

_NOTHING = Visit(Subject(Head.QUESTION_ANSWERING, ""))


def within(widget: QWidget) -> QHBoxLayout:
    """A row that limits wrapped text to its maximum width: without it Qt would take its height at any width."""
    row = QHBoxLayout()
    row.addWidget(widget, 1)
    row.addStretch(0)
    return row


def leftmost(*widgets: QWidget) -> QHBoxLayout:
    """A row of widgets of their own widths, from the left."""
    row = QHBoxLayout()
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return row


def choice_box(name: str, chosen: Callable[..., object]) -> QComboBox:
    """A box as wide as its longest choice; `chosen` is called when the user picks one."""
    box = ElidedChoice()
    name_choice(box, name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    box.activated.connect(chosen)
    return box


class Part(QFrame):
    """A card below others in a section; its content is hidden until there is something to show."""

    def __init__(self, theme: Theme, title: str, term: str, about: str) -> None:
        super().__init__()
        self._theme = theme
        words = plain_label(about)
        names = QHBoxLayout()
        names.addWidget(plain_label(title, type="strong", wrap=False))
        names.addWidget(_term(term), 1, Qt.AlignmentFlag.AlignBottom)
        self._tools = FlowRow()
        self._content = QWidget()
        self.content = QVBoxLayout(self._content)
        column = QVBoxLayout(self)
        column.addLayout(names)
        column.addLayout(within(words))
        column.addLayout(self._tools)
        column.addWidget(self._content)
        self.setProperty("kind", "card")
        self.setAccessibleName(localised(title))
        theme.in_steps(words.setMaximumWidth, 190)
        theme.space(names, 2.5)
        theme.space(self._tools, 3)
        theme.space(self.content, 3)
        theme.space(column, 3, (4, 4, 4, 4))

    def tools(self, *widgets: QWidget) -> None:
        """Put these in a row below the words."""
        for widget in widgets:
            self._tools.addWidget(widget)
            if isinstance(widget, QLabel):
                mark(widget, type="small")
                self._theme.in_steps(widget.setMinimumHeight, 7.5)  # as high as the buttons next to it

    def add(self, *widgets: QWidget) -> None:
        """Add these to the result, one below the other."""
        for widget in widgets:
            self.content.addWidget(widget)

    def hide_content(self) -> None:
        """Hide the result."""
        self._content.hide()

    def show_content(self) -> None:
        """Show the result."""
        self._content.show()


def _term(words: str) -> ElidedLabel:
    """The paper's term beside a heading."""
    label = ElidedLabel(words)
    mark(label, type="small", ink="quiet")
    return label


class ModelQuery(QObject):
    """A section's query to the model: a newer request replaces the older one, whose result is dropped.

    `done` carries the result, `partial` an incomplete one before it; the section shows errors and the stop.
    """

    done = Signal(object)
    partial = Signal(object)

    def __init__(self, section: Section) -> None:
        super().__init__(section)
        self._section = section
        self._job: Job | None = None

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._job is not None and self._job.running

    def start(self, request: Look, words: str) -> None:
        """Run a request on the visit's model; `words` are shown meanwhile."""
        self.start_flow(partial(look, model=self._section.visit.model), request, words=words)

    def start_flow(self, flow: Callable[..., object], *arguments: object, words: str) -> None:
        """Run `flow(workspace, *arguments, report)` in the work lane."""
        self.drop()
        section = self._section
        section.notice.clear()
        section.note.emit("")  # a note on an earlier query no longer applies
        self._job = job = section.lanes.work.start(flow, section.workspace, *arguments)
        job.name = Message("the work on Look inside")
        QueueStatus(section.lanes.work, job, section.strip, words)
        job.progress.connect(section.strip.show_progress)
        job.partial.connect(self.partial)
        for end in (job.done, job.failed, job.stopped):
            end.connect(section.clear_progress)
        job.done.connect(self.done)
        job.failed.connect(section.show_fault)
        job.stopped.connect(section.show_stopped)

    def stop(self) -> None:
        """Stop the request."""
        if self._job is not None:
            self._job.stop()

    def drop(self) -> None:
        """Drop the request."""
        if self._job is not None:
            self._job.drop()


class Section(QWidget):
    """A section: its name, the paper's term, a few sentences, a line for errors, progress, and `body` below.

    A subclass declares its texts and the heads that it applies to, makes its widgets in `build`, and starts its
    queries in `begin`. Those in `results` stay hidden from a new visit until `show_results`; `main` is the one whose
    numbers are the section's. A section begins when it is first shown with a visit, for which the page calls
    `show_visit`.

    `note` is one line for the status line; `lost` is sent when the model process died; `save_requested` carries a
    chart whose numbers or picture are to be saved in a file; `visit_requested` carries another visit to inspect.
    """

    KEY: ClassVar[str] = ""
    TITLE: ClassVar[str] = ""
    TERM: ClassVar[str] = ""
    ABOUT: ClassVar[str] = ""
    HEADS: ClassVar[tuple[Head, ...]] = tuple(Head)

    note = Signal(str)
    lost = Signal()
    save_requested = Signal(object)
    visit_requested = Signal(object)

    main: Figures

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__()
        self.workspace = workspace
        self.theme = theme
        self.lanes = lanes
        self.visit: Visit = _NOTHING
        self.models: tuple[ModelCard, ...] = ()
        self.notice = Notice(theme)
        self.notice.acted.connect(self._retry)
        self.strip = ProgressStrip(theme)
        self.strip.stop_asked.connect(self.stop)
        self._queries: list[ModelQuery] = []
        self.results: list[QWidget] = []
        self._stale = True
        self.about = plain_label(self.ABOUT, selectable=True)
        term = _term(self.TERM)
        term.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        names = QHBoxLayout()
        names.addWidget(plain_label(self.TITLE, type="title", wrap=False))
        names.addWidget(term, 1, Qt.AlignmentFlag.AlignBottom)
        self.body = QVBoxLayout()
        column = QVBoxLayout(self)
        column.addLayout(names)
        column.addLayout(within(self.about))
        for line in (self.notice, self.strip):
            column.addWidget(line)
        column.addLayout(self.body, 1)
        self.setAccessibleName(localised(self.TITLE))
        self.setAccessibleDescription(localised(self.ABOUT))
        self.build()
        self.show_results(False)
        self.body.addStretch(1)
        theme.in_steps(term.setContentsMargins, 0, 0, 0, 0.75)
        theme.in_steps(self.about.setMaximumWidth, 190)
        theme.space(names, 3)
        theme.space(column, 3)
        theme.space(self.body, 4)

    # What a section declares

    def build(self) -> None:
        """Make the section's widgets and its queries."""
        raise NotImplementedError

    def begin(self) -> None:
        """Start the queries for `self.visit`; the results of the previous visit are hidden."""
        raise NotImplementedError

    # What it is built with

    def add(self, *widgets: QWidget) -> None:
        """Add these to the section, one below the other."""
        for widget in widgets:
            self.body.addWidget(widget)

    def add_results(self, *widgets: QWidget) -> None:
        """Add these, hidden until there are results."""
        self.add(*widgets)
        self.results += widgets

    def show_results(self, shown: bool = True) -> None:
        """Show or hide the results."""
        for widget in self.results:
            widget.setVisible(shown)

    def bar(self, figures: Figures) -> ChartBar:
        """The bar of buttons that copies and saves a chart, or another widget with numbers."""
        bar = ChartBar(self.theme, figures)
        bar.save_requested.connect(self.save_requested)
        bar.note.connect(self.note)
        return bar

    def query(self, shown: Callable[[Any], object]) -> ModelQuery:
        """A new query whose result goes to `shown`, a bound slot."""
        query = ModelQuery(self)
        query.done.connect(shown)
        self._queries.append(query)
        return query

    # What the page calls

    def numbers(self) -> str:
        """The shown numbers, as CSV with a heading; empty if there are none."""
        return self.main.csv() if self.main.isVisibleTo(self) else ""

    @property
    def card(self) -> ModelCard:
        """The card of the visit's model."""
        return self.models[0]

    def show_visit(self, visit: Visit, models: tuple[ModelCard, ...]) -> None:
        """Inspect this visit, unless it is already shown or requested.

        `models` are all installed models with its head, the visit's own first.
        """
        if (visit, models) == (self.visit, self.models) and not self._stale:
            return
        self.drop()
        self.visit, self.models = visit, models
        self._stale = False
        self.notice.clear()
        self.show_results(False)
        self.begin()

    def stop(self) -> bool:
        """Stop the running queries; returns whether there were any."""
        running = [query for query in self._queries if query.running]
        for query in running:
            query.stop()
        return bool(running)

    def drop(self) -> None:
        """Drop the running queries; they are repeated when the section is shown again."""
        self._stale = self._stale or any(query.running for query in self._queries)
        for query in self._queries:
            query.drop()
        self.strip.clear()

    # What its queries call

    @Slot()
    def clear_progress(self) -> None:
        """Hide the progress once nothing runs."""
        if not any(query.running for query in self._queries):
            self.strip.clear()

    @Slot(object)
    def show_fault(self, error: BaseException) -> None:
        """Show an error; the query is retried when the section is shown again."""
        fault = fault_of(error)
        self._stale = True
        self.notice.show_fault(fault.sentence, fault.hint, fault.report, act=tr("Try again"))
        if isinstance(error, EngineLost):
            self.lost.emit()

    @Slot()
    def show_stopped(self) -> None:
        """Show that it was stopped, and offer to continue."""
        self._stale = True
        self.notice.show_hint(tr("Stopped."), act=tr("Look again"))
        self.note.emit(tr("Stopped"))

    @Slot()
    def _retry(self) -> None:
        self.show_visit(self.visit, self.models)
