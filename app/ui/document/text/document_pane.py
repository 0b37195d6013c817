"""The document as a page that can be edited, with highlighted answers."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from PySide6.QtCore import QMimeData, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QWidget

from app.core.positions import Offsets, utf16_units
from app.core.text import Span
from app.ui.document.marks.desk import draw_edge, measure_of, page_fit
from app.ui.document.marks.heat import edges_of, over_height
from app.ui.document.marks.highlights import Highlights
from app.ui.document.marks.offsets import document_text, insertable, text_at
from app.ui.document.marks.word_search import ViewState
from app.ui.document.text.filling import PIECE, Filling, piece_end
from app.ui.document.text.long_lines import broken
from app.ui.document.text.plain_page import PlainPage
from app.ui.kit.dropped import local_files
from app.ui.kit.theme import Theme

# A highlighted place is scrolled to have this share of the view above it.
_ABOVE = 0.3
# Milliseconds between updates of the map while paragraphs are laid out, each of which moves all places.
_MAP_MS = 50


class DocumentPane(PlainPage):
    """An editable page of text of a comfortable width, with highlighted answers.

    `edited` is sent after every change of the text; `files_dropped` carries paths; `light_chosen` the index of a
    highlighted place that was clicked, in the text or on the scroll bar; `lines_broken` is sent when a new text
    had lines too long to be shown unbroken, with whether a line end was added to one that has no blank; `resized`
    when the page's size has changed; `copy_asked` on Ctrl+C while nothing is selected.
    """

    edited = Signal()
    files_dropped = Signal(list)
    light_chosen = Signal(int)
    lines_broken = Signal(bool)
    resized = Signal()
    copy_asked = Signal()

    # A line's height in heights of its letters.
    SPACING = 1.6

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._text: str | None = ""
        self._offsets: Offsets | None = None
        self._restyling = False
        self._top = (0, 0)
        self._heat: tuple[float, ...] = ()
        self._measure = 0.0
        self._filling = Filling(self)
        self._filling.filled.connect(self._update_map)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_MAP_MS)
        self._later.timeout.connect(self._update_map)
        self.lights = self._make_lights()
        self.setTabChangesFocus(True)
        self.setAccessibleName("Document")
        self.setPlaceholderText("Type or paste a text here")
        self.map.mark_clicked.connect(self.light_chosen)
        self.map.place_clicked.connect(self._go_to_share)
        self.document().contentsChange.connect(self._changed)
        self._page.documentSizeChanged.connect(self._map_later)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_text(self, text: str) -> None:
        """Replace the text; the rest of a long one is put on the page a little later."""
        text = insertable(text)
        shown, breaks = broken(text)
        self._filling.drop()
        first = piece_end(shown, 0, PIECE)
        self._restyling = True  # `edited` is sent once, below, when the whole text is known
        self.setPlainText(shown[:first])
        self._restyling = False
        self._text = None
        if first < len(shown):
            self._text = shown
            self._filling.begin(self.document(), shown, first)
        self._text_changed()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self._measure = measure_of(shown, self.document().defaultFont())
        self._fit()
        if breaks:
            self.lines_broken.emit(len(shown) > len(text))

    def text(self) -> str:
        """The text on the page, which `Document.text` is to be for a question."""
        if self._text is None:
            self._filling.at_once()
            self._text = document_text(self.document())
        return self._text

    def light(
        self, places: Sequence[tuple[Span, str]], chosen: int = 0, *, faint: bool = False
    ) -> list[bool]:
        """Highlight places of `text()`, the chosen one stronger; returns for each whether it is shown.

        Each comes with its words: a place where the page has other words is not highlighted. With `faint` the chosen
        one is pale, with dashes under it.
        """
        self._filling.at_once()
        shown = self.lights.take(self.document(), self._positions(), places)
        self.lights.faint = faint
        self.choose(chosen)
        return shown

    def why_not(self, index: int) -> str:
        """Why a place is not highlighted, in a sentence for the user; empty for one that is."""
        unlit = 0 <= index < len(self.lights.places) and self.lights.get(index) is None
        return "The text says something else at this place by now." if unlit else ""

    def choose(self, index: int) -> None:
        """Choose which highlighted place is the strong one."""
        self.lights.chosen = index
        self._update_marks()
        self.viewport().update()

    def lit(self) -> list[str]:
        """The highlighted words, read from the page, in the order they were given."""
        places = self.lights.places
        return [text_at(self.document(), light.start, light.end) for light in places if light.shown]

    def clear_highlights(self) -> None:
        """Remove all highlights."""
        self.lights.clear()
        self._update_marks()
        self.viewport().update()

    def set_heat(self, heat: Sequence[float]) -> None:
        """Show the heat of answers in the map: `Reading.heat` of this text, or empty."""
        if tuple(heat) != self._heat:
            self._heat = tuple(heat)
            self._update_heat()

    def reveal(self, index: int) -> None:
        """Scroll a highlighted place into view, with some lines above it, unless it can be seen well already."""
        light = self.lights.get(index)
        if light is None:
            return
        self.bring_into_view(light.start, _ABOVE)
        self.note_position()

    def note_position(self) -> None:
        """Note the scroll position, for `moved_by_user`."""
        self._top = self._first_line()

    def moved_by_user(self) -> bool:
        """Whether the page was scrolled since `note_position` or `reveal`, other than by them."""
        return self._first_line() != self._top

    def units(self) -> int:
        """The number of UTF-16 units of the text, with the part that is not on the page yet."""
        return self.document().characterCount() - 1 if self._text is None else utf16_units(self._text)

    def is_empty(self) -> bool:
        """Whether there is no text."""
        return self.document().isEmpty()

    def top(self) -> int:
        """The code point at the top of the view."""
        return self._positions().to_point(self.top_position())

    def go_to(self, point: int) -> None:
        """Scroll a code point to the top of the view."""
        self._filling.at_once()
        self.put_at_top(self._positions().to_qt(min(point, len(self.text()))))

    def light_boxes(self, index: int) -> list[QRectF]:
        """The boxes of a highlighted place, in the viewport's pixels; only in paragraphs that can be seen."""
        return self.lights.boxes(index, list(self.visible_blocks()))

    def seek(
        self, words: str, backwards: bool = False, since: ViewState | None = None
    ) -> Generator[None, None, bool]:
        while self._filling.go_on():
            yield
        return (yield from super().seek(words, backwards, since))

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return bool(local_files(source)) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self._filling.at_once()
        if files := local_files(source):
            self.files_dropped.emit(files)
        elif source.hasText():
            text = insertable(source.text())
            shown, breaks = broken(text)
            self.textCursor().insertText(shown)
            self.ensureCursorVisible()
            if breaks:
                self.lines_broken.emit(len(shown) > len(text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        super().resizeEvent(event)
        self._update_map()
        self.resized.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._filling.at_once()
        if event.matches(QKeySequence.StandardKey.Copy) and not self.textCursor().hasSelection():
            self.copy_asked.emit()
            return
        super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            clicked = self.on_line(event).position().toPoint()
            index = self.lights.at(self.cursorForPosition(clicked).position())
            if index >= 0:
                self.light_chosen.emit(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        page = QRectF(self.viewport().rect())
        blocks = list(self.visible_blocks()) if self.lights.places else []
        painter = QPainter(self.viewport())
        painter.fillRect(page, self._theme.colour("paper"))
        self.lights.draw_grounds(painter, blocks)
        painter.end()
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        self.lights.draw_lines(painter, blocks)
        draw_edge(painter, self._theme, page, self.hasFocus())

    @Slot(int, int, int)
    def _changed(self, at: int, removed: int, added: int) -> None:
        if self._restyling or self._filling.at_work:
            return
        before = self._text if removed == added else None
        self._text = None
        # Qt reports the composing of a letter and changes of format as changes of equal length.
        if before is not None and self.text() == before:
            return
        self._text_changed()

    def _text_changed(self) -> None:
        """Drop what belongs to the former text, and send `edited`."""
        self._offsets, self._heat = None, ()
        self.lights.clear()
        self._update_map()
        self.edited.emit()

    @Slot()
    def _map_later(self) -> None:
        if not self._later.isActive():
            self._later.start()

    @Slot()
    def _update_map(self) -> None:
        self._update_marks()
        self._update_heat()

    def _update_marks(self) -> None:
        self.map.set_marks(self.lights.marks(self._page.share_of), self.lights.chosen)

    def _update_heat(self) -> None:
        if self._heat:
            points = edges_of(len(self._heat), len(self.text()))
            shares = [self._page.share_of(self._positions().to_qt(point)) for point in points]
            self.map.set_heat(over_height(self._heat, shares))
        else:
            self.map.set_heat(())

    @Slot(float)
    def _go_to_share(self, share: float) -> None:
        self.put_share(share, _ABOVE)

    def _make_lights(self) -> Highlights:
        """Create the highlights."""
        return Highlights(self._theme)

    def _first_line(self) -> tuple[int, int]:
        """The paragraph at the top of the view, and the number of its line there.

        The map's value is not used: it grows with every paragraph further up that is laid out again.
        """
        block = self.firstVisibleBlock()
        return block.blockNumber(), self.map.value() - block.firstLineNumber()

    def _positions(self) -> Offsets:
        if self._offsets is None:
            self._offsets = Offsets(self.text())
        return self._offsets

    def _fit(self) -> None:
        """Set the page's width to a comfortable line, centred on the desk."""
        margin, aside = page_fit(self._theme, self._measure, self.width() - self.map.sizeHint().width())
        if self.document().documentMargin() != margin:
            self._restyling = True
            self.document().setDocumentMargin(margin)
            self._restyling = False
        self.setViewportMargins(aside, self._theme.step(5), aside, 0)

    @Slot()
    def _restyle(self) -> None:
        font = self._theme.font("document")
        self._restyling = True
        self._page.leading = max(0.0, round(font.pixelSize() * self.SPACING) - QFontMetricsF(font).height())
        self.setFont(font)
        self.document().setDefaultFont(font)
        self._restyling = False
        self._measure = measure_of(self.text(), font)
        self._fit()
        self.viewport().update()
