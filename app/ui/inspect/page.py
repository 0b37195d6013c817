"""The Look inside page: a model's internals on the user's own text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QSizePolicy, QStackedWidget, QTabBar, QWidget

from app.core.atomic import write_atomic
from app.core.inspection import Visit
from app.core.message import Message
from app.core.models import HEAD_WORDS, Head, ModelCard
from app.core.report import Report
from app.flows.heads.inspect import Offer, offers
from app.flows.workspace import Workspace
from app.settings.drafts import Drafts
from app.ui.inspect.charts.export import NUMBERS, PICTURES, file_bytes, file_name
from app.ui.inspect.compare import CompareSection
from app.ui.inspect.loss import LossSection
from app.ui.inspect.picture import PictureSection
from app.ui.inspect.pooling import PoolingSection
from app.ui.inspect.section import Section, choice_box
from app.ui.inspect.spans import SpansSection
from app.ui.inspect.visit import (
    DRAFT,
    find_models,
    initial_content,
    title_of,
    visit_from_json,
    visit_to_json,
)
from app.ui.inspect.why import WhySection
from app.ui.kit.boxes import column, row
from app.ui.kit.chart import Figures
from app.ui.kit.draft import Draft
from app.ui.kit.empty_state import SampleList
from app.ui.kit.file_dialog import save_name
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.notice import Notice
from app.ui.kit.page import Page
from app.ui.kit.parts import ElidedLabel, Scrolling, as_tip, plain_label, push_button
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

SECTIONS: tuple[type[Section], ...] = (
    PictureSection, SpansSection, PoolingSection, LossSection, WhySection, CompareSection,
)  # fmt: skip
_ABOUT = Message(
    "See how the model came to its result: the words cut into tokens, the numbers that flow through its layers, and"
    " what each of its heads makes of them. Every number is computed on this computer while you look, from the model"
    " that is installed."
)
_HINT = Message("Or press Look inside beside any answer, class or word that Spanlight gave you.")
_NOTHING = Message("There is no model here yet. As soon as one is installed, examples stand here.")


class InspectEmpty(QScrollArea):
    """The page without a visit: a heading, an explanation, and samples to inspect with one click."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.notice = Notice(theme)
        heading = plain_label(tr("Look inside the model"), type="winner")
        about = plain_label(_ABOUT, type="quote")
        self._hint = plain_label(_HINT, type="small", ink="quiet")
        self.samples = SampleList(theme, tr("Try one of these"))
        self._middle = QWidget()
        self._middle.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        parts = (heading, about, self.notice, self.samples, self._hint)
        column(theme, *parts, gap=4, margins=(2.25, 2.25, 2.25, 2.25), parent=self._middle)
        inner = QWidget()
        around = QGridLayout(inner)  # without an alignment, which would not take the wrapped text's height
        around.addWidget(self._middle, 1, 1)
        around.setColumnStretch(0, 1)
        around.setColumnStretch(1, 1000)
        around.setColumnStretch(2, 1)
        around.setRowStretch(0, 1)
        around.setRowStretch(2, 2)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        theme.in_steps(self._middle.setMaximumWidth, 160)

    def set_titles(self, titles: tuple[str, ...]) -> None:
        """Offer these samples."""
        self.samples.set_titles(titles)
        self._hint.setText(_HINT if titles else _NOTHING)


