"""The page that finds the names in a text."""

from __future__ import annotations

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
from app.core.results import Entity, TaggedTexts
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


class NamesView(TextPage):
    """A text with highlighted names at the left, their types and the list of names at the right.

    `names` are those found in the text of the result that is shown, in its order.
    """

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
    _panel: NamesPanel

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self.names: tuple[Entity, ...] = ()
        self._chosen = -1  # the index of the chosen name, -1 for none
        self._units = 0  # the length of the names' text in UTF-16 units, as Qt counts
        self._fraction = 0.0
        self.pane = NamePane(theme)
        panel = NamesPanel(theme, tuple((one.key, one.title) for one in FORMATS))
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

    @property
    def found(self) -> TaggedTexts | None:
        """The result that is shown; None without one."""
        result = self.kept.result if self.kept is not None else None
        return result if isinstance(result, TaggedTexts) else None

    @property
    def name(self) -> Entity | None:
        """The chosen name, None for none."""
        return self.names[self._chosen] if self._chosen >= 0 else None

    @Slot()
    def run(self) -> None:
        """Find the names in the text, replacing a running flow."""
        notice, text = self._panel.notice, self.pane.text()
        notice.hide()
        if not text.strip():
            notice.show_hint(tr("There is no text yet."), tr("Type or paste one, or open a file."))
            self.pane.setFocus()
            return
        aggregation = PieceAggregation(self.workspace.settings.names_joining)
        self._fraction = 0.0
        self._panel.incomplete_note = ""
        self.start(tr("Getting ready to read"), find_names, TextsToTag((text,), aggregation))

    def result_note(self, result: HeadResult) -> str:
        assert self.kept is not None
        length = Message("{n:,} character", "{n:,} characters", n=len(self.kept.texts[0]))
        return tr(
            "{n:,} name in {length} found in {time}", "{n:,} names in {length} found in {time}",
            n=len(self.names), length=length, time=wording.duration(result.seconds),
        )  # fmt: skip

    def show_result(self, kept: KeptResult) -> None:
        """Show the names; the chosen one stays chosen if it was found again."""
        assert isinstance(kept.result, TaggedTexts)
        panel, before, (tagged,) = self._panel, self.name, kept.result.items
        self.names, self._units = tagged.entities, utf16_units(kept.texts[0])
        if not kept.result.complete and not self.working():
            panel.incomplete_note = tr(
                "Not all of it was read: later names are missing. Ctrl+Enter reads the whole text."
            )
        panel.show_names(self.names, kept.result.labels)
        panel.set_complete(kept.result.complete)
        same = (at for at, each in enumerate(self.names) if before and each.span == before.span)
        self._chosen = next(same, -1)

    @Slot(object)
    def show_progress(self, progress: Progress) -> None:
        """Show how much of the text was read, not how many windows, which mean nothing to the user."""
        self._fraction = progress.fraction
        what = tr("Reading") if progress.total else progress.what
        self._panel.strip.show_progress(Progress(progress.done, progress.total, what, progress.seconds_left))

    @Slot()
    def _stopped(self) -> None:
        stopped = localised(wording.stopped_after(self._fraction))
        if self._fraction and self.found is not None and not self.found.complete:
            rest = tr("Later names are missing. Ctrl+Enter reads the whole text.")
            self._panel.incomplete_note = sentences(stopped, rest)
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
        if self.found is not None or self.working():
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
            self.names, self._chosen, self._units = (), -1, 0
        self._panel.set_empty(empty)
        if empty or self.found is None:
            return
        outdated = self.is_outdated()
        self._panel.set_outdated(outdated)
        if outdated:
            self.pane.clear_highlights()
            return
        self.pane.show_names(self.names, self._panel.styles)
        self.pane.hide_types(self._panel.legend.hidden())
        self._choose(self._chosen, go=False)

    def is_outdated(self) -> bool:
        # The length shows most edits without reading a text of megabytes at every key press.
        return self.pane.units() != self._units or super().is_outdated()

    def visit(self) -> Visit | None:
        """The chosen name, or else the first one."""
        if self.kept is None or not self.names or self.is_outdated():
            return None
        name = self.name or self.names[0]
        subject = Subject(Head.TOKEN_CLASSIFICATION, self.kept.texts[0], focus=name.span)
        return Visit(subject, self.kept.result.model, wording.first_words(name.text))

    def step(self, by: int) -> None:
        """Choose the next name in the text whose type is not hidden (`by` 1), or the previous one (-1).

        It wraps around at the ends.
        """
        if self.found is None or self.is_outdated():
            return
        count, hidden = len(self.names), self._panel.legend.hidden()
        first = self._chosen if self._chosen >= 0 else (-1 if by > 0 else count)
        ahead = ((first + by * way) % count for way in range(1, count + 1))
        self._choose(next((at for at in ahead if self.names[at].label not in hidden), -1))

    @Slot(int)
    def _choose(self, index: int, *, go: bool = True) -> None:
        self._chosen = index
        self.pane.choose_name(index, self._panel.list.select(index))
        if go and index >= 0:
            self.pane.reveal(index)

    @Slot(object)
    def _row_chosen(self, row: NameRow) -> None:
        self._choose(row.occurrences[0])

    @Slot(object)
    def _go_to_next_occurrence(self, row: NameRow) -> None:
        later = [place for place in row.occurrences if place > self._chosen]
        self._choose(later[0] if later else row.occurrences[0])

    @Slot()
    def _types_changed(self) -> None:
        hidden = self._panel.legend.hidden()
        self.pane.hide_types(hidden)
        gone = self.name is not None and self.name.label in hidden
        self._choose(-1 if gone else self._chosen, go=False)

    # Copying and saving

    @Slot()
    def copy(self) -> None:
        """Put the names on the clipboard as a tab-separated table."""
        if self.found is not None and not self.is_outdated():
            QGuiApplication.clipboard().setText(names_csv(self._documents(), "\t"))
            self.note.emit(tr("{n:,} name copied", "{n:,} names copied", n=len(self.names)))

    @Slot(QAction)
    def _choose_path(self, chosen: QAction) -> None:
        form = require_format(FORMATS, chosen.data())
        kinds = f"{localised(form.title)} (*{form.suffix})"
        if name := save_name(self, tr("Save the names"), f"names{form.suffix}", kinds):
            self.save_as(form.key, Path(name))

    def save_as(self, kind: str, path: Path) -> None:
        """Write the names in a format, in the files lane."""
        if self.found is not None:
            labels, model = self.found.labels, self.found.model
            job = self.lanes.files.start(save_names, kind, self._documents(), labels, model, path)
            job.then(self._saved, self.show_fault)

    def _documents(self) -> list[TaggedDocument]:
        """The text with its names, to be copied or saved."""
        if self.kept is None or self.found is None:
            return []
        return [TaggedDocument(self.kept.texts[0], self.found.items[0])]

    @Slot()
    def _saved(self) -> None:
        self.note.emit(tr("{n:,} name saved", "{n:,} names saved", n=len(self.names)))
