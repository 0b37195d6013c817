"""The base classes of the window's pages and their sections, a dialog over a page, and a widget's first painting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QWidget

from app.core.legible import legible
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column, row
from app.ui.kit.jobs import Lanes
from app.ui.kit.parts import Scrolling
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised

# Left free on the screen for a dialog's own frame, in steps.
_FRAME = 12


class PagePart(QWidget):
    """The base of pages and of their sections: the services they use, and their interface to what contains them.

    `note` carries text for the status line (empty clears it); `lost` is sent when the model process died, so that the
    window restarts it. `go` carries the key of another page, or of another section of the same page, and what to show
    there, None for nothing in particular. `changed` carries the name of a setting that was changed and saved, of a head
    whose model was chosen, or "models". `KEY` identifies the part, `TITLE` is shown as its name, and `SHORTCUTS` are
    its keys, each with what it does.
    """

    KEY = ""
    TITLE = ""
    SHORTCUTS: tuple[tuple[str, str], ...] = ()

    note = Signal(str)
    lost = Signal()
    go = Signal(str, object)
    changed = Signal(str)

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__()
        self.workspace = workspace
        self.theme = theme
        self.lanes = lanes
        self.setAccessibleName(localised(self.TITLE))

    def add_shortcuts(
        self, *shortcuts: tuple[str, Callable[[], object]], within: QWidget | None = None
    ) -> None:
        """Add shortcuts that work while this is shown, wherever the focus is, or only while it is `within` a widget."""
        contexts = Qt.ShortcutContext
        for keys, slot in shortcuts:
            shortcut = QShortcut(QKeySequence(keys), within or self)
            shortcut.setContext(contexts.WidgetWithChildrenShortcut if within else contexts.WindowShortcut)
            shortcut.activated.connect(slot)

    def receive(self, argument: object) -> None:
        """Show what was sent here with `go`."""

    def stop(self) -> bool:
        """Stop the work that runs here; returns whether there was any."""
        return False

    def keep(self) -> None:
        """Save drafts, and put splitter positions and choices into the settings; called when the window closes."""

    def shown(self) -> None:
        """Refresh the content, and set the initial keyboard focus; called whenever this is shown."""

    def settings_changed(self) -> None:
        """Apply settings or installed models that were changed elsewhere."""


class Page(PagePart):
    """A page of the window, with the name of its icon on the rail."""

    ICON = ""

    def painted(self) -> None:
        """Begin work that can wait until the window is painted; called once, on the page that is shown first."""

    def open_files(self, paths: list[Path]) -> None:
        """Open files given on the command line or dropped on the window."""


class FirstPaint(QObject):
    """Watches a widget; `first` is sent once, after the widget and all within it have been painted."""

    first = Signal()
    _paint_begun = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._paint_begun.connect(self._painted, Qt.ConnectionType.QueuedConnection)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._widget.removeEventFilter(self)
            # Its children are painted after it, in the same turn of the event loop.
            self._paint_begun.emit()
        return False

    @Slot()
    def _painted(self) -> None:
        self.first.emit()


class PageDialog(QDialog):
    """A dialog over a page: a `column` of widgets, scrolled where there is no room, above a `foot` of buttons.

    It is `wide` and `high` in steps, as far as the screen has room, and is deleted when it closes.
    """

    def __init__(self, theme: Theme, title: str, wide: float, high: float, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._wanted = theme, (wide, high)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(legible(title))
        self.setAccessibleName(title)
        inner = QWidget()
        self.column, self.foot = column(theme, gap=3, parent=inner), row(theme, gap=2)
        column(theme, (Scrolling(inner), 1), self.foot, gap=3, margins=(6, 6, 6, 4), parent=self)
        self.resize(self.sizeHint())  # Qt's own choice is the least height of a list

    def sizeHint(self) -> QSize:
        frame = self._theme.step(_FRAME)
        room = self.screen().availableGeometry().size() - QSize(frame, frame)
        return QSize(*map(self._theme.step, self._wanted)).boundedTo(room)
