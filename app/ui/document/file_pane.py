"""The pane for each kind of document, and a widget that shows one file to be read only."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QStackedWidget

from app.core.errors import PasswordNeeded
from app.core.layout import Kind, Opened
from app.core.text import Span
from app.flows.ask.read import read_document
from app.flows.workspace import Workspace
from app.ui.document.flowing.rich_pane import RichPane
from app.ui.document.opening_page import OpeningPage
from app.ui.document.pane import Pane
from app.ui.document.pdf.page_pane import PagePane
from app.ui.document.pdf.page_pictures import PagePictures
from app.ui.document.text.document_pane import DocumentPane
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of
from app.ui.kit.theme import Theme

AnyPane = DocumentPane | RichPane | PagePane


def pane_for(kind: Kind, theme: Theme, present: AnyPane | None = None) -> AnyPane:
    """Return the pane for a kind of document: the present one where it fits, else a new one."""
    wanted = DocumentPane if kind is Kind.TEXT else PagePane if kind in (Kind.PDF, Kind.IMAGE) else RichPane
    return present if isinstance(present, wanted) else wanted(theme)


class FilePane(QStackedWidget):
    """Shows one file at a time: its document, or its progress, password or fault.

    `opened` carries the Opened document once it is shown, `unlocked` the path and the password of an encrypted one,
    `failed` the fault when its pages cannot be drawn; `closed` is sent by Stop and by the button below a file that is
    not open; `files_dropped` carries paths.
    """

    opened = Signal(object)
    unlocked = Signal(str, str)
    failed = Signal(object)
    closed = Signal()
    files_dropped = Signal(list)

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__()
        self._workspace, self._theme, self._lanes = workspace, theme, lanes
        self._job: Job | None = None
        self._path = ""
        self._password = ""
        self.pane: AnyPane | None = None
        self.document: Opened | None = None
        self._opening = OpeningPage(theme)
        self.addWidget(self._opening)
        self._opening.strip.stop_asked.connect(self.closed)
        self._opening.close_button.clicked.connect(self.closed)
        self._opening.again.clicked.connect(self._read)
        self._opening.lock.entered.connect(self._unlock)

    def show_file(self, path: str) -> None:
        """Read and show a file, unless it is shown already."""
        if path != self._path:
            self._path, self._password = path, ""
            self._read()

    def show_places(self, places: list[tuple[Span, str]], *, faint: bool = False, own: int = -1) -> bool:
        """Highlight spans as `Pane.light` does, and scroll to the first; returns whether the first is highlighted."""
        if self.pane is None:
            return False
        lit = self.pane.light(places, 0, faint=faint, own=own)
        if lit and lit[0]:
            self.pane.reveal(0)
        return bool(lit and lit[0])

    def text(self) -> str:
        """Return the text on the page; empty while there is none."""
        return self.pane.text() if self.pane is not None and self.document is not None else ""

    def selected(self) -> tuple[str, Span]:
        """Return the selected words and their span, as `Pane.selected_place` does; empty without a document."""
        if self.pane is None or self.document is None:
            return "", Span(0, 0)
        return self.pane.selected_place()

    def forget(self) -> None:
        """Show no file."""
        if self._job is not None:
            self._job.drop()
        self._job, self._path, self.document = None, "", None
        self._drop_pane()

    @Slot()
    def _read(self) -> None:
        self.document = None
        self._opening.reading(Path(self._path).name)
        self.setCurrentWidget(self._opening)
        job = self._lanes.documents.start(
            read_document, self._workspace, Path(self._path), password=self._password
        ).replacing(self._job)
        self._job = job.then(self._done, self._not_read, progress=self._opening.strip.show_progress)

    @Slot(str)
    def _unlock(self, password: str) -> None:
        self._password = password
        self._read()

    @Slot(object)
    def _done(self, opened: Opened) -> None:
        pane = pane_for(opened.kind, self._theme, None if opened.is_paged else self.pane)
        if pane is not self.pane:
            self._drop_pane()
            self.addWidget(pane)
            self.pane = pane
            pane.files_dropped.connect(self.files_dropped)
            # With a style sheet Qt resets the fonts of a widget that gets a parent.
            self._theme.refresh()
        if isinstance(pane, DocumentPane):
            pane.set_text(opened.document.text, opened.document.name)
            pane.number_lines(opened.lines)
            by = Qt.TextInteractionFlag
            pane.setReadOnly(True)
            pane.setTextInteractionFlags(by.TextSelectableByMouse | by.TextSelectableByKeyboard)
        else:
            pane.show_document(opened)
        if isinstance(pane, PagePane):
            pictures = PagePictures(self._workspace, self._lanes, pane, opened, self._password)
            pictures.failed.connect(self.failed)
        self.document = opened
        self._opening.strip.clear()
        self.setCurrentWidget(pane)
        self.opened.emit(opened)
        if self._password:
            self.unlocked.emit(self._path, self._password)

    @Slot(object)
    def _not_read(self, error: BaseException) -> None:
        name = Path(self._path).name
        if isinstance(error, PasswordNeeded):
            self._opening.ask_password(name, error.wrong)
            return
        fault = fault_of(error)
        self._opening.show_fault(name, fault.sentence, fault.hint, fault.report)

    def _drop_pane(self) -> None:
        if isinstance(self.pane, Pane):
            for pictures in self.pane.findChildren(PagePictures):
                pictures.close()
            self.removeWidget(self.pane)
            self.pane.deleteLater()
        self.pane = None
