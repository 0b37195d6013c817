"""The base class of the sections of the Look inside page, and the cards that a section is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QWidget

from app.core.errors import EngineLost
from app.core.inspection import Look, Subject, Visit
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.flows.heads.inspect import look
from app.flows.workspace import Workspace
from app.ui.inspect.charts.export import ChartBar
from app.ui.kit.boxes import Item, column, row
from app.ui.kit.chart import Figures
from app.ui.kit.elided import ElidedChoice, ElidedLabel
from app.ui.kit.flow_row import FlowRow
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of
from app.ui.kit.notice import Notice
from app.ui.kit.page import PagePart
from app.ui.kit.parts import plain_label
from app.ui.kit.progress_strip import ProgressStrip, QueueStatus
from app.ui.kit.spoken import name_choice
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

_NOTHING = Visit(Subject(Head.QUESTION_ANSWERING, ""))


def limited(theme: Theme, words: QLabel) -> QHBoxLayout:
    """Words no wider than can be read well: outside of a row of their own Qt would take their height at any width."""
    theme.in_steps(words.setMaximumWidth, 190)
    return row(theme, (words, 1), 0)


def choice_box(name: str, chosen: Callable[..., object]) -> QComboBox:
    """A box as wide as its longest choice; `chosen` is called when the user picks one."""
    box = ElidedChoice()
    name_choice(box, name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    box.activated.connect(chosen)
    return box


def _heading(theme: Theme, title: str, type: str, term: ElidedLabel, gap: float) -> QHBoxLayout:
    """A title with the paper's term beside it."""
    mark(term, type="small", ink="quiet")
    name = plain_label(title, type=type, wrap=False)
    return row(theme, name, (term, 1, Qt.AlignmentFlag.AlignBottom), gap=gap)


class Part(QFrame):
    """A card below others in a section, with tools below its words; its content is hidden until there is something."""

    def __init__(
        self,
        theme: Theme,
        title: str,
        term: str,
        about: str,
        *content: Item,
        tools: Sequence[QWidget] = (),
    ) -> None:
        super().__init__()
        self._theme = theme
        line = FlowRow()
        for tool in tools:
            line.addWidget(tool)
            if isinstance(tool, QLabel):
                mark(tool, type="small")
                theme.in_steps(tool.setMinimumHeight, 7.5)  # as high as the buttons next to it
        theme.space(line, 3)
        self.content = QWidget()
        column(theme, *content, gap=3, parent=self.content)
        names = _heading(theme, title, "strong", ElidedLabel(term), 2.5)
        words = limited(theme, plain_label(about))
        column(theme, names, words, line, self.content, gap=3, margins=(4, 4, 4, 4), parent=self)
        self.setProperty("kind", "card")
        self.setAccessibleName(localised(title))


class Section(PagePart):
    """A section: its name, the paper's term, a few sentences, a line for errors, progress, and `body` below.

    A subclass declares its texts and the heads that it applies to, makes its widgets in `build`, and starts its
    queries in `begin`. Those in `results` stay hidden from a new visit until `show_results`; `main` is the one whose
    numbers are the section's. A section begins when it is first shown with a visit, for which the page calls
    `show_visit`.

    `save_requested` carries a chart whose numbers or picture are to be saved in a file.
    """

    TERM: ClassVar[str] = ""
    ABOUT: ClassVar[str] = ""
    HEADS: ClassVar[tuple[Head, ...]] = tuple(Head)

    save_requested = Signal(object)

    main: Figures

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self.visit: Visit = _NOTHING
        self.models: tuple[ModelCard, ...] = ()
        self.notice = Notice(theme)
        self.notice.acted.connect(self._retry)
        self.strip = ProgressStrip(theme)
        self.strip.stop_asked.connect(self.stop)
        self._jobs: dict[Callable[[Any], object], Job] = {}  # the latest by what takes its result
        self.results: list[QWidget] = []
        self._stale = True
        self.about = plain_label(self.ABOUT, selectable=True)
        term = ElidedLabel(self.TERM)
        term.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme.in_steps(term.setContentsMargins, 0, 0, 0, 0.75)
        names = _heading(theme, self.TITLE, "title", term, 3)
        self.body = column(theme, gap=4)
        words = limited(theme, self.about)
        column(theme, names, words, self.notice, self.strip, (self.body, 1), gap=3, parent=self)
        self.setAccessibleDescription(localised(self.ABOUT))
        self.build()
        self.show_results(False)
        self.body.addStretch(1)

    # What a section declares

    def build(self) -> None:
        """Make the section's widgets."""
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

    # Its queries to the model

    def ask(self, request: Look, words: str, shown: Callable[[Any], object]) -> None:
        """Run a request on the visit's model; `words` are shown until `shown`, a bound slot, takes the result."""
        self.run(partial(look, model=self.visit.model), request, words=words, shown=shown)

    def run(
        self,
        flow: Callable[..., object],
        *arguments: object,
        words: str,
        shown: Callable[[Any], object],
        shown_in_part: Callable[[Any], object] | None = None,
    ) -> None:
        """Run `flow(workspace, *arguments, report)` in the work lane, in place of what ran for `shown` before.

        A result that comes before the last one goes to `shown_in_part`; the section shows errors and the stop.
        """
        self.notice.clear()
        self.note.emit("")  # a note on an earlier query no longer applies
        job = self.lanes.work.start(flow, self.workspace, *arguments).replacing(self._jobs.get(shown))
        self._jobs[shown] = job
        job.name = Message("the work on Look inside")
        QueueStatus(self.lanes.work, job, self.strip, words)
        if shown_in_part is not None:
            job.partial.connect(shown_in_part)
        job.then(*[self._clear_progress] * 3)
        job.then(shown, self._show_fault, self._show_stopped, progress=self.strip.show_progress)

    def _running(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.running]

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
        running = self._running()
        for job in running:
            job.stop()
        return bool(running)

    def drop(self) -> None:
        """Drop the running queries; they are repeated when the section is shown again."""
        for job in self._running():
            self._stale = True
            job.drop()
        self.strip.clear()

    @Slot()
    def _clear_progress(self) -> None:
        """Hide the progress once nothing runs."""
        if not self._running():
            self.strip.clear()

    @Slot(object)
    def _show_fault(self, error: BaseException) -> None:
        """Show an error; the query is retried when the section is shown again."""
        fault = fault_of(error)
        self._stale = True
        self.notice.show_fault(fault.sentence, fault.hint, fault.report, act=tr("Try again"))
        if isinstance(error, EngineLost):
            self.lost.emit()

    @Slot()
    def _show_stopped(self) -> None:
        """Show that it was stopped, and offer to continue."""
        self._stale = True
        self.notice.show_hint(tr("Stopped."), act=tr("Look again"))
        self.note.emit(tr("Stopped"))

    @Slot()
    def _retry(self) -> None:
        self.show_visit(self.visit, self.models)
