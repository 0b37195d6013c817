"""A flowing document (DOCX, HTML, Markdown) with its layout and highlighted answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QMimeData, Qt, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QPainter, QTextCursor
from PySide6.QtWidgets import QWidget

from app.core.layout import Opened
from app.core.message import Message
from app.core.text import Span
from app.ui.document.flowing.rich_page import RichPage
from app.ui.document.marks.highlights import HighlightRange
from app.ui.document.marks.offsets import text_at
from app.ui.document.pane import ABOVE, PaperPane, ReadOnlyPane
from app.ui.kit.theme import Theme

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


class RichPane(ReadOnlyPane, PaperPane, RichPage):
    """A page of headings, paragraphs, lists and tables that can be read and selected.

    Nothing is ever loaded: the page is built only of words, and its links lead nowhere.
    """

    NOT_SHOWN = Message("The page does not show exactly these words, so nothing is marked.")

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._answer_places: list[tuple[Span, str]] = []
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setTabChangesFocus(True)
        self.grown.connect(self._update_map)
        theme.changed.connect(self._restyle)

    def show_document(self, opened: Opened) -> None:
        """Show another document from its top, without highlights."""
        self._answer_places, self._heat, self.found = [], (), Span(0, 0)
        self.lights.clear()
        self.begin(opened)
        self._update_map()

    def clear_highlights(self) -> None:
        self._answer_places = []
        super().clear_highlights()

    def note_position(self) -> None:
        self._moved = False

    def moved_by_user(self) -> bool:
        return self._moved

    def select(self, span: Span) -> None:
        self.when_built(span.end, "select", partial(self._select_built, span))

    def _select_built(self, span: Span) -> None:
        value = self.map.value()
        super().select(span)
        self.map.setValue(value)

    def show_selection(self) -> None:
        self.bring_into_view(self.textCursor().selectionStart(), ABOVE)
        self._moved = True

    def reveal(self, index: int) -> None:
        if 0 <= index < len(self._answer_places):
            self.when_built(self._answer_places[index][0].end, "scroll", partial(self._reveal_built, index))

    def _reveal_built(self, index: int) -> None:
        if self.lights.get(index) is None:
            self._read_back()
        super().reveal(index)

    def go_to(self, point: int) -> None:
        self.when_built(point, "scroll", lambda: self.put_line(self._places.to_qt(point), 0.0))

    def createMimeDataFromSelection(self) -> QMimeData:
        # Created by Qt: the clipboard deletes it after Python has ended, which an object of Python's does not survive.
        data = super().createMimeDataFromSelection()
        data.text()  # it fills itself at the first access
        data.clear()
        data.setText(self.selected_words())
        return data

    def keyPressEvent(self, event: QKeyEvent) -> None:
        end = len(self.text())
        if event.matches(_KEY.MoveToStartOfDocument):
            self.map.setValue(0)
        elif event.matches(_KEY.MoveToEndOfDocument):
            self.when_built(end, "scroll", lambda: self.map.setValue(self.map.maximum()))
        elif event.matches(_KEY.SelectAll):
            self.when_built(end, "select", self.selectAll)
        elif (move := selecting(event)) is not None:
            reach = end if move is _MOVE.End else 0
            self.when_built(reach, "select", lambda: self.moveCursor(move, QTextCursor.MoveMode.KeepAnchor))
        else:
            super().keyPressEvent(event)

    def _draw_under(self, painter: QPainter) -> None:
        value, cursor = self.map.value(), self.textCursor()
        self._page.selected = (cursor.selectionStart(), cursor.selectionEnd())
        painter.translate(0, -value)
        self._page.draw_under(painter, value, value + self.viewport().height())
        painter.translate(0, value)

    def _place_highlights(self, places: Sequence[tuple[Span, str]]) -> list[bool]:
        self._answer_places = list(places)
        if self.when_built(max((span.end for span, _ in places), default=0), "light", self._read_back):
            return [light.shown for light in self.lights.places]
        self._read_back()
        # What the page does not show yet is read back once it does.
        text = self.text()
        return [
            light.shown or (span.end > self._built_to and span.of(text) == words)
            for light, (span, words) in zip(self.lights.places, places, strict=True)
        ]

    def _read_back(self) -> None:
        """Place the highlights where the page has their words, as far as it is built."""
        self.lights.places = [
            HighlightRange(*self._places.span_to_qt(span), self._has_words(span, words))
            for span, words in self._answer_places
        ]
        self._update_marks()
        self.viewport().update()

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

    def _highlight_at(self, event: QMouseEvent) -> int:
        for index in range(len(self.lights.places)):
            boxes = self.light_boxes(index)
            if any(box.adjusted(-1, -1, 1, 3).contains(event.position()) for box in boxes):
                return index
        return -1

    def _to_qt(self, point: int) -> int:
        return self._places.to_qt(point)

    def _to_point(self, position: int) -> int:
        return self._places.to_point(position)

    @Slot()
    def _restyle(self) -> None:
        """Rebuild the page with the theme's fonts and colours; the view, highlights and selection stay."""
        if not self.text():
            return
        place, moved = self.reading_place(), self._moved
        top = self._places.to_point(place[0])
        selected = self.selection()
        places, chosen, faint, own = (
            self._answer_places,
            self.lights.chosen,
            self.lights.faint,
            self.lights.own,
        )
        self._rebuild()
        if places:
            self.light(places, chosen, faint=faint, own=own)
        if selected:
            self.select(selected)
        self.when_built(top + 1, "scroll", lambda: self.put_line(*place))
        self._moved = moved
