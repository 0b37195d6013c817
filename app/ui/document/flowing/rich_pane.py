"""A flowing document (DOCX, HTML, Markdown) with its layout and highlighted answers."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from PySide6.QtCore import QMimeData, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QWidget

from app.core.layout import Opened
from app.core.text import Span
from app.ui.document.flowing.rich_page import RichPage
from app.ui.document.flowing.rich_places import shown
from app.ui.document.marks.desk import draw_edge
from app.ui.document.marks.heat import edges_of, over_height
from app.ui.document.marks.highlights import HighlightRange, Highlights
from app.ui.document.marks.offsets import text_at
from app.ui.document.marks.word_search import ViewState, after, at_once, count_words, seek_words
from app.ui.kit.dropped import copied_files, dropped_files, take_files_only
from app.ui.kit.theme import Theme

# A highlighted place is scrolled to have this share of the view above it.
_ABOVE = 0.3
_KEY, _MOVE = QKeySequence.StandardKey, QTextCursor.MoveOperation
_SELECTING = {
    _KEY.SelectNextChar: _MOVE.NextCharacter, _KEY.SelectPreviousChar: _MOVE.PreviousCharacter,
    _KEY.SelectNextWord: _MOVE.NextWord, _KEY.SelectPreviousWord: _MOVE.PreviousWord,
    _KEY.SelectNextLine: _MOVE.Down, _KEY.SelectPreviousLine: _MOVE.Up,
    _KEY.SelectStartOfLine: _MOVE.StartOfLine, _KEY.SelectEndOfLine: _MOVE.EndOfLine,
    _KEY.SelectStartOfDocument: _MOVE.Start, _KEY.SelectEndOfDocument: _MOVE.End,
}  # fmt: skip


def selecting(event: QKeyEvent) -> QTextCursor.MoveOperation | None:
    """The move of a selection's end by a key; None for any other key."""
    return next((move for key, move in _SELECTING.items() if event.matches(key)), None)


