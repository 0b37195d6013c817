"""The text pane with highlighted names: its text can be typed, pasted, dropped or opened."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, SignalInstance, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QTextCursor

from app.core.results import Entity
from app.core.text import Offsets
from app.ui.document.marks.highlights import Blocks, HighlightRange, Highlights
from app.ui.document.text.document_pane import DocumentPane
from app.ui.heads.names.name_styles import NameStyle
from app.ui.kit.flow_text import line_boxes
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

# In pixels: a name's background begins this far below its line's top, where the type of a name above is written.
_TRIM = 2.5


class NameHighlights(Highlights):
    """The highlights of names, in text order and without overlaps; those of types `hidden` by label are not drawn.

    `occurrences` are the indices of all occurrences of the chosen name.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._styles: list[NameStyle] = []  # of each name
        self._starts: list[int] = []
        self._boxes: list[tuple[int, QRectF, bool]] = []
        self.occurrences: tuple[int, ...] = ()
        self.hidden: frozenset[str] = frozenset()

    def set_names(
        self, text: str, offsets: Offsets, names: Sequence[Entity], styles: Sequence[NameStyle]
    ) -> list[bool]:
        """Set the names; returns for each whether the text has its words at its span."""
        self.clear()
        by_label = {style.label: style for style in styles}
        self._styles = [by_label[name.label] for name in names]
        for name in names:
            start, end = offsets.span_to_qt(name.span)
            self.places.append(HighlightRange(start, end, start < end and name.span.of(text) == name.text))
        self._starts = [light.start for light in self.places]
        return [light.shown for light in self.places]

    def clear(self) -> None:
        """Remove all highlights."""
        super().clear()
        self._styles, self._starts, self._boxes = [], [], []
        self.occurrences = ()

    def get(self, index: int) -> HighlightRange | None:
        """The highlight of a name; None if there is no name of that index, or if it is not shown."""
        known = 0 <= index < len(self._styles)
        return super().get(index) if known and self._styles[index].label not in self.hidden else None

    def at(self, position: int) -> int:
        """The index of the highlighted name around one of Qt's positions, -1 without one."""
        index = bisect_right(self._starts, position) - 1
        light = self.get(index)
        return index if light is not None and position < light.end else -1

    def draw_grounds(self, painter: QPainter, blocks: Blocks) -> None:
        """Draw the backgrounds of the visible names, and a frame around the chosen one."""
        self._boxes = list(self._in_sight(blocks, painter.device().height()))
        for index, box, _ in self._boxes:
            painter.fillRect(box.adjusted(-1, _TRIM, 1, 1), self._theme.colour(self._styles[index].ground))
            if self._strong(index):
                painter.setPen(QPen(self._theme.colour("focus"), 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(box.adjusted(-1, _TRIM - 1, 1, 2))

    def draw_lines(self, painter: QPainter, blocks: Blocks) -> None:
        """Draw the lines under the visible names, and their types' letters below."""
        theme = self._theme
        font = theme.font("tag")
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        for index, box, first in self._boxes:
            style, strong = self._styles[index], self._strong(index)
            low = box.adjusted(-1, 0, 1, 1)
            style.draw_line(painter, theme, low, strong=strong)
            if first:
                # Short names have room for one letter only.
                fits = metrics.horizontalAdvance(style.letters) <= box.width() + 3
                painter.setPen(theme.colour(style.line))
                base = QPointF(box.left(), low.bottom() + 3 + metrics.capHeight())
                painter.drawText(base, style.letters if fits else style.letters[:1])

    def _in_sight(self, blocks: Blocks, height: int) -> Iterator[tuple[int, QRectF, bool]]:
        """The boxes of names in the visible lines: a name's index, its box, and whether it is the name's first."""
        for block, offset in blocks:
            begins, layout = block.position(), block.layout()
            low = max(0, bisect_right(self._starts, begins) - 1)
            if bisect_left(self._starts, begins + block.length()) <= low and low < len(self._starts):
                continue
            for number in range(layout.lineCount()):
                line = layout.lineAt(number)
                if offset.y() + line.y() > height or offset.y() + line.y() + line.height() < 0:
                    continue
                from_unit = begins + line.textStart()
                first = max(0, bisect_right(self._starts, from_unit) - 1)
                for index in range(first, bisect_left(self._starts, from_unit + line.textLength())):
                    light = self.get(index)
                    if light is None or light.end <= from_unit:
                        continue
                    for box in line_boxes(line, light.start - begins, light.end - begins):
                        yield index, box.translated(offset), light.start >= from_unit


# In characters: a longer text replaces another without undo, which would take twice its memory.
_UNDONE_AT_MOST = 1_000_000
# More marks than the scroll bar has pixels are useless.
_MOST_MARKS = 400


class NamePane(DocumentPane):
    """An editable text with names highlighted in the style of their type; `light_chosen` carries a name's index.

    The scroll bar marks the chosen name and the other occurrences of the same name.
    """

    SPACING = 2.1  # room for the letters below a name

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.map.mark_clicked.disconnect(self.light_chosen)
        self.map.mark_clicked.connect(self._mark_clicked)
        self.map.marked = (tr("The name that is shown"), tr("The same name"))
        self.setAccessibleName(tr("Text with names"))
        theme.in_steps(self.setMinimumWidth, 50)
        self.setPlaceholderText(tr("Type or paste a text, or drop a file here."))

    @property
    def dropped(self) -> SignalInstance:
        """Carries the files that were dropped or pasted here."""
        return self.files_dropped

    @property
    def searched(self) -> DocumentPane:
        """This pane, which finds words."""
        return self

    def start_with(self, text: str) -> None:
        """Set the first text, with nothing to undo."""
        self.set_text(text)

    def replace(self, text: str) -> None:
        """Replace the text; this can be undone if it is not very long."""
        if max(len(text), self.document().characterCount()) > _UNDONE_AT_MOST:
            self.set_text(text)
            return
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        self._put(cursor, text)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def show_names(self, names: Sequence[Entity], styles: Sequence[NameStyle]) -> list[bool]:
        """Highlight names of `text()`, in text order; returns for each whether it is highlighted."""
        self._appender.at_once()
        shown = self.names.set_names(self.text(), self._positions(), names, styles)
        self._names_changed()
        return shown

    def choose_name(self, index: int, occurrences: tuple[int, ...]) -> None:
        """Choose a name; `occurrences` are the indices of all its occurrences, in text order."""
        self.names.occurrences = occurrences
        self.choose(index)

    def hide_types(self, labels: frozenset[str]) -> None:
        """Hide the names of the types with these labels."""
        self.names.hidden = labels
        self._names_changed()

    def _make_lights(self) -> NameHighlights:
        self.names = NameHighlights(self._theme)
        self._marked: list[int] = []
        return self.names

    def _update_marks(self) -> None:
        occurrences = self.names.occurrences
        places = sorted({*occurrences[:: -(-len(occurrences) // _MOST_MARKS) or 1], self.names.chosen})
        lights = [(index, light) for index in places if (light := self.names.get(index)) is not None]
        self._marked = [index for index, _ in lights]
        chosen = self._marked.index(self.names.chosen) if self.names.chosen in self._marked else -1
        self.map.set_marks([self._page.share_of(light.start) for _, light in lights], chosen)

    @Slot(int)
    def _mark_clicked(self, mark: int) -> None:
        self.light_chosen.emit(self._marked[mark])

    def _names_changed(self) -> None:
        self._update_marks()
        self.viewport().update()
