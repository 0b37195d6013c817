"""The page that finds the names in a text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction, QGuiApplication

from app.core import wording
from app.core.inspection import Subject, Visit
from app.core.layout import Opened
from app.core.message import Message
from app.core.models import Head
from app.core.report import Progress
from app.core.requests import PieceAggregation, TextsToTag
from app.core.results import Entity, Tagged, TaggedTexts
from app.core.text import utf16_units
from app.flows.heads.export_names import FORMATS, TaggedDocument, names_csv, save_names
from app.flows.heads.heads import find_names
from app.flows.heads.kept import HeadResult, KeptResult
from app.flows.history.export_formats import require_format
from app.flows.samples import NAMES
from app.flows.workspace import Workspace
from app.ui.document.find_bar import IN_FIND_BAR
from app.ui.heads.names.name_list import NameRow
from app.ui.heads.names.name_pane import NamePane
from app.ui.heads.names.names_panel import NamesPanel
from app.ui.heads.text_page import TextPage
from app.ui.kit.file_dialog import DOCUMENTS, save_name
from app.ui.kit.jobs import Lanes
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr


@dataclass(slots=True)
class NamesFound:
    """The names found in a text so far.

    `chosen` is the index of the chosen name, -1 for none; `units` is the text's length in UTF-16 units, as Qt counts.
    """

    text: str = ""
    result: TaggedTexts | None = None
    chosen: int = -1
    units: int = 0
    _occurrences: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.units = utf16_units(self.text)
        for at, entity in enumerate(self.entities):
            self._occurrences.setdefault(_identity(entity), []).append(at)

    @property
    def tagged(self) -> Tagged | None:
        """The result for the text, None before there is one."""
        return self.result.items[0] if self.result is not None and self.result.items else None

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The names in the order of the text."""
        return self.tagged.entities if self.tagged is not None else ()

    @property
    def name(self) -> Entity | None:
        """The chosen name, None for none."""
        return self.entities[self.chosen] if 0 <= self.chosen < len(self.entities) else None

    def document(self) -> TaggedDocument | None:
        """The text and its names, to be saved or copied; None without a result."""
        return TaggedDocument(self.text, self.tagged) if self.tagged is not None else None

    def occurrences(self, index: int) -> list[int]:
        """The indices of all occurrences of a name, itself included, in text order; empty for -1."""
        return self._occurrences[_identity(self.entities[index])] if 0 <= index < len(self.entities) else []

    def step(self, by: int, hidden: Collection[str]) -> int:
        """The index of the next name (`by` 1) or the previous one (-1) whose type is not hidden, -1 for none.

        It wraps around at the ends.
        """
        count = len(self.entities)
        first = self.chosen if self.chosen >= 0 else (-1 if by > 0 else count)
        for way in range(1, count + 1):
            at = (first + by * way) % count
            if self.entities[at].label not in hidden:
                return at
        return -1


def _identity(entity: Entity) -> tuple[str, str]:
    """What all occurrences of a name have in common: its type, and its words apart from whitespace."""
    return entity.label, " ".join(entity.text.split())


