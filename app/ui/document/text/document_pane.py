"""A plain text on a page where it can be edited, with highlighted answers."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from re import finditer

from PySide6.QtCore import QMimeData, QObject, QPointF, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextLine,
)
from PySide6.QtWidgets import QPlainTextDocumentLayout

from app.core.message import Message
from app.core.text import Offsets, Span, utf16_units
from app.ui.document.marks.searchable import SearchablePlainTextEdit, document_text, insertable
from app.ui.document.pane import PaperPane, comfortable, page_fit
from app.ui.document.text.hard_lines import LOOKED_AT, RunningProse, prose_width, usual_length
from app.ui.document.text.long_lines import broken
from app.ui.kit.dropped import local_files
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

_KEY = QKeySequence.StandardKey
# Code points put on a page in one go: some 5 ms.
PIECE = 100_000
# Milliseconds between updates of the map while paragraphs are laid out, each of which moves all that follow.
_MAP_MS = 50
# The lines of hard-wrapped text are kept whole up to this many times the comfortable measure.
_WIDEST = 1.35
# The least and the most letters in a line of code that the page has room for.
_LEAST_CODE, _MOST_CODE = 80, 120
_BLANK = 0.7  # the height of a blank line, as a share of a full one
_TAB, _TAB_OF_PROSE = 4, 80.0  # a tab's width: letters in code; pixels in prose, as Qt has it


def piece_end(text: str, at: int, length: int) -> int:
    """Return where the piece of a text from `at` on ends: behind a blank line if one is near.

    Never before U+FEFF, which is lost at a string's start.
    """
    end = min(at + length, len(text))
    if end < len(text) and (blank := text.rfind("\n\n", at + length // 2, end)) >= 0:
        end = blank + 2
    while end < len(text) and text[end] == "\ufeff":
        end += 1
    return end


class PageLayout(QPlainTextDocumentLayout):
    """Qt's plain text layout, which lays out only what is visible, with `leading` pixels between lines.

    Qt's own has no line spacing, and aligns right-to-left paragraphs to the left: a block's lines are moved when its
    rectangle is first requested. Half of the leading is above a line and half below.
    """

    def __init__(self, document: QTextDocument, leading: float) -> None:
        super().__init__(document)
        self.leading = leading

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        rect = super().blockBoundingRect(block)
        layout = block.layout()
        count = layout.lineCount()
        if not rect.isValid() or not count:
            return rect
        before = layout.boundingRect().bottom()
        top = 0.0 if block.length() == 1 else self.leading / 2
        # Qt stores positions in 64ths of a pixel.
        if abs(layout.lineAt(0).y() - top) > 0.1 or (
            count > 1 and self._touch(layout.lineAt(0), layout.lineAt(1))
        ):
            leftwards = block.textDirection() == Qt.LayoutDirection.RightToLeft
            for number in range(count):
                line = layout.lineAt(number)
                x = line.x()
                if leftwards:
                    x = self.document().documentMargin() + max(0.0, line.width() - line.naturalTextWidth())
                line.setPosition(QPointF(x, top))
                top += line.height() + self.leading
        last = layout.lineAt(count - 1)
        # A blank line separates paragraphs: less than a full line is enough.
        bottom = (
            last.height() * _BLANK if block.length() == 1 else last.y() + last.height() + self.leading / 2
        )
        # Qt adds the margin of the first and the last block around the lines.
        return QRectF(rect.x(), rect.y(), rect.width(), rect.height() - before + bottom)

    def on_line(self, point: QPointF, blocks: Iterable[tuple[QTextBlock, QPointF]]) -> QPointF:
        """Return a point moved vertically to the nearest line; each block is given with its position."""
        for block, offset in blocks:
            y = point.y() - offset.y()
            if y >= self.blockBoundingRect(block).height():
                continue
            layout = block.layout()
            middles = [line.y() + line.height() / 2 for line in map(layout.lineAt, range(layout.lineCount()))]
            near = min(middles, key=lambda middle: abs(middle - y), default=y)
            return QPointF(point.x(), offset.y() + near)
        return point

    def line_above(self, block: QTextBlock, y: float, room: float) -> int:
        """Return the number of the first line that begins at most `room` pixels above the position `y` in a block."""
        while y < room and block.previous().isValid():
            block = block.previous()
            y += self.blockBoundingRect(block).height()
        layout = block.layout()
        below = (n for n in range(layout.lineCount()) if layout.lineAt(n).y() >= y - room)
        return block.firstLineNumber() + (next(below, layout.lineCount()) if y > room else 0)

    def share_of(self, position: int) -> float:
        """Return how far down the text one of Qt's positions is, as a share (0 to 1) of its lines."""
        block = self.document().findBlock(position)
        within = 0
        if block.layout().lineCount():
            within = block.layout().lineForTextPosition(position - block.position()).lineNumber()
        return (block.firstLineNumber() + within + 0.5) / max(1, self.document().lineCount())

    def _touch(self, line: QTextLine, following: QTextLine) -> bool:
        return following.y() < line.y() + line.height() + self.leading - 0.1


