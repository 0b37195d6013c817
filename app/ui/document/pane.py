"""What every view of a document can do: the base of its three panes."""

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
from PySide6.QtWidgets import QWidget

from app.core.layout import Opened, OutlineEntry, Unit
from app.core.text import Span, whole_words
from app.ui.document.marks.answer_map import AnswerMap, heat_over_height
from app.ui.document.marks.highlights import Highlights, Lights, draw_current, draw_found
from app.ui.document.marks.offsets import text_at
from app.ui.document.marks.word_search import Searched, SearchedEdit
from app.ui.kit.dropped import accept_files_only, copied_files, dropped_files
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

# A highlighted place is scrolled to have this share of the view above it.
ABOVE = 0.3
# Zooms of pages that follow the view's size.
FIT_WIDTH, FIT_PAGE = 0.0, -1.0
# A comfortable line, in the sample's letters: some 70 of most texts.
MEASURE = 75
_LONGEST_NUMBER = 10
_SAMPLE = "The reader lights up the exact words of the answer in its place, and nothing else. "


def comfortable(font: QFont) -> float:
    """The width in pixels of a comfortable line of text in a font."""
    return QFontMetricsF(font).horizontalAdvance(_SAMPLE) / len(_SAMPLE) * MEASURE


def page_fit(theme: Theme, measure: float, room: float) -> tuple[int, int]:
    """The margin inside a page and the desk on either side of it, for lines of `measure` in `room` pixels."""
    room -= theme.step(6)
    margin = min(max(theme.step(6), (room - measure) / 2), theme.step(16))
    aside = max(0, int(room - measure - 2 * margin) // 2) + theme.step(3)
    return round(margin), aside


class Pane(Searched):
    """A document on the screen, with highlighted answers. Positions are code points of `text()`.

    A mixin: the scroll area that it is mixed into gets the answer map for a scroll bar.

    `light_chosen` carries the index of a highlighted place that was clicked, on the page or in the map; `copy_asked` is
    sent on Ctrl+C while nothing is selected; `files_dropped` carries paths; `resized` is sent when the page's size has
    changed.
    """

    light_chosen = Signal(int)
    copy_asked = Signal()
    files_dropped = Signal(list)
    resized = Signal()

    lights: Lights

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._heat: tuple[float, ...] = ()
        self._noted_position = (0.0, 0.0)
        self.map = AnswerMap(theme, self)
        self.setVerticalScrollBar(self.map)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setAccessibleName(tr("Document"))
        self.map.mark_clicked.connect(self.light_chosen)
        self.map.place_clicked.connect(self._go_to_share)

    def top(self) -> int:
        """The code point at the top of the view."""
        raise NotImplementedError

    def go_to(self, point: int) -> None:
        """Scroll a code point to the top of the view."""
        raise NotImplementedError

    def reveal(self, index: int) -> None:
        """Scroll a highlighted place into view, with some lines above it, unless it can be seen well already."""
        raise NotImplementedError

    def light_boxes(self, index: int) -> list[QRectF]:
        """The boxes of a highlighted place, in the viewport's pixels."""
        raise NotImplementedError

    def why_not(self, index: int) -> str:
        """Why a place is not highlighted, in a sentence for the user; empty for one that is."""
        raise NotImplementedError

    def _place_highlights(self, places: Sequence[tuple[Span, str]]) -> list[bool]:
        """Set the places with their words; returns for each whether the page has the words there."""
        raise NotImplementedError

    def _mark_shares(self) -> list[float]:
        """Each highlighted place's share of the page's height above it, 0 to 1; -1 for one that is not shown."""
        raise NotImplementedError

    def _heat_ranges(self) -> Sequence[tuple[float, float]]:
        """The shares of the page's height, 0 to 1, from which and to which each part of the heat's text reaches."""
        raise NotImplementedError

    def light(
        self, places: Sequence[tuple[Span, str]], chosen: int = 0, *, faint: bool = False, own: int = -1
    ) -> list[bool]:
        """Highlight places, each only where the page has exactly its words; returns which are shown.

        The chosen one is stronger; with `faint` it is pale, with dashes under it. That of the index `own` was taken by
        the person, and has another colour than what the reader found.
        """
        shown = self._place_highlights(places)
        self.lights.faint, self.lights.own = faint, own
        self.choose(chosen)
        return shown

    def choose(self, index: int) -> None:
        """Choose which highlighted place is the strong one."""
        self.lights.chosen = index
        self._update_marks()
        self.viewport().update()

    def clear_highlights(self) -> None:
        """Remove all highlights."""
        self.lights.clear()
        self._update_marks()
        self.viewport().update()

    def set_heat(self, heat: Sequence[float]) -> None:
        """Show the heat of answers along the scroll bar: `Reading.heat` of this document, or empty."""
        if tuple(heat) != self._heat:
            self._heat = tuple(heat)
            self._update_heat()

    def note_position(self) -> None:
        """Note the scroll position, for `moved_by_user`."""
        self._noted_position = self.scrolled()

    def moved_by_user(self) -> bool:
        """Whether the page was scrolled since `note_position` or `reveal`, other than by them."""
        return self.scrolled() != self._noted_position

    def selected_place(self) -> tuple[str, Span]:
        """The selected words, whole and without the blanks around them, as answers are, and where they are.

        Words that were searched and gone to count as selected as long as the cursor stands behind them.
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
        """Whether there is no text."""
        return not self.text().strip()

    def place(self) -> tuple[int, int]:
        """The page at the top of the view, 0 where there are no pages, and the code point there."""
        return 0, self.top()

    def unit(self) -> Unit:
        """What `numbers` counts."""
        return Unit.LINE

    def numbers(self) -> int:
        """How many pages, slides, sheets, mails, or lines of its file, the document has; 0 where none are known."""
        raise NotImplementedError

    def number(self) -> int:
        """The number of the one that is shown at the top."""
        raise NotImplementedError

    def go_to_number(self, number: int) -> None:
        """Scroll the one of this number to the top."""
        raise NotImplementedError

    def label(self, number: int) -> str:
        """What is printed on a page as its number, where that is another one; else empty."""
        return ""

    def number_of(self, typed: str) -> int:
        """The number meant by what is typed: itself, or the one printed on a page ("iv"); 0 where there is none."""
        labels = (at for at in range(1, self.numbers() + 1) if self.label(at).casefold() == typed.casefold())
        number = next(labels, 0) or (int(typed) if typed.isdecimal() and len(typed) < _LONGEST_NUMBER else 0)
        return number if number <= self.numbers() else 0

    def go_to_entry(self, entry: OutlineEntry) -> None:
        """Scroll the place of a title of the outline to the top."""
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
    """A pane that takes no words: files can be dropped and pasted on it."""

    _opened: Opened

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
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


class PaperPane(Pane, SearchedEdit):
    """A pane on a text edit: words on paper, which lies on the desk."""

    NOT_SHOWN = ""

    lights: Highlights

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.lights = self._make_lights()
        self.setProperty("bare", "true")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _highlight_at(self, event: QMouseEvent) -> int:
        """The index of the highlighted place that was clicked, -1 without one."""
        raise NotImplementedError

    def why_not(self, index: int) -> str:
        unlit = 0 <= index < len(self.lights.places) and self.lights.get(index) is None
        return self.NOT_SHOWN if unlit else ""

    def lit(self) -> list[str]:
        """The highlighted words, read from the page, in the order they were given."""
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
        """Put the caret at a position without scrolling, where a screen reader goes on; what is selected stays so."""
        cursor, scrolled = self.textCursor(), self.map.value()
        if not cursor.hasSelection():
            cursor.setPosition(position)
            self.setTextCursor(cursor)
            self.map.setValue(scrolled)

    def top(self) -> int:
        return self._to_point(self.top_position())

    def event(self, event: QEvent) -> bool:
        # The desk on both sides of the page scrolls it too.
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
        # The page's border runs on below; a line at its head shows the focus.
        painter.setPen(theme.colour("line"))
        painter.drawRect(page.adjusted(0.5, 0.5, -0.5, 1.5))
        if self.hasFocus():
            painter.fillRect(QRectF(0, 0, page.width(), 2), theme.colour("focus"))

    def _draw_under(self, painter: QPainter) -> None:
        """Draw on the paper, under highlights and letters."""

    def _make_lights(self) -> Highlights:
        return Highlights(self._theme)

    def _mark_shares(self) -> list[float]:
        return [self.share_of(light.start) if light.shown else -1.0 for light in self.lights.places]

    def _heat_ranges(self) -> Sequence[tuple[float, float]]:
        parts, length = len(self._heat), len(self.text())
        edges = [self.share_of(self._to_qt(length * part // parts)) for part in range(parts)]
        return list(pairwise([*edges, 1.0]))
