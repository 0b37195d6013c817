"""Finding words on the page that is up, and how large it is shown."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer, Slot

from app.core import wording
from app.flows.workspace import Workspace
from app.ui.theme import Theme
from app.ui.views.sheets import Sheets
from app.ui.widgets.find_bar import FindBar
from app.ui.widgets.page_pane import PagePane

SIZES = (50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300)
USUAL = 100
_LONGEST = 80
_REST_MS = 200


class Finding(QObject):
    """The find bar over the pages; and zoom, which for texts is the size of all documents' letters."""

    def __init__(
        self, workspace: Workspace, theme: Theme, sheets: Sheets, bar: FindBar, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._theme = theme
        self._sheets = sheets
        self._bar = bar
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REST_MS)
        self._timer.timeout.connect(self._count)
        bar.typed.connect(self._typed)
        bar.find_asked.connect(self._find)
        bar.closed.connect(self._leave)

    @Slot()
    def open(self) -> None:
        """Bring the bar up, with the words that are selected; there is nothing to find in a file that is not open."""
        sheet = self._sheets.current()
        if not sheet.is_open:
            return
        chosen = sheet.pane.selected_words()
        self._bar.open(chosen if len(chosen) < _LONGEST and "\n" not in chosen else "")

    @Slot()
    def larger(self) -> None:
        """Show the page larger."""
        self._zoom(1)

    @Slot()
    def smaller(self) -> None:
        """Show the page smaller."""
        self._zoom(-1)

    @Slot()
    def usual(self) -> None:
        """Show the page at its usual size."""
        self._zoom(0)

    def _zoom(self, by: int) -> None:
        pane = self._sheets.current().pane
        if isinstance(pane, PagePane):
            (pane.zoom_fit, pane.zoom_in, pane.zoom_out)[by]()
            return
        settings = self._workspace.settings
        further = [size for size in SIZES if (size - settings.document_size) * by > 0]
        size = USUAL if by == 0 else (min if by > 0 else max)(further, default=settings.document_size)
        settings.document_size = size
        self._theme.scale_documents(size / 100)

    @Slot(str)
    def _typed(self, words: str) -> None:
        self._timer.start()

    @Slot()
    def _count(self) -> None:
        """Say in how many places the words stand."""
        words = self._bar.field.text().casefold()
        if words and self._sheets.current().is_open:
            number = self._sheets.current().pane.text().casefold().count(words)
            self._bar.say(wording.count(number, "place") if number else "Not found")

    @Slot(str, bool)
    def _find(self, words: str, backwards: bool) -> None:
        self._bar.say("" if self._sheets.current().pane.go_to_words(words, backwards) else "Not found")

    @Slot()
    def _leave(self) -> None:
        self._sheets.current().setFocus(Qt.FocusReason.OtherFocusReason)
