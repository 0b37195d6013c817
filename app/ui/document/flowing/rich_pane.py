"""A flowing document, such as DOCX, HTML or Markdown, on a page with its layout and highlighted answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import QMimeData, QPointF, QTimer, QUrl, Slot
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QShowEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import QTextEdit

from app.core.layout import BlockKind, Kind, Opened
from app.core.message import Message
from app.core.text import Document, Span
from app.ui.document.flowing.rich_layout import PartBuilder, RichLayout
from app.ui.document.flowing.rich_places import Places
from app.ui.document.flowing.rich_text import Looks, Part, Setting
from app.ui.document.marks.highlights import HighlightRange
from app.ui.document.marks.searchable import text_at
from app.ui.document.pane import ABOVE, PaperPane, ReadOnlyPane, comfortable, page_fit
from app.ui.document.text.hard_lines import prose_width
from app.ui.kit.theme import Theme

_KEY, _MOVE = QKeySequence.StandardKey, QTextCursor.MoveOperation
_SELECTING = {
    _KEY.SelectNextChar: _MOVE.NextCharacter, _KEY.SelectPreviousChar: _MOVE.PreviousCharacter,
    _KEY.SelectNextWord: _MOVE.NextWord, _KEY.SelectPreviousWord: _MOVE.PreviousWord,
    _KEY.SelectNextLine: _MOVE.Down, _KEY.SelectPreviousLine: _MOVE.Up,
    _KEY.SelectStartOfLine: _MOVE.StartOfLine, _KEY.SelectEndOfLine: _MOVE.EndOfLine,
    _KEY.SelectStartOfDocument: _MOVE.Start, _KEY.SelectEndOfDocument: _MOVE.End,
}  # fmt: skip
# The most seconds of building or measuring in one turn of the event loop, and of building up to wanted places in all.
_TURN, _PATIENCE = 0.008, 0.1
# The kinds of actions that may wait for more of the page, in the order in which they are carried out.
_WAITING = ("light", "select", "scroll")
_ROUNDS = 6
# The number of parts of a former document that are freed in a turn.
_FREED = 200
# Seconds between two updates of the map along the scroll bar while the page grows.
_MAP_EVERY = 0.1
# How many blocks of a mail or a mailbox the length of its lines is taken from.
_LOOKED_AT = 2000


def mail_width(opened: Opened) -> int:
    """Return the line length that the prose of a mail was wrapped at by its program; 0 for any other document."""
    if opened.kind not in (Kind.EML, Kind.MBOX, Kind.MSG):
        return 0
    text = opened.document.text
    blocks = opened.blocks[:_LOOKED_AT]
    prose = (block for block in blocks if block.kind in (BlockKind.PARAGRAPH, BlockKind.QUOTE))
    return prose_width("\n\n".join(block.span.of(text) for block in prose))


class _Document(QTextDocument):
    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Load nothing, from nowhere."""
        return None


