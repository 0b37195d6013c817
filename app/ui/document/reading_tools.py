"""A document with what helps to read it: the outline at its side, and a slim line below."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.core.layout import Opened, OutlineEntry
from app.flows.workspace import Workspace
from app.ui.document.find_bar import FindBar
from app.ui.document.outline_list import OutlineList
from app.ui.document.page_line import PageLine
from app.ui.document.pane import Pane
from app.ui.document.zoom import Zoom
from app.ui.kit.theme import Theme

_SOON_MS, _EDITED_MS = 40, 300
# In steps: the outline's width, and the least that it leaves to the page.
_NARROW, _WIDE, _LEAST_PAGE = 30, 48, 60
# With fewer titles there is nothing to choose from.
_FEWEST = 2


class ReadingTools(QObject):
    """The outline of the document on `pages`, in their row, and the line in the column below, where there is one.

    The outline stands beside the document, or, where there is too little room for both, in its place until it is left.
    `text_edited` is started when the text is edited. `left` is sent when the focus is to go back to the document.
    """

    left = Signal()

    def __init__(
        self,
        workspace: Workspace,
        theme: Theme,
        pages: QWidget,
        row: QHBoxLayout,
        column: QVBoxLayout,
        find_bar: FindBar,
        zoom: Zoom,
    ) -> None:
        super().__init__(pages)
        self._workspace, self._theme = workspace, theme
        self._pages = pages
        self._is_over = False
        self._pane: Pane | None = None
        self._opened: Opened | None = None
        self._entries: Sequence[OutlineEntry] = ()
        self.list = OutlineList(theme)
        self.line = PageLine(theme, zoom)
        self._zoom = zoom
        self.list.hide()
        self.line.hide()
        row.insertWidget(0, self.list)
        column.addWidget(self.line)
        self._around = pages.parentWidget() or pages
        self._around.installEventFilter(self)
        self.list.installEventFilter(self)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self._follow)
        self.text_edited = QTimer(self, singleShot=True, interval=_EDITED_MS)
        self.text_edited.timeout.connect(self._look_at_text)
        self.list.entry_chosen.connect(self._go_to)
        self.line.outline.clicked.connect(self.toggle_outline)
        self.line.search.clicked.connect(find_bar.open)
        self.line.went.connect(self._went)
        self.line.left.connect(self.left)
        zoom.changed.connect(self._soon.start)
        theme.changed.connect(self._fit)
        self._fit()

    @property
    def is_in_use(self) -> bool:
        """Whether there is a document."""
        return self._pane is not None

    def take(self, pane: Pane | None, opened: Opened | None) -> None:
        """Serve the document on a pane, None where there is none; `opened` is its file, None for a text of no file."""
        if self._pane is not None and isValid(self._pane):
            self._pane.map.valueChanged.disconnect(self._scrolled)
            self._pane.resized.disconnect(self._soon.start)
        self._is_over = self._is_over and pane is self._pane  # else it has the text of more pages
        self._pane, self._opened = pane, opened
        is_paged = opened is not None and bool(opened.pages)
        self.line.take(pane)
        self._show_entries(opened.contents() if pane is not None and opened is not None else ())
        if pane is None:
            return
        if is_paged:
            self._zoom.begin(pane)
        pane.map.valueChanged.connect(self._scrolled)
        pane.resized.connect(self._soon.start)
        line = self.line
        order: tuple[QWidget, ...] = (
            self.list, pane, line.outline, line.field, line.search, line.size_button
        )  # fmt: skip
        for one, other in pairwise(order):
            QWidget.setTabOrder(one, other)
        self._follow()

    @Slot()
    def _look_at_text(self) -> None:
        """Show no outline any more where the text is another one than it was of."""
        pane, opened = self._pane, self._opened
        if opened is not None and pane is not None and isValid(pane) and pane.text() != opened.document.text:
            self._show_entries(())
        self._follow()

    @Slot()
    def toggle_outline(self) -> None:
        """Show the outline, with the focus on it, or hide it."""
        if not self._entries:
            return
        shows = self.list.isHidden()
        if self._has_room:
            self._workspace.settings.outline = shows
        else:
            self._is_over = shows
        self._show_list()
        if shows:
            self._follow()
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.left.emit()

    def leave(self) -> bool:
        """Go from the outline to the document, which it may be in the place of; False where nobody is in it."""
        if not (self._is_over or self.list.hasFocus()):
            return False
        self._is_over = False
        self._show_list()
        self.left.emit()
        return True

    @Slot()
    def go_to_field(self) -> None:
        """Go to the number of the page or line, to type another one."""
        self.line.go_to_field()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._around and event.type() == QEvent.Type.Resize:
            self._fit()
        elif watched is self.list and event.type() == QEvent.Type.FocusOut and self._is_over:
            self._is_over = False
            self._show_list()
        return False

    def _show_entries(self, entries: Sequence[OutlineEntry]) -> None:
        entries = entries if len(entries) >= _FEWEST else ()
        if entries != self._entries:
            self._entries = entries
            self.list.show_entries(entries)
        self._show_list()

    @property
    def _has_room(self) -> bool:
        """Whether the outline stands beside the document rather than in its place."""
        return self._around.width() >= self._theme.step(_NARROW + _LEAST_PAGE)

    def _show_list(self) -> None:
        beside = self._has_room
        self._is_over = self._is_over and not beside
        shows = bool(self._entries) and (self._workspace.settings.outline if beside else self._is_over)
        # What goes is hidden first, so that the page is never squeezed, which would scroll it.
        if shows:
            self._pages.setVisible(beside)
        self.list.setVisible(shows)
        self._pages.setVisible(beside or not shows)
        self.line.outline.setVisible(bool(self._entries))
        self.line.outline.setChecked(shows)

    @Slot()
    def _scrolled(self) -> None:
        if self._is_over:  # an answer was gone to
            self._is_over = False
            self._show_list()
        if not self._soon.isActive():
            self._soon.start()

    @Slot()
    def _follow(self) -> None:
        if self._pane is None or not isValid(self._pane):
            return
        self.line.refresh()
        if self.list.isVisible() and not self.list.hasFocus():
            self.list.follow(self._pane.place())

    @Slot(object)
    def _go_to(self, entry: OutlineEntry) -> None:
        if self._pane is None:
            return
        if self._is_over:
            self.leave()
        self._pane.go_to_entry(entry)

    @Slot()
    def _went(self) -> None:
        self.left.emit()
        self._follow()

    @Slot()
    def _fit(self) -> None:
        step = self._theme.step
        beside = max(step(_NARROW), min(step(_WIDE), self._around.width() - step(_LEAST_PAGE)))
        self.list.setFixedWidth(beside if self._has_room else self._around.width())
        self._show_list()
