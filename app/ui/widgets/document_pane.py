"""The document as a page that can be edited, with the answers lit up in their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QMimeData, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextLine,
    QWheelEvent,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.core.positions import Offsets
from app.core.text import Span
from app.ui.theme import Theme
from app.ui.widgets.answer_map import AnswerMap
from app.ui.widgets.dropped import local_files
from app.ui.widgets.lights import Lights
from app.ui.widgets.long_lines import broken
from app.ui.widgets.offsets import document_text, insertable, text_at
from app.ui.widgets.page_layout import PageLayout

# A comfortable line, in the sample's letters: some 70 of most texts.
_MEASURE = 75
_SAMPLE = "The reader lights up the exact words of the answer in its place, and nothing else. "
# A lit place is scrolled to where this share of the page stands above it.
_ABOVE = 0.3


class DocumentPane(QPlainTextEdit):
    """An editable page of text of a comfortable width, which answers are lit up in.

    `edited` is sent after every change of the text; `files_dropped` carries paths; `light_chosen` the index of a
    lit place that was clicked, in the text or on the scroll bar; `lines_broken` is sent when a text that came in
    had lines too long to be shown as they are; `resized` when the page has taken another size;
    `copy_asked` on Ctrl+C while nothing is selected.
    """

    edited = Signal()
    files_dropped = Signal(list)
    light_chosen = Signal(int)
    lines_broken = Signal()
    resized = Signal()
    copy_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text: str | None = ""
        self._offsets: Offsets | None = None
        self._restyling = False
        self._top = 0
        self.lights = Lights(theme)
        self.map = AnswerMap(theme, self)
        document = QTextDocument(self)
        self._page = PageLayout(document, 0.0)
        document.setDocumentLayout(self._page)
        self.setDocument(document)
        self.setProperty("bare", "true")
        self.setVerticalScrollBar(self.map)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setTabChangesFocus(True)
        self.setAccessibleName("Document")
        self.setPlaceholderText("Type or paste a text here")
        self.map.mark_clicked.connect(self.light_chosen)
        document.contentsChange.connect(self._changed)
        self._page.documentSizeChanged.connect(self._update_map)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_text(self, text: str) -> None:
        """Take a text in place of the present one."""
        shown, breaks = broken(insertable(text))
        self.setPlainText(shown)
        self.moveCursor(QTextCursor.MoveOperation.Start)
        if breaks:
            self.lines_broken.emit()

    def text(self) -> str:
        """The text that stands on the page: what `Document.text` is to be when it is asked about."""
        if self._text is None:
            self._text = document_text(self.document())
        return self._text

    def light(
        self, places: Sequence[tuple[Span, str]], chosen: int = 0, *, faint: bool = False
    ) -> list[bool]:
        """Light up places of `text()`, the chosen one stronger; tells for each whether it is lit.

        Each comes with the words that it must hold: where the page says anything else, nothing is lit. With `faint`
        the chosen one is as pale as the others.
        """
        if self._offsets is None:
            self._offsets = Offsets(self.text())
        shown = self.lights.take(self.document(), self._offsets, places)
        self.lights.faint = faint
        self.choose(chosen)
        return shown

    def choose(self, index: int) -> None:
        """Make another one of the lit places the strong one."""
        self.lights.chosen = index
        self._update_map()
        self.viewport().update()

    def lit(self) -> list[str]:
        """The words that are lit up, read from the page, in the order they were given."""
        places = self.lights.places
        return [text_at(self.document(), light.start, light.end) for light in places if light.shown]

    def put_out(self) -> None:
        """Light nothing up."""
        self.lights.clear()
        self._update_map()
        self.viewport().update()

    def reveal(self, index: int) -> None:
        """Scroll a lit place into view, with some lines above it; stays where it is if that can be seen well."""
        light = self.lights.get(index)
        if light is None:
            return
        block = self.document().findBlock(light.start)
        self.blockBoundingRect(block)
        line = block.layout().lineForTextPosition(light.start - block.position())
        if not self._seen_well(block, line):
            self.map.setValue(self._page.line_above(block, line.y(), self.viewport().height() * _ABOVE))
        self.hold()

    def hold(self) -> None:
        """Note where the page stands, for `moved_by_person`."""
        self._top = self.map.value()

    def moved_by_person(self) -> bool:
        """Whether the page was scrolled since `hold` or `reveal`, other than by them."""
        return self.map.value() != self._top

    def go_to_words(self, words: str, backwards: bool = False) -> bool:
        """Select the next place of these words, from the other end again after the last; False if there is none."""
        flags = QTextDocument.FindFlag.FindBackward if backwards else QTextDocument.FindFlag(0)
        found = self.document().find(words, self.textCursor(), flags)
        if found.isNull():
            again = QTextCursor(self.document())
            again.movePosition(
                QTextCursor.MoveOperation.End if backwards else QTextCursor.MoveOperation.Start
            )
            found = self.document().find(words, again, flags)
        if not found.isNull():
            self.setTextCursor(found)
        return not found.isNull()

    def light_boxes(self, index: int) -> list[QRectF]:
        """Where a lit place is drawn, in the viewport's pixels; only in paragraphs that can be seen."""
        return self.lights.boxes(index, list(self._visible_blocks()))

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return bool(local_files(source)) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := local_files(source):
            self.files_dropped.emit(files)
        elif source.hasText():
            shown, breaks = broken(insertable(source.text()))
            self.textCursor().insertText(shown)
            self.ensureCursorVisible()
            if breaks:
                self.lines_broken.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        super().resizeEvent(event)
        self._update_map()
        self.resized.emit()

    def event(self, event: QEvent) -> bool:
        # The desk on both sides of the page scrolls it too.
        if isinstance(event, QWheelEvent):
            self.wheelEvent(event)
            return event.isAccepted()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and not self.textCursor().hasSelection():
            self.copy_asked.emit()
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(self._on_line(event))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(self._on_line(event) if event.buttons() else event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(self._on_line(event))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            clicked = self._on_line(event).position().toPoint()
            index = self.lights.at(self.cursorForPosition(clicked).position())
            if index >= 0:
                self.light_chosen.emit(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        page = QRectF(self.viewport().rect())
        blocks = list(self._visible_blocks()) if self.lights.places else []
        painter = QPainter(self.viewport())
        painter.fillRect(page, self._theme.colour("paper"))
        self.lights.draw_grounds(painter, blocks)
        painter.end()
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        self.lights.draw_lines(painter, blocks)
        painter.setPen(self._theme.colour("line"))
        painter.drawRect(page.adjusted(0.5, 0.5, -0.5, 1.5))
        if self.hasFocus():
            painter.fillRect(QRectF(0, 0, page.width(), 2), self._theme.colour("focus"))

    def _visible_blocks(self) -> Iterator[tuple[QTextBlock, QPointF]]:
        """The paragraphs that can be seen, each with its place in the viewport."""
        block = self.firstVisibleBlock()
        offset = self.contentOffset()
        top = self.blockBoundingGeometry(block).translated(offset).top()
        while block.isValid() and top <= self.viewport().height():
            yield block, QPointF(offset.x(), top)
            top += self.blockBoundingRect(block).height()
            block = block.next()

    def _seen_well(self, block: QTextBlock, line: QTextLine) -> bool:
        room = self.viewport().height()
        for seen, offset in self._visible_blocks():
            if seen == block:
                top = offset.y() + line.y()
                return room * 0.02 <= top and top + line.height() * 3 <= room
        return False

    def _on_line(self, event: QMouseEvent) -> QMouseEvent:
        """The event with its place moved out of the leading between two lines, where Qt finds no letter."""
        place = self._page.on_line(event.position(), self._visible_blocks())
        return QMouseEvent(
            event.type(), place, event.globalPosition(), event.button(), event.buttons(), event.modifiers(),
            event.pointingDevice(),
        )  # fmt: skip

    @Slot(int, int, int)
    def _changed(self, at: int, removed: int, added: int) -> None:
        if self._restyling:
            return
        before = self._text if removed == added else None
        self._text = None
        # Composing a letter and other changes of form are told as changes of equal length.
        if before is not None and self.text() == before:
            return
        self._offsets = None
        self.lights.clear()
        self._update_map()
        self.edited.emit()

    @Slot()
    def _update_map(self) -> None:
        self.map.set_marks(self.lights.marks(self.document()), self.lights.chosen)

    def _fit(self) -> None:
        """Give the page the width of a comfortable line, in the middle of the desk."""
        theme = self._theme
        metrics = QFontMetricsF(self.document().defaultFont())
        measure = metrics.horizontalAdvance(_SAMPLE) / len(_SAMPLE) * _MEASURE
        room = self.width() - self.map.sizeHint().width() - theme.step(6)
        margin = min(max(theme.step(6), (room - measure) / 2), theme.step(16))
        aside = max(0, int(room - measure - 2 * margin) // 2) + theme.step(3)
        if self.document().documentMargin() != round(margin):
            self._restyling = True
            self.document().setDocumentMargin(round(margin))
            self._restyling = False
        self.setViewportMargins(aside, theme.step(5), aside, 0)

    @Slot()
    def _restyle(self) -> None:
        font = self._theme.font("document")
        self._restyling = True
        self._page.leading = max(0.0, round(font.pixelSize() * 1.6) - QFontMetricsF(font).height())
        self.setFont(font)
        self.document().setDefaultFont(font)
        self._restyling = False
        self._fit()
        self.viewport().update()
