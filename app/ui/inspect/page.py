"""The page where a model is opened up, on the person's own text."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.core.inspection import Visit
from app.core.models import HEAD_WORDS
from app.flows.heads.inspect import Offer, offers
from app.flows.workspace import Workspace
from app.settings.drafts import Drafts
from app.ui.inspect.inspect_empty import InspectEmpty
from app.ui.inspect.looked_bar import LookedBar
from app.ui.inspect.saving import Saving
from app.ui.inspect.section import Section
from app.ui.inspect.sections import Sections
from app.ui.inspect.words import title_of
from app.ui.inspect.work import DRAFT, Found, find_models, first_things, from_kept, kept
from app.ui.kit.draft import Draft
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of
from app.ui.kit.notice import Notice
from app.ui.kit.page import Page
from app.ui.kit.theme import Theme


class InspectView(Page):
    """What is looked at above, the sections by name below it, one of them shown; or samples to try."""

    KEY = "inspect"
    TITLE = "Look inside"
    ICON = "inspect"
    SHORTCUTS = (
        ("Ctrl+Tab", "Next section"),
        ("Ctrl+Shift+Tab", "Section before"),
        ("Alt+Right, Alt+Left", "Next section, section before"),
        ("Esc", "Stop"),
        ("Ctrl+S", "Save the section's numbers"),
        ("Ctrl+C", "Copy a chart's numbers"),
    )

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self._visit: Visit | None = None
        self._found: Found | None = None
        self._offers: tuple[Offer, ...] = ()
        self._find_job: Job | None = None
        self._offer_job: Job | None = None
        self._bar = LookedBar(theme)
        self._sections = Sections(self._make, theme, self)
        self._notice = Notice(theme)
        self._empty = InspectEmpty(theme)
        self._saving = Saving(lanes, self)
        self._draft = Draft(Drafts(workspace.paths.drafts), DRAFT, self._kept, lanes, self)
        self._lay_out()
        self._connect()
        self._restyle()
        self._arrange()
        self._first_job = lanes.files.start(first_things, workspace, self._draft.drafts)
        self._first_job.done.connect(self._begin)
        self._first_job.failed.connect(self._say_fault)

    # What the window asks of a page

    @Slot(object)
    def look_at(self, visit: Visit) -> None:
        """Look into a result: its models are found, then the section that is up begins."""
        self._sections.drop()
        self._be_still()
        self._empty.notice.clear()
        self._visit, self._found = visit, None
        plain, term = HEAD_WORDS[visit.subject.head]
        self._bar.show_subject(title_of(visit), plain, term)
        self._sections.name_for(visit.subject.head)
        self._arrange()
        self._draft.save_soon()
        self._find()

    def stop(self) -> bool:
        """Stop what the section that is up has asked."""
        return self._sections.stop()

    def keep(self) -> None:
        """Keep the visit for the next start."""
        if not self._first_job.running:
            self._draft.save_now()

    def shown(self) -> None:
        """Go to the names of the sections, or offer samples of what is installed now."""
        if self._visit is None:
            self._offer()
        else:
            self._sections.names.setFocus(Qt.FocusReason.OtherFocusReason)
            self._show_section()

    def settings_changed(self) -> None:
        """Find out which models there are now."""
        self._offer()
        if self._visit is not None:
            self._find()

    def section(self) -> Section | None:
        """The section that is up."""
        return self._sections.current() if self._visit is not None else None

    # What is looked at

    @Slot(object)
    def _begin(self, first: tuple[str, tuple[Offer, ...]]) -> None:
        text, self._offers = first
        self._empty.set_titles(tuple(offer.title for offer in self._offers))
        visit = from_kept(text)
        if visit is not None and self._visit is None:
            self.look_at(visit)

    def _offer(self) -> None:
        if self._offer_job is not None:
            self._offer_job.drop()
        self._offer_job = self.lanes.files.start(offers, self.workspace)
        self._offer_job.done.connect(self._offered)
        self._offer_job.failed.connect(self._say_fault)

    @Slot(object)
    def _offered(self, found: tuple[Offer, ...]) -> None:
        self._offers = found
        self._empty.set_titles(tuple(offer.title for offer in found))

    @Slot(int)
    def _try_sample(self, index: int) -> None:
        self.look_at(self._offers[index].visit)
        self._sections.names.setFocus(Qt.FocusReason.OtherFocusReason)

    def _find(self) -> None:
        if self._find_job is not None:
            self._find_job.drop()
        self._find_job = self.lanes.files.start(find_models, self.workspace, self._visit)
        self._find_job.done.connect(self._models_found)
        self._find_job.failed.connect(self._no_model)

    @Slot(object)
    def _models_found(self, found: Found) -> None:
        self._found = found
        self._be_still()
        self._bar.show_models(found.models)
        self._show_section()

    @Slot(object)
    def _no_model(self, error: BaseException) -> None:
        self._found = None
        self._bar.show_models(())
        self._sections.show_nothing()
        self._say_fault(error)

    @Slot(str)
    def _model_chosen(self, folder: str) -> None:
        if self._visit is not None:
            self.look_at(Visit(self._visit.subject, folder, self._visit.title))

    @Slot()
    def _others(self) -> None:
        self._sections.drop()
        self._visit, self._found = None, None
        self._be_still()
        self.note.emit("")
        self._arrange()
        self._offer()
        self._draft.save_soon()

    @Slot()
    def _show_section(self) -> None:
        """Have the section that is named look at the visit, once its models are known."""
        if self._visit is not None and self._found is not None:
            visit = Visit(self._visit.subject, self._found.models[0].folder, self._visit.title)
            self._sections.show_visit(visit, self._found.models)

    # Saving

    @Slot()
    def _save_numbers(self) -> None:
        section = self.section()
        numbers = section.numbers() if section is not None else ""
        if section is not None and numbers:
            self._saving.save_numbers(section.TITLE, numbers)

    def save_numbers_as(self, path: Path) -> None:
        """Write the numbers of the section that is up as CSV, in the files lane."""
        section = self.section()
        if section is not None:
            self._saving.write(path, section.numbers().encode())

    def _kept(self) -> str:
        return kept(self._visit)

    @Slot(object)
    def _say_fault(self, error: BaseException) -> None:
        fault = fault_of(error)
        notice = self._notice if self._visit is not None else self._empty.notice
        notice.show_fault(fault.sentence, fault.hint, fault.report)
        self._said.setVisible(notice is self._notice)

    @Slot()
    def _be_still(self) -> None:
        """Take away what was said of a fault."""
        self._notice.clear()
        self._said.hide()

    # Looks

    def _make(self, kind: type[Section]) -> Section:
        section = kind(self.workspace, self.theme, self.lanes)
        section.note.connect(self.note)
        section.lost.connect(self.lost)
        section.save_asked.connect(self._saving.save_chart)
        section.visit_asked.connect(self.look_at)
        return section

    def _arrange(self) -> None:
        looking = self._visit is not None
        self._bar.setVisible(looking)
        self._names_frame.setVisible(looking)
        self._sections.stack.setVisible(looking)
        self._empty.setVisible(not looking)
        if self._found is None:
            self._sections.show_nothing()

    @Slot()
    def _restyle(self) -> None:
        step = self.theme.step
        self._names_column.setContentsMargins(step(5), 0, step(5), 0)
        self._notice_column.setContentsMargins(step(6), step(3), step(6), step(3))

    def _lay_out(self) -> None:
        self._names_frame = QFrame()
        self._names_frame.setProperty("kind", "frame")
        self._names_column = QVBoxLayout(self._names_frame)
        self._names_column.addWidget(self._sections.names)
        self._said = QFrame()
        self._notice_column = QVBoxLayout(self._said)
        self._notice_column.addWidget(self._notice)
        self._said.hide()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._bar)
        whole.addWidget(self._names_frame)
        whole.addWidget(self._said)
        whole.addWidget(self._sections.stack, 1)
        whole.addWidget(self._empty, 1)
        self.setProperty("kind", "desk")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    def _connect(self) -> None:
        self._bar.model_chosen.connect(self._model_chosen)
        self._notice.closed.connect(self._be_still)
        self._bar.others_asked.connect(self._others)
        self._sections.changed.connect(self._show_section)
        self._empty.chosen.connect(self._try_sample)
        self._saving.note.connect(self.note)
        self._saving.failed.connect(self._say_fault)
        self._draft.failed.connect(self._say_fault)
        self.theme.changed.connect(self._restyle)
        self.add_shortcuts(
            ("Ctrl+Tab", self._sections.next), ("Ctrl+Shift+Tab", self._sections.previous),
            ("Alt+Right", self._sections.next), ("Alt+Left", self._sections.previous),
            ("Ctrl+S", self._save_numbers),
        )  # fmt: skip
