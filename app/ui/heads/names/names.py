"""The page that finds the names in a text."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core import wording
from app.core.layout import Opened
from app.core.models import Head
from app.core.report import Progress
from app.core.requests import PieceAggregation, TextsToTag
from app.core.results import TaggedTexts
from app.flows.heads.export_names import FORMATS, names_csv, save_names
from app.flows.heads.names import find_names, load_finder
from app.flows.samples import NAMES
from app.flows.workspace import Workspace
from app.ui.document.finding import IN_FIND_BAR
from app.ui.heads.names.name_pane import NamePane
from app.ui.heads.names.names_found import NamesFound
from app.ui.heads.names.names_panel import NamesPanel
from app.ui.heads.names.names_shown import NamesShown
from app.ui.heads.text_page import TextPage
from app.ui.kit.file_dialog import DOCUMENTS, save_name
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.theme import Theme

_AGAIN = "Ctrl+Enter reads the whole text."


class NamesExport(QObject):
    """Copies and saves the shown names; `note` is one line for the status line, `failed` carries the error."""

    note = Signal(str)
    failed = Signal(object)

    def __init__(self, shown: NamesShown, panel: NamesPanel, lanes: Lanes, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown = shown
        self._lanes = lanes
        self._window = parent
        self._job: Job | None = None
        panel.copy_asked.connect(self.copy)
        panel.save_asked.connect(self._choose_path)

    @Slot()
    def copy(self) -> None:
        """Put the names on the clipboard as a tab-separated table."""
        document = self._shown.found.document()
        if document is not None and not self._shown.is_outdated():
            QGuiApplication.clipboard().setText(names_csv([document], "\t"))
            self.note.emit(f"{self._count()} copied")

    @Slot(str)
    def _choose_path(self, kind: str) -> None:
        form = next(one for one in FORMATS if one.key == kind)
        kinds = f"{form.title} (*{form.suffix})"
        if name := save_name(self._window, "Save the names", f"names{form.suffix}", kinds):
            self.save_as(kind, Path(name))

    def save_as(self, kind: str, path: Path) -> None:
        """Write the names in a format, in the files lane."""
        document, result = self._shown.found.document(), self._shown.found.result
        if document is None or result is None:
            return
        self._job = self._lanes.files.start(save_names, kind, [document], result.labels, result.model, path)
        self._job.done.connect(self._saved)
        self._job.failed.connect(self.failed)

    @Slot()
    def _saved(self) -> None:
        self.note.emit(f"{self._count()} saved")

    def _count(self) -> str:
        return wording.count(len(self._shown.found.entities), "name")


class NamesView(TextPage):
    """A text with highlighted names at the left, their types and the list of names at the right."""

    KEY = "names"
    TITLE = "Find names"
    ICON = "names"
    SAMPLES = NAMES
    DRAFTS = ("names",)
    FILES = DOCUMENTS
    SHORTCUTS = (
        ("Ctrl+Enter", "Find names"),
        ("Esc", "Stop; the names found so far stay"),
        ("F3", "Next name in the text"),
        ("Shift+F3", "Previous name"),
        ("Enter", "Next place of the chosen name, in the list"),
        ("Ctrl+F", "Find in the text"),
        IN_FIND_BAR,
        ("Ctrl+O", "Open a file"),
        ("Ctrl+L", "Go to the text"),
        ("Ctrl+S", "Save the names"),
        ("Ctrl+C", "Copy the names as a table, or what is selected"),
        ("Ctrl+I", "Look inside: how the model came to it"),
    )

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self._requested = NamesFound()
        self._fraction = 0.0
        self.pane = NamePane(theme)
        self._names_panel = panel = NamesPanel(theme, tuple((one.key, one.title) for one in FORMATS))
        panel.aggregation.select(PieceAggregation(workspace.settings.names_joining))
        self._shown = NamesShown(self.pane, panel, self)
        self._export = NamesExport(self._shown, panel, lanes, self)
        self._export.note.connect(self.note)
        self._export.failed.connect(self.show_fault)
        self.pane.copy_asked.connect(self._export.copy)
        self.pane.lines_broken.connect(self._lines_broken)
        panel.aggregation.chosen.connect(self._set_aggregation)
        panel.look_asked.connect(self._look_inside)
        desk = QWidget()
        column = QVBoxLayout(desk)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pane)
        self.build(desk, (self.pane,), panel, (Head.TOKEN_CLASSIFICATION, load_finder, "name finder"))
        self.add_shortcuts(
            ("Ctrl+S", panel.show_formats), ("Ctrl+I", self._look_inside),
            ("F3", self._shown.next), ("Shift+F3", self._shown.previous),
        )  # fmt: skip

    @Slot()
    def run(self) -> None:
        """Find the names in the text, replacing a running flow."""
        notice, text = self._names_panel.notice, self.pane.text()
        notice.clear()
        if not text.strip():
            notice.show_hint("There is no text yet.", "Type or paste one, or open a file.")
            self.pane.setFocus()
            return
        self._requested = NamesFound(text, PieceAggregation(self.workspace.settings.names_joining))
        self._fraction = 0.0
        self._names_panel.set_partly("")
        self.start("Getting ready to read", find_names, TextsToTag((text,), self._requested.aggregation))

    @Slot()
    def refresh(self) -> None:
        """Highlight the names of the current text."""
        self._shown.text_changed()

    @Slot(int)
    def try_sample(self, index: int) -> None:
        """Show a sample, and find its names."""
        self.pane.replace(self._samples[index].text)
        self.run()

    @Slot(object)
    def take_part(self, result: object) -> None:
        """Show the names found so far."""
        if isinstance(result, TaggedTexts) and result.items:
            self._shown.take(NamesFound(self._requested.text, self._requested.aggregation, result))

    def take(self, result: object) -> None:
        """Show the names, and the time it took to find them."""
        self.take_part(result)
        if isinstance(result, TaggedTexts):
            names = wording.count(len(self._shown.found.entities), "name")
            length = wording.count(len(self._requested.text), "character")
            self.note.emit(f"{names} in {length} found in {wording.duration(result.seconds)}")

    @Slot(object)
    def progressed(self, progress: Progress) -> None:
        """Show how much of the text was read; the flow counts model windows, which mean nothing to the user."""
        self._fraction = progress.fraction
        what = "Reading" if progress.total else progress.what
        self._names_panel.strip.show_progress(
            Progress(progress.done, progress.total, what, progress.seconds_left)
        )

    @Slot()
    def _stopped(self) -> None:
        stopped = wording.stopped_after(self._fraction)
        result = self._shown.found.result
        if self._fraction and result is not None and not result.complete:
            self._names_panel.set_partly(f"{stopped}: later names are missing. {_AGAIN}")
        super()._stopped()
        self.note.emit(stopped)

    @Slot(int, object)
    def _files_read(self, number: int, opened: tuple[Opened, ...]) -> None:
        super()._files_read(number, opened)
        if self.pane.text().strip():
            self.run()
            self.show_notes(opened)

    @Slot(object)
    def _set_aggregation(self, aggregation: PieceAggregation) -> None:
        self.workspace.settings.names_joining = aggregation.value
        if self._shown.found.result is not None or self.working():
            self.run()

    @Slot()
    def _look_inside(self) -> None:
        visit = self._shown.visit()
        if visit is not None:
            self.look_inside.emit(visit)

    @Slot()
    def _lines_broken(self) -> None:
        self.note.emit("Very long lines were broken, so that they can be shown")
