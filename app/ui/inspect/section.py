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
from app.ui.kit.boxes import FlowRow, Item, column, row
from app.ui.kit.chart import Figures
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of
from app.ui.kit.notice import Notice
from app.ui.kit.page import PagePart
from app.ui.kit.parts import ElidedChoice, ElidedLabel, plain_label
from app.ui.kit.progress_strip import ProgressStrip, QueueStatus
from app.ui.kit.spoken import name_choice
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

_NO_VISIT = Visit(Subject(Head.QUESTION_ANSWERING, ""))


def at_reading_width(theme: Theme, words: QLabel) -> QHBoxLayout:
    """A row with a label that is no wider than can be read well.

    Outside of a row of its own, Qt would take a wrapped label's height for another width.
    """
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
    """A row with a title, and beside it the field's term for it."""
    mark(term, type="small", ink="quiet")
    name = plain_label(title, type=type, wrap=False)
    return row(theme, name, (term, 1, Qt.AlignmentFlag.AlignBottom), gap=gap)


class SectionCard(QFrame):
    """A card of a section: a title with its term, an explanation, a line of tools, and the `content`."""

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
        words = at_reading_width(theme, plain_label(about))
        column(theme, names, words, line, self.content, gap=3, margins=(4, 4, 4, 4), parent=self)
        self.setProperty("kind", "card")
        self.setAccessibleName(localised(title))


class Section(PagePart):
    """A section of the page: a title with the field's term, an explanation, errors, progress, and `body` below.

    A subclass declares its texts and the heads that it applies to, makes its widgets in `build`, and starts its
    queries in `begin`, which is called when the section is first shown with a visit. The widgets in `results` are
    hidden from then until `show_results`; the numbers of `main` are those of the section.

    `save_requested` carries a chart whose numbers or picture are to be saved in a file.
    """

    TERM: ClassVar[str] = ""
    ABOUT: ClassVar[str] = ""
    HEADS: ClassVar[tuple[Head, ...]] = tuple(Head)

    save_requested = Signal(object)

    main: Figures

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self.visit: Visit = _NO_VISIT
        self.models: tuple[ModelCard, ...] = ()
        self.notice = Notice(theme)
        self.notice.acted.connect(self._retry)
        self.strip = ProgressStrip(theme)
        self.strip.stop_asked.connect(self.stop)
        self._jobs: dict[Callable[[Any], object], Job] = {}  # the latest for each receiver of results
        self.results: list[QWidget] = []
        self._stale = True
        self.about = plain_label(self.ABOUT, selectable=True)
        term = ElidedLabel(self.TERM)
        term.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme.in_steps(term.setContentsMargins, 0, 0, 0, 0.75)
        names = _heading(theme, self.TITLE, "title", term, 3)
        self.body = column(theme, gap=4)
        words = at_reading_width(theme, self.about)
        column(theme, names, words, self.notice, self.strip, (self.body, 1), gap=3, parent=self)
        self.setAccessibleDescription(localised(self.ABOUT))
        self.build()
        self.show_results(False)
        self.body.addStretch(1)

    # What a subclass overrides

    def build(self) -> None:
        """Make the section's widgets."""
        raise NotImplementedError

    def begin(self) -> None:
        """Start the queries for `self.visit`; the results of the previous visit are hidden."""
        raise NotImplementedError

    # What a subclass builds with

    def add(self, *widgets: QWidget) -> None:
        """Add widgets to the section, one below the other."""
        for widget in widgets:
            self.body.addWidget(widget)

    def add_results(self, *widgets: QWidget) -> None:
        """Add widgets that are hidden until there are results."""
        self.add(*widgets)
        self.results += widgets

    def show_results(self, shown: bool = True) -> None:
        """Show or hide the results."""
        for widget in self.results:
            widget.setVisible(shown)

    def chart_bar(self, figures: Figures) -> ChartBar:
        """Make the bar of buttons that copies and saves a chart, or another widget with numbers."""
        bar = ChartBar(self.theme, figures)
        bar.save_requested.connect(self.save_requested)
        bar.note.connect(self.note)
        return bar

    # Queries to the model

    def query(self, request: Look, status: str, on_result: Callable[[Any], object]) -> None:
        """Run a request on the visit's model; `status` is shown until `on_result`, a bound slot, gets the result."""
        self.run_flow(partial(look, model=self.visit.model), request, status=status, on_result=on_result)

    def run_flow(
        self,
        flow: Callable[..., object],
        *arguments: object,
        status: str,
        on_result: Callable[[Any], object],
        on_partial: Callable[[Any], object] | None = None,
    ) -> None:
        """Run `flow(workspace, *arguments, report)` in the work lane, replacing the previous job for `on_result`.

        `on_partial` gets partial results; the section itself shows errors, and that the job was stopped.
        """
        self.notice.hide()
        self.note.emit("")  # a note on an earlier query no longer applies
        job = self.lanes.work.start(flow, self.workspace, *arguments).replacing(self._jobs.get(on_result))
        self._jobs[on_result] = job
        job.name = Message("the work on Look inside")
        QueueStatus(self.lanes.work, job, self.strip, status)
        job.then(*[self._clear_progress] * 3)
        job.then(
            on_result,
            self._show_fault,
            self._show_stopped,
            progress=self.strip.show_progress,
            partial=on_partial,
        )

    def _running(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.running]

    # The section's interface to the page

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
        self.notice.hide()
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
        """Hide the progress once no query runs."""
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
        """Show that the query was stopped, and offer to repeat it."""
        self._stale = True
        self.notice.show_hint(tr("Stopped."), act=tr("Look again"))
        self.note.emit(tr("Stopped"))

    @Slot()
    def _retry(self) -> None:
        self.show_visit(self.visit, self.models)
