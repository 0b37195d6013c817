"""What every pane can do: the base of the three views of a document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)

from app.core.layout import Opened, OutlineEntry, Unit
from app.core.text import Span, whole_words
from app.ui.document.marks.answer_map import AnswerMap, heat_over_height
from app.ui.document.marks.highlights import Highlights, HighlightState, draw_current, draw_found
from app.ui.document.marks.searchable import Searchable, SearchableTextEdit, text_at
from app.ui.kit.dropped import accept_files_only, copied_files, dropped_files
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

# A span is scrolled into view so that this share of the view is above it.
ABOVE = 0.3
# The zooms of pages that are fitted to the view.
FIT_WIDTH, FIT_PAGE = 0.0, -1.0
# The letters of the sample in a comfortable line, which has some 70 of most texts.
MEASURE = 75
_LONGEST_NUMBER = 10
_SAMPLE = "The reader lights up the exact words of the answer in its place, and nothing else. "


def comfortable(font: QFont) -> float:
    """Return the width in pixels of a comfortable line of text in a font."""
    return QFontMetricsF(font).horizontalAdvance(_SAMPLE) / len(_SAMPLE) * MEASURE


def page_fit(theme: Theme, measure: float, room: float) -> tuple[int, int]:
    """Return the page's inner margin and the desk on either side of it, for lines of `measure` pixels in `room`."""
    room -= theme.step(6)
    margin = min(max(theme.step(6), (room - measure) / 2), theme.step(16))
    aside = max(0, int(room - measure - 2 * margin) // 2) + theme.step(3)
    return round(margin), aside


class Pane(Searchable):
    """A document on the screen with highlighted answers; positions are code points of `text()`.

    A mixin: the scroll area that it is mixed into gets the answer map as its scroll bar.

    `light_chosen` carries the index of a highlight that was clicked, on the page or in the map; `copy_asked` is sent on
    Ctrl+C while nothing is selected; `files_dropped` carries paths; `resized` is sent after the pane was resized.
    """

    light_chosen = Signal(int)
    copy_asked = Signal()
    files_dropped = Signal(list)
    resized = Signal()

    lights: HighlightState

    def __init__(self, theme: Theme) -> None:
        self._theme = theme  # a widget beside it in the class needs it to be made
        super().__init__()
        self._heat: tuple[float, ...] = ()
        self._noted_position = (0.0, 0.0)
        self.map = AnswerMap(theme)
        self.setVerticalScrollBar(self.map)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setAccessibleName(tr("Document"))
        self.map.mark_clicked.connect(self.light_chosen)
        self.map.place_clicked.connect(self._go_to_share)

    def top(self) -> int:
        """Return the code point at the top of the view."""
        raise NotImplementedError

    def go_to(self, point: int) -> None:
        """Scroll a code point to the top of the view."""
        raise NotImplementedError

    def reveal(self, index: int) -> None:
        """Scroll a highlight into view, with some lines above it, unless it can be seen well already."""
        raise NotImplementedError

    def light_boxes(self, index: int) -> list[QRectF]:
        """Return the boxes of a highlight, in the viewport's pixels."""
        raise NotImplementedError

    def why_not(self, index: int) -> str:
        """Return a sentence on why a span is not highlighted; empty for one that is."""
        raise NotImplementedError

    def _place_highlights(self, places: Sequence[tuple[Span, str]]) -> list[bool]:
        """Set the spans to highlight, with their words; returns for each whether the page has the words there."""
        raise NotImplementedError

    def _mark_shares(self) -> list[float]:
        """Return the share of the document's height above each highlight, 0 to 1; -1 for one that is not shown."""
        raise NotImplementedError

    def _heat_ranges(self) -> Sequence[tuple[float, float]]:
        """Return where the text of each bin of the heat begins and ends, as shares of the document's height, 0 to 1."""
        raise NotImplementedError

    def light(
        self, places: Sequence[tuple[Span, str]], chosen: int = 0, *, faint: bool = False, own: int = -1
    ) -> list[bool]:
        """Highlight spans, each only where the page has exactly its words; returns which are shown.

        The chosen one is stronger; with `faint` it is pale and underlined with dashes. The one with the index `own` was
        chosen by the person, and has another colour than what the reader found.
        """
        shown = self._place_highlights(places)
        self.lights.faint, self.lights.own = faint, own
        self.choose(chosen)
        return shown

    def choose(self, index: int) -> None:
        """Make a highlight the strong one."""
        self.lights.chosen = index
        self._update_marks()
        self.viewport().update()

    def clear_highlights(self) -> None:
        """Remove all highlights."""
        self.lights.clear()
        self._update_marks()
        self.viewport().update()

    def set_heat(self, heat: Sequence[float]) -> None:
        """Show the heat along the scroll bar: `Reading.heat` of this document, or an empty one for none."""
        if tuple(heat) != self._heat:
            self._heat = tuple(heat)
            self._update_heat()

    def note_position(self) -> None:
        """Note the scroll position for `moved_by_user`."""
        self._noted_position = self.scrolled()

    def moved_by_user(self) -> bool:
        """Whether the user has scrolled since `note_position` or `reveal`."""
        return self.scrolled() != self._noted_position

    def selected_place(self) -> tuple[str, Span]:
        """Return the selection, extended to whole words and without blanks around it, as answers are, and its span.

        A match that the search ended at counts as selected while the cursor is still behind it.
        """
        text, own, words = self.text(), self.selection(), self.selected_words()
        if not own and own.end == self.found.end:
            own, words = self.found, self.found.of(text)
        start = own.start + len(words) - len(words.lstrip())
        selected = Span(start, start + len(words.strip()))
        if selected.of(text) != words.strip():  # a page may show other characters than the text has
            return words.strip(), selected
        place = whole_words(text, selected)
        return place.of(text), place

    def is_empty(self) -> bool:
        """Whether the text is blank."""
        return not self.text().strip()

    def place(self) -> tuple[int, int]:
        """Return the page at the top of the view, from 1, or 0 without pages, and the code point there."""
        return 0, self.top()

    def unit(self) -> Unit:
        """Return the unit that `numbers` counts."""
        return Unit.LINE

    def numbers(self) -> int:
        """Return the number of pages, slides, sheets, mails, or lines of the file; 0 where it is not known."""
        raise NotImplementedError

    def number(self) -> int:
        """Return the number of the page, slide or the like at the top of the view, from 1."""
        raise NotImplementedError

    def go_to_number(self, number: int) -> None:
        """Scroll the page, slide or the like with this number to the top."""
        raise NotImplementedError

    def label(self, number: int) -> str:
        """Return the number printed on a page, where it differs from `number`; else an empty string."""
        return ""

    def number_of(self, typed: str) -> int:
        """Return the number that was typed, or whose page has it printed ("iv"); 0 where there is none."""
        labels = (at for at in range(1, self.numbers() + 1) if self.label(at).casefold() == typed.casefold())
        number = next(labels, 0) or (int(typed) if typed.isdecimal() and len(typed) < _LONGEST_NUMBER else 0)
        return number if number <= self.numbers() else 0

    def go_to_entry(self, entry: OutlineEntry) -> None:
        """Scroll to the place of an entry of the outline."""
        self.go_to(entry.point)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_map()
        self.resized.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and not self.selected_words():
            self.copy_asked.emit()
        else:
            super().keyPressEvent(event)

    @Slot()
    def _update_map(self) -> None:
        self._update_marks()
        self._update_heat()

    def _update_marks(self) -> None:
        self.map.set_marks(self._mark_shares(), self.lights.chosen)

    def _update_heat(self) -> None:
        self.map.set_heat(heat_over_height(self._heat, self._heat_ranges()) if self._heat else ())

    @Slot(float)
    def _go_to_share(self, share: float) -> None:
        bar = self.map
        bar.setValue(round(share * (bar.maximum() + bar.pageStep()) - bar.pageStep() * ABOVE))


class ReadOnlyPane(Pane):
    """A pane whose text cannot be edited; files can be dropped and pasted on it."""

    _opened: Opened

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.setAcceptDrops(True)

    def text(self) -> str:
        return self._opened.document.text

    def unit(self) -> Unit:
        return self._opened.units()[0]

    def numbers(self) -> int:
        return len(self._opened.units()[1])

    def number(self) -> int:
        return max(1, bisect_right(self._opened.units()[1], self.top()))

    def go_to_number(self, number: int) -> None:
        self.go_to(self._opened.units()[1][number - 1])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste):
            if files := copied_files():
                self.files_dropped.emit(files)
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        accept_files_only(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        accept_files_only(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if files := dropped_files(event):
            self.files_dropped.emit(files)


class PaperPane(Pane, SearchableTextEdit):
    """A pane on a text edit, drawn as paper on the desk."""

    NOT_SHOWN = ""

    lights: Highlights

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.lights = self._make_lights()
        self.setProperty("bare", "true")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _highlight_at(self, event: QMouseEvent) -> int:
        """Return the index of the highlight that was clicked, -1 without one."""
        raise NotImplementedError

    def why_not(self, index: int) -> str:
        unlit = 0 <= index < len(self.lights.places) and self.lights.get(index) is None
        return self.NOT_SHOWN if unlit else ""

    def lit(self) -> list[str]:
        """Return the highlighted words, read back from the page, in their order."""
        places = self.lights.places
        return [text_at(self.document(), light.start, light.end) for light in places if light.shown]

    def light_boxes(self, index: int) -> list[QRectF]:
        # Only in paragraphs that can be seen.
        return self.lights.boxes(index, self.visible_blocks())

    def reveal(self, index: int) -> None:
        light = self.lights.get(index)
        if light is not None:
            self._put_caret(light.start)
            self.bring_into_view(light.start, ABOVE)
            self.note_position()

    def _put_caret(self, position: int) -> None:
        """Put the caret, from which a screen reader reads on, at a position without scrolling; a selection stays."""
        cursor, scrolled = self.textCursor(), self.map.value()
        if not cursor.hasSelection():
            cursor.setPosition(position)
            self.setTextCursor(cursor)
            self.map.setValue(scrolled)

    def top(self) -> int:
        return self._to_point(self.top_position())

    def event(self, event: QEvent) -> bool:
        # The wheel scrolls the page over the desk beside it, too.
        if isinstance(event, QWheelEvent):
            self.wheelEvent(event)
            return event.isAccepted()
        return super().event(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            index = self._highlight_at(event)
            if index >= 0:
                self.light_chosen.emit(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, page = self._theme, QRectF(self.viewport().rect())
        blocks = self.visible_blocks() if self.lights.places or self.sought else []
        painter = QPainter(self.viewport())
        painter.fillRect(page, theme.colour("paper"))
        self._draw_under(painter)
        if self.sought is not None:
            draw_found(painter, blocks, self.sought, theme)
        self.lights.draw_grounds(painter, blocks)
        painter.end()
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        self.lights.draw_lines(painter, blocks)
        if self.sought is not None:
            draw_current(painter, blocks, self.textCursor(), theme)
        # The border is open at the bottom, where the page continues; a line at the top shows the focus.
        painter.setPen(theme.colour("line"))
        painter.drawRect(page.adjusted(0.5, 0.5, -0.5, 1.5))
        if self.hasFocus():
            painter.fillRect(QRectF(0, 0, page.width(), 2), theme.colour("focus"))

    def _draw_under(self, painter: QPainter) -> None:
        """Draw on the paper, under the highlights and the text."""

    def _make_lights(self) -> Highlights:
        return Highlights(self._theme)

    def _mark_shares(self) -> list[float]:
        return [self.share_of(light.start) if light.shown else -1.0 for light in self.lights.places]

    def _heat_ranges(self) -> Sequence[tuple[float, float]]:
        parts, length = len(self._heat), len(self.text())
        edges = [self.share_of(self._to_qt(length * part // parts)) for part in range(parts)]
        return list(pairwise([*edges, 1.0]))