class SubjectBar(QFrame):
    """The inspected subject, a choice among the `models` with its head, and the button `others` for other examples.

    `chosen` is called with the index of the model that the user picks.
    """

    def __init__(self, theme: Theme, chosen: Callable[[int], None]) -> None:
        super().__init__()
        self._title, self._head = ElidedLabel(), ElidedLabel()
        self.models = choice_box(tr("Model that is looked into"), chosen)
        self.others = push_button(theme, tr("Other examples"))
        self.others.setIcon(theme.icon("paste"))
        words = column(theme, self._title, self._head, gap=0.5)
        label = plain_label(tr("Model"), type="small", ink="quiet", wrap=False)
        label.setBuddy(self.models)
        level = Qt.AlignmentFlag.AlignVCenter
        choice = [(widget, 0, level) for widget in (label, self.models, self.others)]
        row(theme, (words, 1), *choice, gap=3, margins=(6, 3, 6, 2.5), parent=self)
        self.setProperty("kind", "frame")
        mark(self._title, type="answer")
        mark(self._head, type="small", ink="quiet")
        theme.in_steps(self.models.setMinimumWidth, 40)

    def show_subject(self, title: str, plain: str, term: str) -> None:
        """Show the subject and what its head does, before the models are known."""
        self._title.set_full_text(title)
        self._head.set_full_text(f"{localised(plain)} · {localised(term)}")
        self.models.setEnabled(False)
        self.setAccessibleName(sentences(title, self._head.full_text()))

    def show_models(self, models: tuple[ModelCard, ...]) -> None:
        """Offer these models, of which the first is inspected."""
        self.models.clear()
        for card in models:
            self.models.addItem(localised(card.title), card.folder)
        self.models.setEnabled(len(models) > 1)
        about = (models[0].title, models[0].description) if models else ()
        self.models.setToolTip(as_tip("\n".join(map(localised, about))))