class RichPane(ReadOnlyPane, PaperPane, QTextEdit):
    """A page of headings, paragraphs, lists and tables, built bit by bit between the window's other events.

    Nothing is ever loaded: the page is built from text alone, and its links lead nowhere.
    """

    NOT_SHOWN = Message("The page does not show exactly these words, so nothing is marked.")

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._answer_places: list[tuple[Span, str]] = []
        self._opened = Opened(Document(""))
        self._places = Places("")
        self._steps: Iterator[tuple[list[Part], int]] = iter(())
        self._inserted = 0
        self._built = True
        # By kind, the code point up to which the page must be built, and the action that waits for that.
        self._waiting: dict[str, tuple[int, Callable[[], object]]] = {}
        self._patience = _PATIENCE
        self._former: list[Part] = []  # of documents shown before; freeing many at once would take long
        self._settling = False
        self._moved = False
        self._reading: tuple[int, float] | None = None
        self._map_updated_at = 0.0
        document = _Document(self)
        document.setUndoRedoEnabled(False)
        self._page = RichLayout(document, Setting(document, self._places, Looks(theme), theme))
        document.setDocumentLayout(self._page)
        self.setDocument(document)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._turn)
        self.map.valueChanged.connect(self._scrolled)
        theme.changed.connect(self._restyle)

    def show_document(self, opened: Opened) -> None:
        """Show another document from its top, without highlights."""
        self._answer_places, self._heat, self.found = [], (), Span(0, 0)
        self.lights.clear()
        self._opened = opened
        self._rebuild()
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
        # Created by Qt: the clipboard deletes the data after Python has ended, too late for an object of Python's.
        data = super().createMimeDataFromSelection()
        data.text()  # the data fills itself at the first access
        data.clear()
        data.setText(self._places.prose.copied(self.selection()))
        return data

    def keyPressEvent(self, event: QKeyEvent) -> None:
        end = len(self.text())
        if event.matches(_KEY.MoveToStartOfDocument):
            self.map.setValue(0)
        elif event.matches(_KEY.MoveToEndOfDocument):
            self.when_built(end, "scroll", lambda: self.map.setValue(self.map.maximum()))
        elif event.matches(_KEY.SelectAll):
            self.when_built(end, "select", self.selectAll)
        elif (move := next((way for key, way in _SELECTING.items() if event.matches(key)), None)) is not None:
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
        # Spans that the page does not have yet are read back once it does.
        text = self.text()
        return [
            light.shown or (span.end > self._built_to and span.of(text) == words)
            for light, (span, words) in zip(self.lights.places, places, strict=True)
        ]

    def _read_back(self) -> None:
        """Set the highlights where the page has their words, as far as it is built."""
        self.lights.places = [
            HighlightRange(*self._places.span_to_qt(span), self._has_words(span, words))
            for span, words in self._answer_places
        ]
        self._update_marks()
        self.viewport().update()

    def _has_words(self, span: Span, words: str) -> bool:
        """Whether the page has exactly these words in a span: block by block, with only blanks between blocks."""
        if not words.strip() or span.of(self.text()) != words:
            return False
        at = span.start
        for start, end, part in self._places.parts_of(span):
            between = words[at - span.start : part.start - span.start]
            expected = self._places.prose.shown(part).replace("\ufeff", "\u2060")
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
        """Rebuild the page with the theme's fonts and colours; scroll position, highlights and selection stay."""
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

    # Building and scrolling

    def is_whole(self) -> bool:
        if not self._built:
            self._build(_TURN)
        return self._built

    def when_built(self, point: int, what: str, action: Callable[[], object]) -> bool:
        """Do something once the page is built up to a code point: at once, or in a later turn where that takes long.

        `what` is one of `_WAITING`; the action replaces one of its kind that still waits. Returns whether it was done.
        """
        self._waiting.pop(what, None)
        while not self._reaches(point) and self._patience > 0:
            start = time.perf_counter()
            self._build(_TURN)
            self._patience -= time.perf_counter() - start
        if not self._reaches(point):
            self._waiting[what] = point, action
            return False
        action()
        return True

    @property
    def _built_to(self) -> int:
        """The code point up to which the page is built."""
        return self._places.pieces[self._inserted - 1].end if self._inserted else 0

    def _reaches(self, point: int) -> bool:
        return self._built or self._built_to >= point

    def top_position(self) -> int:
        return self._page.position_near(self._page.setting.left, self.map.value())

    def reading_place(self) -> tuple[int, float]:
        """Return a position and the height of its line in the view; they stay the same until the user scrolls."""
        if self._reading is None:
            at = self.top_position()
            self._reading = (at, self._page.line_top(at)[0] - self.map.value())
        return (0, self._page.line_top(0)[0]) if self.map.value() == 0 else self._reading

    def put_line(self, position: int, y: float) -> None:
        """Scroll the line of a position to a height in the view, as near as the page's ends allow."""
        self._page.line_top(position)
        self._settle((position, y))
        self._reading = (position, self._page.line_top(position)[0] - self.map.value())

    def share_of(self, position: int) -> float:
        return self._page.share_of(position)

    def bring_into_view(self, position: int, above: float) -> None:
        top, bottom = self._page.line_top(position)
        room, value = self.viewport().height(), self.map.value()
        if not (room * 0.02 <= top - value and top - value + 3 * (bottom - top) <= room):
            self.put_line(position, room * above)

    def scrolled(self) -> tuple[float, float]:
        return self.reading_place()

    def scroll_back(self, scrolled: tuple[float, float]) -> None:
        self.put_line(int(scrolled[0]), scrolled[1])

    def visible_blocks(self) -> list[tuple[QTextBlock, QPointF]]:
        value = self.map.value()
        return [
            (self._page.setting.block(placed.index), placed.origin(start - value))
            for placed, start in self._page.placed_in(value, value + self.viewport().height())
        ]

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._settling = True
        place = self.reading_place()
        self._fit()
        super().resizeEvent(event)
        self._settling = False
        self._settle(place)
        self._timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        # Qt scrolls to its cursor when the pane is first shown.
        self._settling = True
        place = self.reading_place()
        super().showEvent(event)
        self._settling = False
        self._settle(place)

    def wheelEvent(self, event: QWheelEvent) -> None:
        # With Ctrl, Qt would enlarge the text by itself.
        if event.modifiers() & event.modifiers().ControlModifier:
            event.ignore()
            return
        super().wheelEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        if not self._settling:
            self._settle()

    def _rebuild(self) -> None:
        """Rebuild the page with the theme's present fonts."""
        self._places = Places(self._opened.document.text, mail_width(self._opened))
        setting = Setting(self.document(), self._places, Looks(self._theme), self._theme)
        building = PartBuilder(self._opened, setting)
        self._settling = True
        self.document().clear()
        self.document().setDefaultFont(self._theme.font("document"))
        self._former += self._page.begin(setting, building.grids)
        self._steps, self._inserted, self._built = building.steps(), 0, False
        self._fit()
        self.map.setValue(0)
        self._settling = False
        self._moved, self._reading = False, None
        self._waiting.clear()
        self._patience = _PATIENCE
        self._build(_TURN)
        self._timer.start()

    def _build(self, seconds: float) -> None:
        """Continue building for this many seconds."""
        until = time.perf_counter() + seconds
        parts: list[Part] = []
        count = self._inserted
        while not self._built and time.perf_counter() < until:
            step = next(self._steps, None)
            if step is None:
                self._built = True
            else:
                parts += step[0]
                count = step[1]
        if parts:
            words = "\n".join(self._places.words(index) for index in range(self._inserted, count))
            if self._inserted:
                self._page.forget_last()
            cursor = QTextCursor(self.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText("\n" + words if self._inserted else words)
            self._inserted = count
            for part in parts:
                self._page.append(part)
        self._settle()

    @Slot()
    def _turn(self) -> None:
        if not self._built:
            self._build(_TURN)
            more = True
        else:
            place = self.reading_place()
            more = self._page.measure(_TURN)
            self._settle(place)
        for what in _WAITING:
            if what in self._waiting and self._reaches(self._waiting[what][0]):
                self._waiting.pop(what)[1]()
        del self._former[-_FREED:]
        if more or self._former:
            self._timer.start()
        if not more or time.perf_counter() - self._map_updated_at > _MAP_EVERY:
            self._map_updated_at = time.perf_counter()
            self._update_map()

    def _settle(self, keep: tuple[int, float] | None = None) -> None:
        """Lay out what is visible, without moving what was seen before.

        `keep` is a position and the height in the view at which its line is to be; without it, the highest visible part
        that is laid out stays in place.
        """
        if self._settling:
            return
        self._settling = True
        page, room = self._page, self.viewport().height()
        part, y = -1, 0.0
        at_end = keep is None and 0 < self.map.maximum() == self.map.value()
        if keep is not None:
            part = page.part_of(keep[0])
            y = keep[1] - (page.line_top(keep[0])[0] - page.top_of(part)) if part >= 0 else 0.0
        value = self.map.value()
        changed = False
        if keep is None:
            seen = list(page.parts_in(value, value + room))
            part = next((index for index in seen if page.is_laid(index)), seen[0] if seen else -1)
            y = page.top_of(part) - value if part >= 0 else 0.0
        for _ in range(_ROUNDS):
            if part >= 0:
                value = round(page.top_of(part) - y)
            value = max(0, min(value, page.height() - room))
            unlaid = [index for index in page.parts_in(value, value + room) if not page.is_laid(index)]
            for index in unlaid:
                page.lay(index)
            changed = changed or bool(unlaid)
            if not unlaid:
                break
        page.documentSizeChanged.emit(page.documentSize())
        self.map.setValue(self.map.maximum() if at_end and self._built else value)
        self._settling = False
        if changed:
            self.viewport().update()

    @Slot()
    def _scrolled(self) -> None:
        if not self._settling:
            self._moved, self._reading = True, None
            self._waiting.pop("scroll", None)

    def _fit(self) -> None:
        """Set the page's width to a comfortable line, centred on the desk."""
        room = self.width() - self.map.sizeHint().width()
        margin, aside = page_fit(self._theme, comfortable(self._theme.font("document")), room)
        self.setViewportMargins(aside, self._theme.step(5), aside, 0)
        self._page.fit(room - 2 * aside, margin)