class TextAppender(QObject):
    """Appends the rest of a text to a document, piece by piece between the window's other events.

    `is_appending` is true while it changes the document: such a change is no edit of the text. `filled` is sent when
    the whole text is there. Until then there is no undo.
    """

    filled = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.is_appending = False
        self._prose, self._at = RunningProse(), 0
        self._document: QTextDocument | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.go_on)

    def begin(self, document: QTextDocument, prose: RunningProse, at: int) -> None:
        """Append the text from the code point `at` on to a document that has the text before it."""
        document.setUndoRedoEnabled(False)
        self._document, self._prose, self._at = document, prose, at
        self._timer.start(0)

    def at_once(self) -> None:
        """Append all of the rest now."""
        if self._document is not None:
            self._put(len(self._prose.text))

    @Slot(result=bool)
    def go_on(self) -> bool:
        """Append the next piece; returns whether any is left."""
        self._put(PIECE)
        return self._document is not None

    def _put(self, length: int) -> None:
        if self._document is None:
            return
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        text, at = self._prose.text, self._at
        self._at = piece_end(text, at, length)
        self.is_appending = True
        cursor.insertText(self._prose.piece(at, self._at))
        self.is_appending = False
        if self._at >= len(text):
            self.drop()
            self.filled.emit()

    def drop(self) -> None:
        """Stop: all of the text is there, or the document gets another one."""
        self._timer.stop()
        if self._document is not None:
            self._document.setUndoRedoEnabled(True)
        self._document, self._prose = None, RunningProse()