class InspectView(Page):
    """The subject, a tab for each section that applies to its head, and the current section; or samples to try."""

    KEY = "inspect"
    TITLE = Message("Look inside")
    ICON = "inspect"
    SHORTCUTS = (
        ("Ctrl+Tab", Message("Next section")),
        ("Ctrl+Shift+Tab", Message("Section before")),
        ("Alt+Right, Alt+Left", Message("Next section, section before")),
        ("Esc", Message("Stop")),
        ("Ctrl+S", Message("Save the section's numbers")),
        ("Ctrl+C", Message("Copy a chart's numbers")),
    )

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self._visit: Visit | None = None
        self._models: tuple[ModelCard, ...] = ()
        self._offers: tuple[Offer, ...] = ()
        self._models_job: Job | None = None
        self._offers_job: Job | None = None
        self._bar = SubjectBar(theme, self._model_chosen)
        # The sections that were shown, by their index in SECTIONS, and the scroll area of each.
        self._sections: dict[int, Section] = {}
        self._scroll_areas: dict[int, QScrollArea] = {}
        self.names = self._make_tabs()
        self._stack, self._blank = QStackedWidget(), QWidget()
        self._stack.addWidget(self._blank)
        self._notice = Notice(theme)
        self._empty = InspectEmpty(theme)
        self._draft = Draft(
            Drafts(workspace.paths.drafts), DRAFT, lambda: visit_to_json(self._visit), lanes, self
        )
        self._lay_out()
        self._arrange()
        job = lanes.files.start(initial_content, workspace, self._draft.drafts)
        self._first_job = job.then(self._start_with, self._show_fault)

    # The page's interface to the window

    def receive(self, argument: object) -> None:
        """Inspect the result that another page sent here."""
        assert isinstance(argument, Visit)
        self.look_at(argument)

    @Slot(str, object)
    def _go_to(self, key: str, visit: Visit) -> None:
        self.look_at(visit)

    def look_at(self, visit: Visit) -> None:
        """Inspect a visit: find its models, then show it in the current section."""
        self._drop()
        self._hide_notice()
        self._empty.notice.hide()
        self._visit, self._models = visit, ()
        plain, term = HEAD_WORDS[visit.subject.head]
        self._bar.show_subject(title_of(visit), plain, term)
        self._show_tabs_for(visit.subject.head)
        self._arrange()
        self._draft.save_soon()
        self._find_models()

    def stop(self) -> bool:
        """Stop the queries of the current section."""
        section = self._sections.get(self.names.currentIndex())
        return section is not None and section.stop()

    def keep(self) -> None:
        """Save the visit for the next start."""
        if not self._first_job.running:
            self._draft.save_now()

    def shown(self) -> None:
        """Focus the names of the sections, or offer samples for the installed models."""
        if self._visit is None:
            self._refresh_offers()
        else:
            self.names.setFocus(Qt.FocusReason.OtherFocusReason)
            self._show_section()

    def settings_changed(self) -> None:
        """Refresh the samples and the models."""
        self._refresh_offers()
        if self._visit is not None:
            self._find_models()

    # The sections

    def section(self) -> Section | None:
        """The section that shows the visit; None without a visit, and before the section is made."""
        return self._sections.get(self.names.currentIndex()) if self._visit is not None else None

    def section_indices(self) -> list[int]:
        """The indices in SECTIONS of the sections that apply to the visit's head."""
        return [at for at in range(self.names.count()) if self.names.isTabVisible(at)]

    def _show_tabs_for(self, head: Head) -> None:
        """Show the tabs of the sections that apply to a head; the first is selected if the current one does not."""
        if head not in SECTIONS[self.names.currentIndex()].HEADS:
            self.names.setCurrentIndex(0)
        for at, kind in enumerate(SECTIONS):
            self.names.setTabVisible(at, head in kind.HEADS)

    @Slot()
    def _show_section(self) -> None:
        """Show the visit in the selected section, once its models are known; the others' queries are dropped."""
        if self._visit is None or not self._models:
            return
        visit = Visit(self._visit.subject, self._models[0].folder, self._visit.title)
        at = self.names.currentIndex()
        if at not in self._sections:
            self._make_section(at)
        for other, section in self._sections.items():
            if other != at:
                section.drop()
        self._stack.setCurrentWidget(self._scroll_areas[at])
        self._sections[at].show_visit(visit, self._models)

    def _make_section(self, at: int) -> None:
        section = self._sections[at] = SECTIONS[at](self.workspace, self.theme, self.lanes)
        section.note.connect(self.note)
        section.lost.connect(self.lost)
        section.save_requested.connect(self._save_chart)
        section.go.connect(self._go_to)
        ground = QFrame()
        ground.setProperty("kind", "panel")
        column(self.theme, section, margins=(6, 5, 6, 6), parent=ground)
        self._scroll_areas[at] = Scrolling(ground)
        self._stack.addWidget(self._scroll_areas[at])
        # With a stylesheet in force Qt drops the fonts of a widget that gets a parent.
        self.theme.refresh()

    def _drop(self) -> None:
        for section in self._sections.values():
            section.drop()

    def _step(self, by: int) -> None:
        """Go `by` sections on, wrapping around at the ends."""
        indices = self.section_indices()
        at = indices.index(self.names.currentIndex()) + by
        self.names.setCurrentIndex(indices[at % len(indices)])

    # The subject

    @Slot(object)
    def _start_with(self, first: tuple[str, tuple[Offer, ...]]) -> None:
        text, found = first
        self._show_offers(found)
        visit = visit_from_json(text)
        if visit is not None and self._visit is None:
            self.look_at(visit)

    def _refresh_offers(self) -> None:
        job = self.lanes.files.start(offers, self.workspace).replacing(self._offers_job)
        self._offers_job = job.then(self._show_offers, self._show_fault)

    @Slot(object)
    def _show_offers(self, found: tuple[Offer, ...]) -> None:
        self._offers = found
        self._empty.set_titles(tuple(offer.title for offer in found))

    @Slot(int)
    def _try_sample(self, index: int) -> None:
        self.look_at(self._offers[index].visit)
        self.names.setFocus(Qt.FocusReason.OtherFocusReason)

    def _find_models(self) -> None:
        job = self.lanes.files.start(find_models, self.workspace, self._visit).replacing(self._models_job)
        self._models_job = job.then(self._models_found, self._no_model)

    @Slot(object)
    def _models_found(self, models: tuple[ModelCard, ...]) -> None:
        self._models = models
        self._hide_notice()
        self._bar.show_models(models)
        self._show_section()

    @Slot(object)
    def _no_model(self, error: BaseException) -> None:
        self._models = ()
        self._bar.show_models(())
        self._stack.setCurrentWidget(self._blank)
        self._show_fault(error)

    @Slot(int)
    def _model_chosen(self, index: int) -> None:
        if self._visit is not None:
            self.look_at(Visit(self._visit.subject, self._models[index].folder, self._visit.title))

    @Slot()
    def _show_samples(self) -> None:
        self._drop()
        self._visit, self._models = None, ()
        self._hide_notice()
        self.note.emit("")
        self._arrange()
        self._refresh_offers()
        self._draft.save_soon()

    # Saving

    @Slot()
    def _save_numbers(self) -> None:
        section = self.section()
        if section is None or not (numbers := section.numbers()):
            return
        if path := self._choose_path(localised(section.TITLE), NUMBERS):
            self._write(path, numbers.encode("utf-8"))

    @Slot(object)
    def _save_chart(self, chart: Figures) -> None:
        if path := self._choose_path(chart.title, *PICTURES.values(), NUMBERS):
            self.save_chart_as(path, chart)

    def save_chart_as(self, path: Path, chart: Figures) -> None:
        """Write a chart's picture (PNG, SVG) or, for any other suffix, its numbers as CSV."""
        self._write(path, file_bytes(chart, path.suffix.lower()))

    def _choose_path(self, title: str, *filters: str) -> Path | None:
        """Ask for a file's path; None if cancelled."""
        kinds = ";;".join(map(localised, filters))
        name = save_name(self, tr("Save {title}", title=title), file_name(title, filters), kinds)
        return Path(name) if name else None

    def _write(self, path: Path, data: bytes) -> None:
        self.lanes.files.start(_write_file, path, data).then(self._saved, self._show_fault)

    @Slot(object)
    def _saved(self, name: str) -> None:
        self.note.emit(tr("{file} saved", file=name))

    @Slot(object)
    def _show_fault(self, error: BaseException) -> None:
        notice = self._notice if self._visit is not None else self._empty.notice
        notice.show_error(error)
        self._notice_frame.setVisible(notice is self._notice)

    @Slot()
    def _hide_notice(self) -> None:
        self._notice.hide()
        self._notice_frame.hide()

    # Looks

    def _arrange(self) -> None:
        looking = self._visit is not None
        self._bar.setVisible(looking)
        self._names_frame.setVisible(looking)
        self._stack.setVisible(looking)
        self._empty.setVisible(not looking)
        if not self._models:
            self._stack.setCurrentWidget(self._blank)

    def _make_tabs(self) -> QTabBar:
        names = QTabBar()
        names.setDrawBase(False)
        names.setProperty("ground", "panel")
        names.setExpanding(False)
        names.setAccessibleName(tr("Sections"))
        for at, kind in enumerate(SECTIONS):
            names.addTab(localised(kind.TITLE))
            names.setTabToolTip(at, as_tip(kind.TERM))
        return names

    def _lay_out(self) -> None:
        theme = self.theme
        self._names_frame, self._notice_frame = QFrame(), QFrame()
        self._names_frame.setProperty("kind", "frame")
        column(theme, self.names, margins=(5, 0, 5, 0), parent=self._names_frame)
        column(theme, self._notice, margins=(6, 3, 6, 3), parent=self._notice_frame)
        self._notice_frame.hide()
        parts = (self._bar, self._names_frame, self._notice_frame)
        column(theme, *parts, (self._stack, 1), (self._empty, 1), parent=self)
        self.setProperty("kind", "desk")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._notice.closed.connect(self._hide_notice)
        self._bar.others.clicked.connect(self._show_samples)
        self.names.currentChanged.connect(self._show_section)
        self._empty.samples.chosen.connect(self._try_sample)
        self._draft.failed.connect(self._show_fault)
        self.add_shortcuts(
            ("Ctrl+Tab", partial(self._step, 1)), ("Ctrl+Shift+Tab", partial(self._step, -1)),
            ("Alt+Right", partial(self._step, 1)), ("Alt+Left", partial(self._step, -1)),
            ("Ctrl+S", self._save_numbers),
        )  # fmt: skip


def _write_file(path: Path, data: bytes, report: Report) -> str:
    """Write a file; returns its name."""
    write_atomic(path, data, private=False)
    return path.name