class RichPane(RichPage):
    """A page of headings, paragraphs, lists and tables that can be read and selected; a Pane.

    Nothing is ever loaded: the page is built only of words, and its links lead nowhere. `files_dropped` carries
    paths; `light_chosen` the index of a highlighted place that was clicked, in the text or on the scroll bar;
    `resized` is sent when the page's size has changed; `copy_asked` on Ctrl+C while nothing is selected.
    """

    files_dropped = Signal(list)
    light_chosen = Signal(int)
    resized = Signal()
    copy_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._answer_places: list[tuple[Span, str]] = []
        self._heat: tuple[float, ...] = ()
        self.lights = Highlights(theme)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setTabChangesFocus(True)
        self.setAcceptDrops(True)
        self.setAccessibleName("Document")
        self.map.mark_clicked.connect(self.light_chosen)
        self.map.place_clicked.connect(self._go_to_share)
        self.grown.connect(self._update_map)
        theme.changed.connect(self._restyle)

    def show_document(self, opened: Opened) -> None:
        """Show another document from its top, without highlights."""
        self._answer_places, self._heat = [], ()
        self.lights.clear()
        self.begin(opened)
        self._update_map()

    def text(self) -> str:
        """The document's text."""
        return self._opened.document.text

    def light(
        self, places: Sequence[tuple[Span, str]], chosen: int = 0, *, faint: bool = False
    ) -> list[bool]:
        """Highlight places of `text()`, the chosen one stronger; returns for each whether it is shown.

        Each comes with its words: a place where the page has other words is not highlighted. With `faint` the chosen
        one is pale, with dashes under it.
        """
        self._answer_places = list(places)
        self.build_to(max((span.end for span, _ in places), default=0))
        self.lights.places = [
            HighlightRange(*self._places.span_to_qt(span), self._has_words(span, words))
            for span, words in places
        ]
        self.lights.faint = faint
        self.choose(chosen)
        return [light.shown for light in self.lights.places]

    def why_not(self, index: int) -> str:
        """Why a place is not highlighted, in a sentence for the user; empty for one that is."""
        unlit = 0 <= index < len(self.lights.places) and self.lights.get(index) is None
        return "The page does not show exactly these words, so nothing is marked." if unlit else ""

    def choose(self, index: int) -> None:
        """Choose which highlighted place is the strong one."""
        self.lights.chosen = index
        self._update_map()
        self.viewport().update()

    def lit(self) -> list[str]:
        """The highlighted words, read from the page, in the order given; blocks are separated by LF."""
        places = self.lights.places
        return [text_at(self.document(), light.start, light.end) for light in places if light.shown]

    def clear_highlights(self) -> None:
        """Remove all highlights."""
        self._answer_places = []
        self.lights.clear()
        self._update_map()
        self.viewport().update()

    def reveal(self, index: int) -> None:
        """Scroll a highlighted place into view, with some lines above it, unless it can be seen well already."""
        light = self.lights.get(index)
        if light is not None:
            self.bring_into_view(light.start, _ABOVE)
            self.note_position()

    def set_heat(self, heat: Sequence[float]) -> None:
        """Show the heat of answers in the map: `Reading.heat` of this document, or empty."""
        self._heat = tuple(heat)
        self._update_map()

    def note_position(self) -> None:
        """Note the scroll position, for `moved_by_user`."""
        self._moved = False

    def moved_by_user(self) -> bool:
        """Whether the page was scrolled since `note_position` or `reveal`, other than by them."""
        return self._moved

    def go_to_words(self, words: str, backwards: bool = False) -> bool:
        """Select the next match of these words, cyclically; False if there is none."""
        return at_once(self.seek(words, backwards))

    def seek(
        self, words: str, backwards: bool = False, since: ViewState | None = None
    ) -> Generator[None, None, bool]:
        """The same in short turns, from the cursor, or from the state `since` at the start of a search."""
        while self.build_on():
            yield
        start = after(self.textCursor(), backwards) if since is None else since.start
        found = yield from seek_words(self.document(), shown(words), start, backwards)
        if found is None:
            return False
        value = self.map.value()
        self.setTextCursor(found)
        self.map.setValue(value)
        self.bring_into_view(found.selectionStart(), _ABOVE)
        self._moved = True
        return True

    def count_places(self, words: str) -> Generator[None, None, tuple[int, int]]:
        """The number of the selected match of these words, 0 for none, and of all."""
        return count_words(self.document(), shown(words), self.textCursor().selectionStart())

    def selected_words(self) -> str:
        """The selected words, as in the document's text; empty without a selection."""
        cursor = self.textCursor()
        if not cursor.hasSelection():
            return ""
        start, end = (
            self._places.to_point(place) for place in (cursor.selectionStart(), cursor.selectionEnd())
        )
        return self.text()[start:end]

    def is_empty(self) -> bool:
        """Whether there is no text."""
        return not self.text().strip()

    def top(self) -> int:
        """The code point at the top of the view."""
        return self._places.to_point(self.top_position())

    def go_to(self, point: int) -> None:
        """Scroll a code point to the top of the view."""
        self.build_to(point)
        self.put_line(self._places.to_qt(point), 0.0)

    def light_boxes(self, index: int) -> list[QRectF]:
        """The boxes of a highlighted place, in the viewport's pixels; only of visible ones."""
        return self.lights.boxes(index, self.visible_blocks())

    def createMimeDataFromSelection(self) -> QMimeData:
        # Created by Qt: the clipboard deletes it after Python has ended, which an object of Python's does not survive.
        data = super().createMimeDataFromSelection()
        data.text()  # it fills itself at the first access
        data.clear()
        data.setText(self.selected_words())
        return data

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        take_files_only(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        take_files_only(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if files := dropped_files(event):
            self.files_dropped.emit(files)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(_KEY.Copy) and not self.textCursor().hasSelection():
            self.copy_asked.emit()
        elif event.matches(_KEY.Paste):
            if files := copied_files():
                self.files_dropped.emit(files)
        elif event.matches(_KEY.MoveToStartOfDocument):
            self.map.setValue(0)
        elif event.matches(_KEY.MoveToEndOfDocument):
            self.build_all()
            self.map.setValue(self.map.maximum())
        elif move := selecting(event):
            self.build_all()
            self.moveCursor(move, QTextCursor.MoveMode.KeepAnchor)
        else:
            if event.matches(_KEY.SelectAll):
                self.build_all()
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            index = self._light_at(event.position())
            if index >= 0:
                self.light_chosen.emit(index)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_map()
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        page = QRectF(self.viewport().rect())
        blocks = self.visible_blocks() if self.lights.places else []
        value, cursor = self.map.value(), self.textCursor()
        self._page.selected = (cursor.selectionStart(), cursor.selectionEnd())
        painter = QPainter(self.viewport())
        painter.fillRect(page, self._theme.colour("paper"))
        painter.translate(0, -value)
        self._page.draw_under(painter, value, value + page.height())
        painter.translate(0, value)
        self.lights.draw_grounds(painter, blocks)
        painter.end()
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        self.lights.draw_lines(painter, blocks)
        draw_edge(painter, self._theme, page, self.hasFocus())

    def _has_words(self, span: Span, words: str) -> bool:
        """Whether the page has exactly these words at a place: block by block, with only blanks between blocks."""
        if not words.strip() or len(span) != len(words):
            return False
        at = span.start
        for start, end, part in self._places.parts_of(span):
            between = words[at - span.start : part.start - span.start]
            expected = words[part.start - span.start : part.end - span.start].replace("\ufeff", "\u2060")
            if between.strip() or text_at(self.document(), start, end) != expected:
                return False
            at = part.end
        return not words[at - span.start :].strip()

    def _light_at(self, place: QPointF) -> int:
        for index in range(len(self.lights.places)):
            if any(box.adjusted(-1, -1, 1, 3).contains(place) for box in self.light_boxes(index)):
                return index
        return -1

    @Slot(float)
    def _go_to_share(self, share: float) -> None:
        self.put_share(share, _ABOVE)

    @Slot()
    def _update_map(self) -> None:
        self.map.set_marks(self.lights.marks(self._page.share_of), self.lights.chosen)
        if self._heat:
            points = edges_of(len(self._heat), len(self.text()))
            shares = [self._page.share_of(self._places.to_qt(point)) for point in points]
            self.map.set_heat(over_height(self._heat, [*shares[:-1], 1.0]))
        else:
            self.map.set_heat(())

    @Slot()
    def _restyle(self) -> None:
        """Rebuild the page with the theme's fonts and colours; the view, highlights and selection stay."""
        if not self.text():
            return
        place, moved = self.reading_place(), self._moved
        top = self._places.to_point(place[0])
        cursor = self.textCursor()
        anchor, position = cursor.anchor(), cursor.position()
        selected = self._places.to_point(cursor.selectionEnd())
        places, chosen, faint = self._answer_places, self.lights.chosen, self.lights.faint
        self._rebuild()
        if places:
            self.light(places, chosen, faint=faint)
        if anchor != position:
            self.build_to(selected + 1)
            self._select(anchor, position)
        self.build_to(top + 1)
        self.put_line(*place)
        self._moved = moved

    def _select(self, anchor: int, position: int) -> None:
        value = self.map.value()
        cursor = self.textCursor()
        cursor.setPosition(anchor)
        cursor.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.map.setValue(value)