class DocumentPane(PaperPane, SearchablePlainTextEdit):
    """An editable page of text of a comfortable width, with leading between its lines and highlighted answers.

    Prose that was broken into lines by hand runs on: those line ends are shown as blanks, and are in `text()`.
    `edited` is sent after every change of the text; `lines_broken` when lines of a new text were too long to be shown
    whole: it carries whether a line end was added to a line without a blank.
    """

    edited = Signal()
    lines_broken = Signal(bool)

    NOT_SHOWN = Message("The text says something else at this place by now.")

    # A line's height in heights of its letters.
    SPACING = 1.6

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        document = QTextDocument(self)
        self._page = PageLayout(document, 0.0)
        document.setDocumentLayout(self._page)
        self.setDocument(document)
        self._text: str | None = ""
        self._prose = RunningProse()
        self._offsets: Offsets | None = None
        self._restyling = False
        self._measure = 0.0
        self._is_monospaced = False
        # Where the file's lines begin if the page breaks them otherwise, and the number of lines of an unedited text.
        self._lines, self._count = array("i"), 0
        self._appender = TextAppender(self)
        self._appender.filled.connect(self._update_map)
        self._map_timer = QTimer(self, singleShot=True, interval=_MAP_MS)
        self._map_timer.timeout.connect(self._update_map)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(tr("Type or paste a text here"))
        self.document().contentsChange.connect(self._changed)
        self._page.documentSizeChanged.connect(self._update_map_soon)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_text(self, text: str, name: str = "") -> None:
        """Replace the text; most of a long one is put on the page a little later.

        The `name` of its file decides whether it is set in a monospaced face.
        """
        text = insertable(text)
        if is_monospaced(name) != self._is_monospaced:
            self._is_monospaced = not self._is_monospaced
            self._restyle()
        shown, breaks = broken(text)
        self._appender.drop()
        self._prose = RunningProse(shown, 0 if self._is_monospaced else prose_width(shown))
        first = piece_end(shown, 0, PIECE)
        self._restyling = True  # `edited` is sent once, below, when the whole text is known
        self.setPlainText(self._prose.piece(0, first))
        self._restyling = False
        self._text = shown
        if first < len(shown):
            self._appender.begin(self.document(), self._prose, first)
        self._text_changed()
        self._count = shown.count("\n") + 1
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self._measure = self._width_of_lines()
        self._fit()
        if breaks:
            self.lines_broken.emit(len(shown) > len(text))

    def text(self) -> str:
        """Return the text of the page, with all of a long one on it: what a question's `Document.text` is to be."""
        if self._text is None:
            self._appender.at_once()
            self._text = document_text(self.document())
        return self._text

    def units(self) -> int:
        """Return the number of UTF-16 units of the text, with the part that is not on the page yet."""
        return self.document().characterCount() - 1 if self._text is None else utf16_units(self._text)

    def is_empty(self) -> bool:
        return self.document().isEmpty()

    def number_lines(self, lines: array[int]) -> None:
        """Number the lines as the file does, until the text is edited; `lines` are as in Opened."""
        self._lines = lines if len(lines) != self.numbers() else array("i")

    def numbers(self) -> int:
        return len(self._lines) or self._count or len(self._line_starts()) or self.blockCount()

    def number(self) -> int:
        if lines := self._line_starts():
            return max(1, bisect_right(lines, self.top()))
        return self.firstVisibleBlock().blockNumber() + 1

    def go_to_number(self, number: int) -> None:
        self._appender.at_once()
        if lines := self._line_starts():
            self.go_to(lines[number - 1])
        else:
            self.put_at_top(self.document().findBlockByNumber(number - 1).position())
        self._put_caret(self.top_position())

    def _put_caret(self, position: int) -> None:
        top = self.top_position()
        super()._put_caret(position)
        self.put_at_top(top)  # what is laid out for the caret changes the scroll bar's values

    def _line_starts(self) -> array[int]:
        """The places of the lines; empty where they are the page's paragraphs."""
        if not self._lines and self._prose.runs_on:
            self._lines = array("i", (0, *(end.end() for end in finditer("\n", self.text()))))
        return self._lines

    def go_to(self, point: int) -> None:
        self._appender.at_once()
        self.put_at_top(self._positions().to_qt(min(point, len(self.text()))))

    def is_whole(self) -> bool:
        return not self._appender.go_on()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return bool(local_files(source)) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self._appender.at_once()
        if files := local_files(source):
            self.files_dropped.emit(files)
        elif source.hasText():
            self._put(self.textCursor(), source.text())
            self.ensureCursorVisible()

    def _put(self, cursor: QTextCursor, text: str) -> None:
        """Put a text in the place of what a cursor has selected; this can be undone."""
        text = insertable(text)
        added, breaks = broken(text)
        shown = added
        if not self._is_monospaced and prose_width(added):
            if not self._prose.runs_on:
                self._prose = RunningProse(self.text())
            place = Span(self._to_point(cursor.selectionStart()), self._to_point(cursor.selectionEnd()))
            shown = self._prose.insert(place, added)
        cursor.insertText(shown)
        if breaks:
            self.lines_broken.emit(len(added) > len(text))

    def createMimeDataFromSelection(self) -> QMimeData:
        data = super().createMimeDataFromSelection()
        if self._prose.runs_on:
            data.text()  # it fills itself at the first access
            data.clear()
            data.setText(self._prose.copied(self.selection()))
        return data

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._appender.at_once()
        before = self.textCursor().position()
        super().keyPressEvent(event)
        if event.matches(_KEY.MoveToEndOfDocument) or event.matches(_KEY.SelectEndOfDocument):
            self.map.setValue(self.map.maximum())  # with the page's margin below the last line
        elif self.textCursor().position() != before:
            self._uncover_cursor_line()

    def share_of(self, position: int) -> float:
        return self._page.share_of(position)

    def bring_into_view(self, position: int, above: float) -> None:
        block, line = self._line_of(position)
        if not self._seen_well(block, line):
            self.map.setValue(self._page.line_above(block, line.y(), self.viewport().height() * above))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(self.on_line(event))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(self.on_line(event) if event.buttons() else event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(self.on_line(event))

    def _uncover_cursor_line(self) -> None:
        """Scroll a cursor line that the view's lower edge cuts: Qt does not allow for the leading above it."""
        line, room = self.cursorRect(), self.viewport().height()
        if line.top() < room < line.bottom() + self._page.leading:
            self.map.setValue(self.map.value() + 1)

    def _seen_well(self, block: QTextBlock, line: QTextLine) -> bool:
        room = self.viewport().height()
        for seen, offset in self.visible_blocks():
            if seen == block:
                top = offset.y() + line.y()
                return room * 0.02 <= top and top + line.height() * 3 <= room
        return False

    def on_line(self, event: QMouseEvent) -> QMouseEvent:
        """Return the event with its position moved out of the leading between two lines, where Qt finds no letter."""
        place = self._page.on_line(event.position(), self.visible_blocks())
        return QMouseEvent(
            event.type(), place, event.globalPosition(), event.button(), event.buttons(), event.modifiers(),
            event.pointingDevice(),
        )  # fmt: skip

    @Slot(int, int, int)
    def _changed(self, at: int, removed: int, added: int) -> None:
        if self._restyling or self._appender.is_appending:
            return
        before, self._text = self._text, None
        self._appender.at_once()
        if self._prose.runs_on:
            self._prose.edit(document_text(self.document()))
            self._text = self._prose.text
        # Qt reports the composing of a letter and changes of format as changes of equal length.
        if removed == added and before is not None and self.text() == before:
            return
        self._text_changed()

    def _text_changed(self) -> None:
        """Drop what belongs to the text before, and send `edited`."""
        self._offsets, self._heat, self.found = None, (), Span(0, 0)
        self._lines, self._count = array("i"), 0
        self.lights.clear()
        self._update_map()
        self.edited.emit()

    @Slot()
    def _update_map_soon(self) -> None:
        if not self._map_timer.isActive():
            self._map_timer.start()

    def _place_highlights(self, places: Sequence[tuple[Span, str]]) -> list[bool]:
        self._appender.at_once()
        if self._prose.runs_on:
            text, shown = self.text(), self._prose.shown
            places = [(span, shown(span) if span.of(text) == words else words) for span, words in places]
        return self.lights.take(self.document(), self._positions(), places)

    def _highlight_at(self, event: QMouseEvent) -> int:
        clicked = self.on_line(event).position().toPoint()
        return self.lights.at(self.cursorForPosition(clicked).position())

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
        line = round(font.pixelSize() * self.SPACING)
        if self._is_monospaced:
            from app.ui.document.flowing.rich_text import CODE, fixed_families

            line = round(line * CODE)
            font.setPixelSize(round(font.pixelSize() * CODE))
            font.setFamilies(fixed_families())
        self._page.leading = max(0.0, line - QFontMetricsF(font).height())
        letter = QFontMetricsF(font).horizontalAdvance("0")
        self.setTabStopDistance(_TAB * letter if self._is_monospaced else _TAB_OF_PROSE)
        is_same = bool(self._measure) and self.document().defaultFont() == font
        self.setFont(font)
        if not is_same:  # Qt lays out all of the text anew
            self.document().setDefaultFont(font)
            self._measure = self._width_of_lines()
        self._restyling = False
        self._fit()
        self.viewport().update()

    def _width_of_lines(self) -> float:
        """Return the width in pixels for the lines of the text in the page's font."""
        font = self.document().defaultFont()
        if self._is_monospaced:
            return code_measure(self.text(), font)
        return measure_of(self._prose.beginning() if self._prose.runs_on else self.text(), font)


def is_monospaced(name: str) -> bool:
    """Whether a text is set in a monospaced face, by the name of its file."""
    if not name:
        return False
    from app.core.kinds import is_monospaced  # not at the window's start

    return is_monospaced(name)


def measure_of(text: str, font: QFont) -> float:
    """Return the width in pixels for the lines of a text: the comfortable one, or that of its hard-wrapped lines."""
    comfort, lines = comfortable(font), text[:LOOKED_AT].split("\n")[:-1]
    if not (usual := usual_length(lines)):
        return comfort
    whole = [line for line in lines if len(line) <= usual + 5 and "\t" not in line]
    longest = sorted(whole, key=len)[-200:]
    widest = max(map(QFontMetricsF(font).horizontalAdvance, longest), default=0.0)
    return min(max(comfort, widest + 1), comfort * _WIDEST)


def code_measure(text: str, font: QFont) -> float:
    """Return the width in pixels for lines of code: that of 98% of them, within bounds."""
    lengths = sorted(len(line.expandtabs(_TAB)) for line in text[:LOOKED_AT].split("\n"))
    usual = lengths[len(lengths) * 98 // 100] + 1
    return QFontMetricsF(font).horizontalAdvance("0") * min(max(usual, _LEAST_CODE), _MOST_CODE)
