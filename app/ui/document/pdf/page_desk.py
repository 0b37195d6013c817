"""Pages on the desk: scrolled, zoomed, and drawn from pictures that are requested as they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from statistics import median

from PySide6.QtCore import (
    QEvent,
    QPointF,
    QPropertyAnimation,
    QRect,
    QRectF,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QHideEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QFrame,
    QGesture,
    QGestureEvent,
    QGraphicsOpacityEffect,
    QPinchGesture,
    QWidget,
)

from app.core.layout import Picture
from app.ui.document.marks.answer_map import AnswerMap
from app.ui.document.pane import FIT_PAGE, FIT_WIDTH
from app.ui.document.pdf.page_stack import PageStack, Spot
from app.ui.document.pdf.page_tiles import (
    Tile,
    TileShelf,
    draw_desk,
    draw_page,
    in_pixels,
    wanted_tiles,
)
from app.ui.kit.parts import Label
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr

_BUDGET = 96 << 20
_SCROLL_MS, _ZOOM_MS = 15, 90
# Pixels per point at a page's size on paper: 96 pixels and 72 points to an inch.
ACTUAL = 96 / 72
LEAST, MOST = 0.1, 8.0
# The largest zoom that pages are fitted to the width with: wider lines are harder to read.
_WIDEST = 1.25
_STEPS = (0.1, 0.25, 0.33, 0.5, 0.67, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
_WHEEL = 1.1
_LEAST_PINCH = 0.2
_SHOWN_MS, _FADE_MS = 900, 220


class PageHint(Label):
    """A small pill that shows "page 22 of 71" while the pages move, and then fades."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__()
        self.setParent(parent)
        self._theme, self._room = theme, parent
        mark(self, kind="pill", type="small", ink="quiet")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._strength = QGraphicsOpacityEffect(self)
        self.setGraphicsEffect(self._strength)
        self._rest = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._rest.timeout.connect(self._fade_out)
        self._fade = QPropertyAnimation(self._strength, b"opacity", self)
        self._fade.setDuration(_FADE_MS)
        self._fade.setEndValue(0.0)
        self._fade.finished.connect(self.hide)
        self.hide()

    def show_words(self, words: str) -> None:
        """Show a text for a moment."""
        self._fade.stop()
        self._strength.setOpacity(1.0)
        self._rest.start()
        self.setText(words)
        self.place()
        self.show()

    def place(self) -> None:
        """Move to the lower right corner of the pages."""
        room, away = self._room, self._theme.step(4)
        self.adjustSize()
        self.move(room.width() - self.width() - away, room.height() - self.height() - away)

    @Slot()
    def _fade_out(self) -> None:
        if self._theme.moves:
            self._fade.start()
        else:
            self.hide()


def fit_width_zoom(sizes: Sequence[tuple[float, float]], room: float, text_scale: float) -> float:
    """Return the zoom at which most pages fill a width in pixels, within readable bounds; 1 is the size on paper."""
    usual = median(width for width, _ in sizes) if sizes else 1.0
    return min(max(room / (max(1.0, usual) * ACTUAL), LEAST), _WIDEST * max(1.0, text_scale))


def fit_page_zoom(sizes: Sequence[tuple[float, float]], width: float, height: float) -> float:
    """Return the zoom at which most pages are seen whole in this many pixels; 1 is the size on paper."""
    across, down = (median(sides) for sides in zip(*sizes, strict=True)) if sizes else (1.0, 1.0)
    return max(LEAST, min(width / (max(1.0, across) * ACTUAL), height / (max(1.0, down) * ACTUAL)))


def stepped(zoom: float, up: bool) -> float:
    """Return the next of the usual zooms above or below a zoom."""
    if up:
        return next((step for step in _STEPS if step > zoom * 1.01), MOST)
    return next((step for step in reversed(_STEPS) if step < zoom * 0.99), LEAST)


