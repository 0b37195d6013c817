"""The base class of the window's pages, and when a widget has been painted for the first time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.flows.workspace import Workspace
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme


class Page(QWidget):
    """A page of the window: its name on the rail, its shortcuts, and its interface to the window.

    `note` is one line for the status line (empty clears it); `lost` is sent when the model process died, so that the
    window restarts it; `open_settings` requests the settings page, `open_about` the page about Spanlight,
    `open_models` a section of the models page by its key; `look_inside` carries a Visit for the Inspect page.
    """

    KEY = ""
    TITLE = ""
    ICON = ""
    SHORTCUTS: tuple[tuple[str, str], ...] = ()

    note = Signal(str)
    lost = Signal()
    open_settings = Signal()
    open_about = Signal()
    open_models = Signal(str)
    look_inside = Signal(object)

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self.theme = theme
        self.lanes = lanes
        self.setAccessibleName(self.TITLE)

    def add_shortcuts(self, *shortcuts: tuple[str, Callable[[], object]]) -> None:
        """Add shortcuts that work while this page is shown, wherever in the window the focus is."""
        for keys, slot in shortcuts:
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
            shortcut.activated.connect(slot)

    def stop(self) -> bool:
        """Stop the running work of this page; returns whether there was any."""
        return False

    def keep(self) -> None:
        """Save drafts, and put splitter positions into the settings; called when the window closes."""

    def shown(self) -> None:
        """Set the keyboard focus for a start; called when the page is shown."""

    def painted(self) -> None:
        """Begin work that may wait until the window is painted; called once, on the page shown then."""

    def open_files(self, paths: list[Path]) -> None:
        """Open files given on the command line or dropped on the window."""

    def settings_changed(self) -> None:
        """Apply what was changed on the settings page."""


class FirstPaint(QObject):
    """Watches a widget; `first` is sent once, after all of it has been painted and no other event was waiting."""

    first = Signal()
    _over = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._over.connect(self._painted, Qt.ConnectionType.QueuedConnection)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._widget.removeEventFilter(self)
            # Its widgets are painted after it, in the same turn of the event loop.
            self._over.emit()
        return False

    @Slot()
    def _painted(self) -> None:
        self.first.emit()