class NamesView(TextPage):
    """A text with highlighted names at the left, their types and the list of names at the right."""

    KEY = "names"
    TITLE = Message("Names")
    ICON = "names"
    HEAD = Head.TOKEN_CLASSIFICATION
    SAMPLES = NAMES
    DRAFTS = ("names",)
    FILES = DOCUMENTS
    SHORTCUTS = (
        ("Ctrl+Enter", Message("Find names")),
        ("Esc", Message("Stop; the names found so far stay")),
        ("F3", Message("Next name in the text")),
        ("Shift+F3", Message("Previous name")),
        ("Enter", Message("Next place of the chosen name, in the list")),
        ("Ctrl+F", Message("Find in the text")),
        IN_FIND_BAR,
        ("Ctrl+O", Message("Open a file")),
        ("Ctrl+L", Message("Go to the text")),
        ("Ctrl+S", Message("Save the names")),
        ("Ctrl+C", Message("Copy the names as a table, or what is selected")),
        ("Ctrl+I", Message("Look inside: how the model came to it")),
    )

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self.found = NamesFound()
        self._fraction = 0.0
        self.pane = NamePane(theme)
        self._names_panel = panel = NamesPanel(theme, tuple((one.key, one.title) for one in FORMATS))
        panel.aggregation.select(PieceAggregation(workspace.settings.names_joining))
        self.pane.copy_asked.connect(self.copy)
        self.pane.light_chosen.connect(self._choose)
        panel.legend.changed.connect(self._types_changed)
        panel.list.chosen.connect(self._row_chosen)
        panel.list.next_requested.connect(self._go_to_next_occurrence)
        panel.list.copy_requested.connect(self.copy)
        panel.copy.clicked.connect(self.copy)
        panel.opening.clicked.connect(self._choose_file)
        panel.menu.triggered.connect(self._choose_path)
        self.pane.lines_broken.connect(self._lines_broken)
        panel.aggregation.chosen.connect(self._set_aggregation)
        panel.look.clicked.connect(self._look_inside)
        theme.in_steps(self.pane.setMinimumHeight, 34)  # a few lines stay visible above the panel
        self.build(self.pane, (self.pane,), panel)
        self.add_shortcuts(
            ("Ctrl+S", panel.show_formats),
            ("F3", partial(self.step, 1)),
            ("Shift+F3", partial(self.step, -1)),
        )

    @Slot()
    def run(self) -> None:
        """Find the names in the text, replacing a running flow."""
        notice, text = self._names_panel.notice, self.pane.text()
        notice.clear()
        if not text.strip():
            notice.show_hint(tr("There is no text yet."), tr("Type or paste one, or open a file."))
            self.pane.setFocus()
            return
        aggregation = PieceAggregation(self.workspace.settings.names_joining)
        self._fraction = 0.0
        self._names_panel.set_incomplete_note("")
        self.start(tr("Getting ready to read"), find_names, TextsToTag((text,), aggregation))

    def result_note(self, result: HeadResult) -> str:
        length = Message("{n:,} character", "{n:,} characters", n=len(self.found.text))
        return tr(
            "{n:,} name in {length} found in {time}", "{n:,} names in {length} found in {time}",
            n=len(self.found.entities), length=length, time=wording.duration(result.seconds),
        )  # fmt: skip

    def show_result(self, kept: KeptResult) -> None:
        """Show the names; the chosen one stays chosen if it was found again."""
        assert isinstance(kept.result, TaggedTexts)
        panel, before = self._names_panel, self.found.name
        self.found = NamesFound(kept.texts[0], kept.result)
        if not kept.result.complete and not self.working():
            panel.set_incomplete_note(
                tr("Not all of it was read: later names are missing. Ctrl+Enter reads the whole text.")
            )
        panel.show_names(self.found.entities, kept.result.labels)
        panel.set_complete(kept.result.complete)
        same = [at for at, each in enumerate(self.found.entities) if before and each.span == before.span]
        self.found.chosen = same[0] if same else -1

    @Slot(object)
    def show_progress(self, progress: Progress) -> None:
        """Show how much of the text was read, not how many windows, which mean nothing to the user."""
        self._fraction = progress.fraction
        what = tr("Reading") if progress.total else progress.what
        self._names_panel.strip.show_progress(
            Progress(progress.done, progress.total, what, progress.seconds_left)
        )

    @Slot()
    def _stopped(self) -> None:
        stopped = localised(wording.stopped_after(self._fraction))
        result = self.found.result
        if self._fraction and result is not None and not result.complete:
            rest = tr("Later names are missing. Ctrl+Enter reads the whole text.")
            self._names_panel.set_incomplete_note(sentences(stopped, rest))
        super()._stopped()
        self.note.emit(stopped)

    @Slot(object)
    def _read_done(self, opened: tuple[Opened, ...]) -> None:
        super()._read_done(opened)
        if self.pane.text().strip():
            self.run()
            self.show_notes(opened)

    @Slot(object)
    def _set_aggregation(self, aggregation: PieceAggregation) -> None:
        self.workspace.settings.names_joining = aggregation.value
        if self.found.result is not None or self.working():
            self.run()

    @Slot()
    def _lines_broken(self) -> None:
        self.note.emit(tr("Very long lines were broken, so that they can be shown"))

    # The names, in the text and in the list

    @Slot()
    def refresh(self) -> None:
        """Highlight the names if the text is that in which they were found; else mark them as outdated."""
        empty = self.pane.is_empty()
        if empty:
            self.found = NamesFound()
        self._names_panel.set_empty(empty)
        if self.found.result is None:
            return
        outdated = self.is_outdated()
        self._names_panel.set_outdated(outdated)
        if outdated:
            self.pane.clear_highlights()
            return
        self.pane.show_names(self.found.entities, self._names_panel.styles())
        self.pane.hide_types(self._names_panel.legend.hidden())
        self._choose(self.found.chosen, go=False)

    def is_outdated(self) -> bool:
        # The length shows most edits without reading a text of megabytes at every key press.
        return self.pane.units() != self.found.units or super().is_outdated()

    def visit(self) -> Visit | None:
        """The chosen name, or else the first one."""
        result = self.found.result
        if result is None or not self.found.entities or self.is_outdated():
            return None
        name = self.found.name or self.found.entities[0]
        subject = Subject(Head.TOKEN_CLASSIFICATION, self.found.text, focus=name.span)
        return Visit(subject, result.model, wording.first_words(name.text))

    def step(self, by: int) -> None:
        """Choose the next name in the text (`by` 1), or the previous one (-1)."""
        if self.found.result is None or self.is_outdated():
            return
        hidden = {self._names_panel.styles()[number].label for number in self._names_panel.legend.hidden()}
        self._choose(self.found.step(by, hidden))

    @Slot(int)
    def _choose(self, index: int, *, go: bool = True) -> None:
        self.found.chosen = index
        self.pane.choose_name(index, self.found.occurrences(index))
        self._names_panel.list.select(index)
        if go and index >= 0:
            self.pane.reveal(index)

    @Slot(object)
    def _row_chosen(self, row: NameRow) -> None:
        self._choose(row.occurrences[0])

    @Slot(object)
    def _go_to_next_occurrence(self, row: NameRow) -> None:
        later = [place for place in row.occurrences if place > self.found.chosen]
        self._choose(later[0] if later else row.occurrences[0])

    @Slot()
    def _types_changed(self) -> None:
        hidden = self._names_panel.legend.hidden()
        self.pane.hide_types(hidden)
        name = self.found.name
        gone = name is not None and any(
            style.number in hidden for style in self._names_panel.styles() if style.label == name.label
        )
        self._choose(-1 if gone else self.found.chosen, go=False)

    # Copying and saving

    @Slot()
    def copy(self) -> None:
        """Put the names on the clipboard as a tab-separated table."""
        document = self.found.document()
        if document is not None and not self.is_outdated():
            QGuiApplication.clipboard().setText(names_csv([document], "\t"))
            self.note.emit(tr("{n:,} name copied", "{n:,} names copied", n=len(self.found.entities)))

    @Slot(QAction)
    def _choose_path(self, chosen: QAction) -> None:
        form = require_format(FORMATS, chosen.data())
        kinds = f"{localised(form.title)} (*{form.suffix})"
        if name := save_name(self, tr("Save the names"), f"names{form.suffix}", kinds):
            self.save_as(form.key, Path(name))

    def save_as(self, kind: str, path: Path) -> None:
        """Write the names in a format, in the files lane."""
        document, result = self.found.document(), self.found.result
        if document is None or result is None:
            return
        self.lanes.files.start(save_names, kind, [document], result.labels, result.model, path).then(
            self._saved, self.show_fault
        )

    @Slot()
    def _saved(self) -> None:
        self.note.emit(tr("{n:,} name saved", "{n:,} names saved", n=len(self.found.entities)))
