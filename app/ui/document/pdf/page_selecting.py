"""Pages on the desk whose words can be selected with the mouse, and copied."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QElapsedTimer, QPointF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QClipboard,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.core.layout import Kind, Opened
from app.core.page_runs import Box
from app.core.text import Document, Span
from app.ui.document.pdf.page_desk import PageDesk
from app.ui.document.pdf.page_marks import Pixels, multiply, region
from app.ui.document.pdf.page_points import over_text
from app.ui.document.pdf.page_selection import PageSelection
from app.ui.document.pdf.page_stack import Rect, Spot
from app.ui.kit.theme import Theme

_DRAG_MS = 25


class SelectablePages(PageDesk):
    """The pages of an opened document, with a selection of its text; positions are code points of that.

    `copy_asked` is sent on Ctrl+C while nothing is selected.
    """

    copy_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._opened = Opened(Document(""), Kind.PDF)
        self._selection = PageSelection(self._opened)
        self._since_double = QElapsedTimer()
        self._pressed = QPointF()
        self._mouse: QPointF | None = None
        self._drag = QTimer(self)
        self._drag.setInterval(_DRAG_MS)
        self._drag.timeout.connect(self._scroll_on)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_document(self, opened: Opened) -> None:
        """Show a document with pages from its beginning, with nothing selected."""
        self._opened = opened
        self._selection = PageSelection(opened)
        pages = opened.pages
        self.show_pages([(page.width, page.height) for page in pages], [page.label for page in pages])

    def selected_words(self) -> str:
        """The selected words, empty without a selection."""
        return self._selection.words()

    @Slot()
    def copy(self) -> None:
        """Copy the selection; without one, send `copy_asked`."""
        if words := self.selected_words():
            QGuiApplication.clipboard().setText(words)
        else:
            self.copy_asked.emit()

    @Slot()
    def select_all(self) -> None:
        """Select the whole text."""
        self._selection.select(Span(0, len(self._opened.document.text)))
        self.viewport().update()

    def clicked(self, spot: Spot) -> None:
        """React to a click on a place of a page."""

    def can_be_clicked(self, spot: Spot) -> bool:
        """Whether a click on a place of a page has an effect."""
        return False

    def draw_over(self, painter: QPainter, page: int, view: Rect, ratio: float) -> None:
        boxes = self._selection.boxes(page)
        if boxes:
            place = partial(self.pixels_of, page, view)
            marked = region([place(box) for box in boxes], ratio, around=0.0)
            multiply(painter, marked, self._theme.colour("print_selection"))

    def pixels_of(self, page: int, view: Rect, box: Box) -> Pixels:
        """Left, top, right and bottom of a page's box in the screen's pixels, from the view's corner."""
        left, top, right, bottom = self._stack.box(page, box)
        return left - view.left, top - view.top, right - view.left, bottom - view.top

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys, bar = QKeySequence.StandardKey, self.map
        if event.matches(keys.Copy):
            self.copy()
        elif event.matches(keys.SelectAll):
            self.select_all()
        elif event.key() == Qt.Key.Key_Home:
            bar.setValue(bar.minimum())
        elif event.key() == Qt.Key.Key_End:
            bar.setValue(bar.maximum())
        elif event.key() == Qt.Key.Key_Space:
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            step = bar.SliderAction.SliderPageStepSub if back else bar.SliderAction.SliderPageStepAdd
            bar.triggerAction(step)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self._opened.pages:
            super().mousePressEvent(event)
            return
        self._pressed = event.position()
        spot = self.spot_at(event.position())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._selection.extend(spot)
        else:
            self._selection.begin(spot, 3 if self._third_click() else 1)
        self.viewport().update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._opened.pages:
            self._since_double.start()
            self._pressed = event.position()
            self._selection.begin(self.spot_at(event.position()), 2)
            self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        if event.buttons() & Qt.MouseButton.LeftButton and self._opened.pages:
            self._mouse = place
            moved = (place - self._pressed).manhattanLength() * 2 >= QApplication.startDragDistance()
            if moved or self._selection.span:
                self._selection.extend(self.spot_at(place))
                self.viewport().update()
            outside = not self.viewport().rect().contains(place.toPoint())
            if outside != self._drag.isActive():
                (self._drag.start if outside else self._drag.stop)()
        elif not event.buttons():
            self.viewport().setCursor(self._cursor_at(place))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag.stop()
        self._mouse = None
        if event.button() != Qt.MouseButton.LeftButton or not self._opened.pages:
            return
        if words := self.selected_words():
            clipboard = QGuiApplication.clipboard()
            if clipboard.supportsSelection():
                clipboard.setText(words, QClipboard.Mode.Selection)
        else:
            self.clicked(self.spot_at(event.position()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction("Copy", self.copy)
        copy.setEnabled(bool(self._selection.span))
        menu.addAction("Select all", self.select_all)
        menu.popup(event.globalPos())

    def _third_click(self) -> bool:
        """Whether this press follows upon a double click."""
        soon = QApplication.doubleClickInterval()
        third = self._since_double.isValid() and not self._since_double.hasExpired(soon)
        self._since_double.invalidate()
        return third

    def _cursor_at(self, place: QPointF) -> Qt.CursorShape:
        if not self._opened.pages:
            return Qt.CursorShape.ArrowCursor
        spot = self.spot_at(place)
        if self.can_be_clicked(spot):
            return Qt.CursorShape.PointingHandCursor
        page = self._opened.pages[spot.page]
        inside = 0 <= spot.x <= page.width and 0 <= spot.y <= page.height
        text = inside and over_text(page, spot.x, spot.y)
        return Qt.CursorShape.IBeamCursor if text else Qt.CursorShape.ArrowCursor

    @Slot()
    def _scroll_on(self) -> None:
        """Scroll while the mouse button is held outside the view, faster the further out it is."""
        if self._mouse is None:
            return
        port, bar, sideways = self.viewport(), self.map, self.horizontalScrollBar()
        x = min(0.0, self._mouse.x()) + max(0.0, self._mouse.x() - port.width())
        y = min(0.0, self._mouse.y()) + max(0.0, self._mouse.y() - port.height())
        sideways.setValue(sideways.value() + round(x / 3))
        bar.setValue(bar.value() + round(y / 3))
        self._selection.extend(self.spot_at(self._mouse))
        port.update()