def zoom_of(event: QEvent) -> tuple[float, QPointF] | None:
    """Return the zoom factor of an event, and the point of its widget to zoom around; None for any other event.

    Ctrl and the wheel zoom, and two fingers moved apart or together on a trackpad or a touch screen.
    """
    if isinstance(event, QWheelEvent) and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        return float(_WHEEL ** (event.angleDelta().y() / 120)), event.position()
    if isinstance(event, QNativeGestureEvent):
        if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            return max(_LEAST_PINCH, 1.0 + event.value()), event.position()
        return None
    if isinstance(event, QGestureEvent):
        pinch: QGesture | None = event.gesture(Qt.GestureType.PinchGesture)
        if isinstance(pinch, QPinchGesture) and pinch.scaleFactor() > 0:
            event.accept(pinch)
            return pinch.scaleFactor(), QPointF(event.widget().mapFromGlobal(pinch.centerPoint().toPoint()))
    return None


class PageDesk(QAbstractScrollArea):
    """Pages in one column, as a base of the pane, whose theme and answer map it uses. Page sizes are in points.

    `pictures_wanted` carries the tiles to draw, the most important first, as (page, scale, left, top, width, height):
    the page from 0, pixels per point, and the part of the page drawn at that scale, in pixels. It is sent again after
    every change, and replaces the request before. `page_changed` carries the visible page, from 1, `zoomed` the zoom
    as `zoom` returns it.
    """

    pictures_wanted = Signal(list)
    page_changed = Signal(int)
    zoomed = Signal(float)

    _theme: Theme
    map: AnswerMap

    def __init__(self) -> None:
        super().__init__()
        self._sizes: Sequence[tuple[float, float]] = ()
        self._labels: Sequence[str] = ()
        self._undrawn: set[int] = set()
        self._zoom = 0.0
        self._ratio = 1.0
        self._page = 1
        self._downwards = True
        self._arranging = False
        self._place: Spot | None = None
        self._wanted: list[Tile] = []
        self._stack = PageStack((), 1.0)
        self._shelf = TileShelf(_BUDGET)
        self._request_timer = QTimer(self, singleShot=True)
        self._request_timer.timeout.connect(self._request_pictures)
        self.hint = PageHint(self._theme, self.viewport())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().setMouseTracking(True)
        self.viewport().grabGesture(Qt.GestureType.PinchGesture)

    def show_pages(self, sizes: Sequence[tuple[float, float]], labels: Sequence[str]) -> None:
        """Show pages of these sizes, scrolled to the first; `labels` are their printed numbers, where they have any."""
        self._sizes, self._labels = sizes, labels
        self._undrawn.clear()
        self._shelf.clear()
        self._place = None
        self.map.setValue(0)
        self._arrange()
        self.hint.hide()

    def take_picture(self, page: int, scale: float, left: int, top: int, picture: Picture) -> None:
        """Store a requested picture; raises ValueError where its bytes do not match its size."""
        self._shelf.put(Tile(page, scale, left, top, picture.width, picture.height), picture)
        self.viewport().update()
        self._request_pictures()

    def cannot_draw(self, page: int) -> None:
        """Note that a page cannot be drawn: it stays white with a message, and is not requested again."""
        self._undrawn.add(page)
        self.viewport().update()
        self._request_pictures()

    def zoom(self) -> float:
        """Return the zoom, 1 for the size on paper; FIT_WIDTH or FIT_PAGE while the pages are fitted to the view."""
        return self._zoom

    def set_zoom(self, zoom: float, around: QPointF | None = None) -> None:
        """Show the pages at a zoom, or fitted.

        The point `around` stays in place, by default the top of the view; with FIT_PAGE the visible page does.
        """
        zoom = min(max(zoom, LEAST), MOST) if zoom > 0 else FIT_PAGE if zoom < 0 else FIT_WIDTH
        if zoom == self._zoom or not self._sizes:
            self._zoom = zoom
            return
        self._zoom, page = zoom, self._page
        self._arrange(around)
        if zoom == FIT_PAGE:
            self.go_to_page(page)
        self.zoomed.emit(zoom)

    def shown_zoom(self) -> float:
        """Return the present zoom, fitted or not; 1 is the size on paper."""
        return self._stack.scale / self._ratio / ACTUAL

    def zoom_by(self, by: int) -> None:
        """Make the pages larger (1) or smaller (-1) by a step, or fit them to the width (0)."""
        self.set_zoom(stepped(self.shown_zoom(), up=by > 0) if by else FIT_WIDTH)

    def page(self) -> int:
        """Return the visible page, from 1."""
        return self._page

    def go_to_page(self, number: int) -> None:
        """Scroll a page, from 1, to the top of the view."""
        x = self.place_of(Spot(number - 1, 0.0, 0.0)).x()
        self.scroll_to(Spot(number - 1, 0.0, 0.0), QPointF(x, self._theme.step(5)))

    def view(self) -> QRect:
        """Return the visible part of the column of pages, in the screen's pixels."""
        ratio, port = self._ratio, self.viewport()
        left, top = self.horizontalScrollBar().value(), self.map.value()
        return QRect(
            round(left * ratio), round(top * ratio), ceil(port.width() * ratio), ceil(port.height() * ratio)
        )

    def spot_at(self, place: QPointF) -> Spot:
        """Return the spot on the nearest page at a point of the viewport."""
        view = self.view()
        return self._stack.spot(view.x() + place.x() * self._ratio, view.y() + place.y() * self._ratio)

    def place_of(self, spot: Spot) -> QPointF:
        """Return the point of the viewport at a spot on a page."""
        view = self.view()
        x, y = self._stack.pixels(spot)
        return QPointF((x - view.x()) / self._ratio, (y - view.y()) / self._ratio)

    def scroll_to(self, spot: Spot, place: QPointF) -> None:
        """Scroll a spot on a page to a point of the viewport, as near as the ends of the column allow."""
        x, y = self._stack.pixels(spot)
        self.horizontalScrollBar().setValue(round(x / self._ratio - place.x()))
        self.map.setValue(round(y / self._ratio - place.y()))

    def draw_over(self, painter: QPainter, page: int, view: QRect, ratio: float) -> None:
        """Draw over a page's picture, in the screen's pixels from the corner of the view."""

    def page_note(self, page: int) -> str:
        """Return a note to show above a page, from 0; empty for none."""
        return ""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
        self.hint.place()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._arrange()
        return super().event(event)

    def viewportEvent(self, event: QEvent) -> bool:
        zoom = zoom_of(event)
        if zoom is not None:
            factor, around = zoom
            self.set_zoom(self.shown_zoom() * factor, around)
            event.accept()
            return True
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        # Wheel events beside the viewport arrive here, too: with Ctrl they must not scroll.
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._request_timer.start(0)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._request_timer.stop()
        self.hint.hide()
        seen, _ = wanted_tiles(self._stack, self.view(), self._downwards, self._shelf.budget)
        self._shelf.keep(seen)
        self._want([])

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if self._arranging:
            return
        self._place = self.spot_at(QPointF(self.viewport().width() / 2, 0))
        self.viewport().update()
        if dy:
            self._downwards = dy < 0
            self._note_page()
            if len(self._stack) > 1:
                self.hint.show_words(self._page_text())
        self._request_soon(_SCROLL_MS)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.save()
        in_pixels(painter, self._ratio)
        view, line = self.view(), max(1, round(self._ratio))
        colour, stack = self._theme.colour, self._stack
        draw_desk(painter, stack, view, colour("desk"))
        for page in stack.in_view(view):
            # The border of the page.
            edge = stack.rect(page).translated(-view.topLeft()).adjusted(-line, -line, line, line)
            painter.fillRect(edge, colour("line"))
            draw_page(painter, stack, self._shelf, page, view, colour("print_shade"))
            self.draw_over(painter, page, view, self._ratio)
        painter.restore()
        for page in stack.in_view(view.adjusted(0, 0, 0, round(self._theme.step(5) * self._ratio))):
            if note := self.page_note(page):
                self._draw_note(painter, page, note)
        for page in self._undrawn:
            self._draw_fault(painter, page)
        if self.hasFocus():
            # A line as wide as the page, as on a text's page.
            rect = self._stack.rect(self._page - 1) if self._sizes else view
            left, width = round((rect.x() - view.x()) / self._ratio), round(rect.width() / self._ratio)
            painter.fillRect(QRect(left, 0, width, 2), self._theme.colour("focus"))

    def _arrange(self, around: QPointF | None = None) -> None:
        """Arrange the pages again, and keep what is read in its place."""
        port, theme = self.viewport(), self._theme
        at = around if around is not None else QPointF(port.width() / 2, 0)
        place = self.spot_at(around) if around is not None and self._sizes else self._place
        at_top = self.map.value() == 0
        self._ratio = ratio = port.devicePixelRatioF()
        aside, gap = theme.step(3), theme.step(5)
        room = port.width() - 2 * aside
        if self._zoom > 0:
            zoom = self._zoom
        elif self._zoom == FIT_PAGE:
            zoom = fit_page_zoom(self._sizes, room, port.height() - 2 * gap)
        else:
            zoom = fit_width_zoom(self._sizes, room, theme.step(4) / 16)
        self._stack = PageStack(
            self._sizes, zoom * ACTUAL * ratio, round(gap * ratio), round(aside * ratio), round(port.width() * ratio)
        )  # fmt: skip
        self._arranging = True
        sideways = self.horizontalScrollBar()
        for bar, length, room in (
            (self.map, self._stack.height, port.height()),
            (sideways, self._stack.width, port.width()),
        ):
            bar.setRange(0, max(0, ceil(length / ratio) - room))
            bar.setPageStep(room)
            bar.setSingleStep(theme.step(10))
        if place is None:
            sideways.setValue(sideways.maximum() // 2)
        else:
            self.scroll_to(place, at)
        if at_top and around is None:
            self.map.setValue(0)
        self._arranging = False
        if around is not None:
            self._place = self.spot_at(QPointF(port.width() / 2, 0))
        self._note_page()
        port.update()
        self._request_timer.stop()
        self._request_soon(_ZOOM_MS)

    def _note_page(self) -> None:
        view = self.view()
        page = self._stack.page_at(view.y() + view.height() * 0.4) + 1
        if page != self._page:
            self._page = page
            self.page_changed.emit(page)

    def _page_text(self) -> str:
        label = self._labels[self._page - 1] if self._page <= len(self._labels) else ""
        count = len(self._stack)
        if label and label != str(self._page):
            return tr("page {label} ({number:,} of {total:,})", label=label, number=self._page, total=count)
        return tr("page {number:,} of {total:,}", number=self._page, total=count)

    def _draw_note(self, painter: QPainter, page: int, note: str) -> None:
        """Draw a note in the gap above a page."""
        corner, gap = self.place_of(Spot(page, 0, 0)), self._theme.step(5)
        width = self._stack.rect(page).width() / self._ratio
        painter.setPen(self._theme.colour("ink_quiet"))
        painter.setFont(self._theme.font("small"))
        place = QRectF(corner.x(), corner.y() - gap, width, gap)
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, note)

    def _draw_fault(self, painter: QPainter, page: int) -> None:
        rect = self._stack.rect(page)
        corner = self.place_of(Spot(page, 0, 0))
        paper = QRectF(corner.x(), corner.y(), rect.width() / self._ratio, rect.height() / self._ratio)
        painter.setPen(self._theme.colour("print_quiet"))
        painter.setFont(self._theme.font("ui"))
        painter.drawText(paper, Qt.AlignmentFlag.AlignCenter, tr("This page cannot be drawn."))

    def _request_soon(self, milliseconds: int) -> None:
        if not self._request_timer.isActive() and self.isVisible():
            self._request_timer.start(milliseconds)

    @Slot()
    def _request_pictures(self) -> None:
        if not self.isVisible():
            return
        seen, further = wanted_tiles(self._stack, self.view(), self._downwards, self._shelf.budget)
        self._shelf.see(reversed(seen + further))
        missing = [tile for tile in seen + further if tile not in self._shelf]
        self._want([tile for tile in missing if tile.page not in self._undrawn])

    def _want(self, wanted: list[Tile]) -> None:
        if wanted != self._wanted:
            self._wanted = wanted
            self.pictures_wanted.emit(list(wanted))
