"""A page that shows a flowing document: built bit by bit, scrolled without jumps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QPointF, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent, QTextBlock, QTextCursor, QTextDocument, QWheelEvent
from PySide6.QtWidgets import QTextEdit, QWidget

from app.core.layout import Opened
from app.core.text import Document
from app.ui.document.flowing.rich_building import Building
from app.ui.document.flowing.rich_layout import RichLayout
from app.ui.document.flowing.rich_look import Looks
from app.ui.document.flowing.rich_places import Places
from app.ui.document.flowing.rich_text import Part, Setting
from app.ui.document.marks.answer_map import AnswerMap
from app.ui.document.marks.word_search import SearchedEdit
from app.ui.document.pane import comfortable, page_fit
from app.ui.kit.theme import Theme

# The most seconds of a turn of the event loop for building or measuring, and in all for building to wanted places.
_TURN, _PATIENCE = 0.008, 0.1
# What may wait for more of the page, in the order in which it is done.
_WAITING = ("light", "select", "scroll")
_ROUNDS = 6
# Parts of a former document that are freed in a turn.
_FREED = 200
# Seconds between two updates of the map along the scroll bar while the page grows.
_NEWS = 0.1


class _Document(QTextDocument):
    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Load nothing, from nowhere."""
        return None


class RichPage(SearchedEdit, QTextEdit):
    """Shows blocks and tables and lets words be selected.

    `grown` is sent when more of the document is on the page or its height is known better.
    """

    grown = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._opened = Opened(Document(""))
        self._places = Places("")
        self._steps: Iterator[tuple[list[Part], int]] = iter(())
        self._inserted = 0
        self._built = True
        # What waits until the page is built up to a code point.
        self._later: dict[str, tuple[int, Callable[[], object]]] = {}
        self._patience = _PATIENCE
        self._former: list[Part] = []  # of another document; freeing many of them takes a while
        self._settling = False
        self._moved = False
        self._reading: tuple[int, float] | None = None
        self._reported_at = 0.0
        self.map = AnswerMap(theme, self)
        document = _Document(self)
        document.setUndoRedoEnabled(False)
        self._page = RichLayout(document)
        document.setDocumentLayout(self._page)
        self.setDocument(document)
        self.setReadOnly(True)
        self.setProperty("bare", "true")
        self.setVerticalScrollBar(self.map)
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._turn)
        self.map.valueChanged.connect(self._scrolled)

    def begin(self, opened: Opened) -> None:
        """Show another document from its top; its invisible part is built in later turns."""
        self._opened = opened
        self._rebuild()

    def is_whole(self) -> bool:
        if not self._built:
            self._build(_TURN)
        return self._built

    def when_built(self, point: int, what: str, action: Callable[[], object]) -> bool:
        """Do something once the page is built up to a code point: at once, or in a later turn where that takes long.

        `what` is one of `_WAITING`; an action replaces one of its kind that still waits. Returns whether it is done.
        """
        self._later.pop(what, None)
        while not self._reaches(point) and self._patience > 0:
            start = time.perf_counter()
            self._build(_TURN)
            self._patience -= time.perf_counter() - start
        if not self._reaches(point):
            self._later[what] = point, action
            return False
        action()
        return True

    @property
    def _built_to(self) -> int:
        """The code point that the page is built up to."""
        return self._places.pieces[self._inserted - 1].end if self._inserted else 0

    def _reaches(self, point: int) -> bool:
        return self._built or self._built_to >= point

    def top_position(self) -> int:
        """The position that the first line in view begins with."""
        setting = self._page.setting
        return self._page.position_near(setting.left if setting is not None else 0, self.map.value())

    def reading_place(self) -> tuple[int, float]:
        """A position and the height of its line in the view, the same until the user scrolls."""
        if self._reading is None:
            at = self.top_position()
            self._reading = (at, self._page.line_top(at)[0] - self.map.value())
        return (0, self._page.line_top(0)[0]) if self.map.value() == 0 else self._reading

    def put_line(self, position: int, y: float) -> None:
        """Scroll the line of a position to a height of the view, or as near to it as the page's ends let it."""
        self._page.line_top(position)
        self._settle((position, y))
        self._reading = (position, self._page.line_top(position)[0] - self.map.value())

    def share_of(self, position: int) -> float:
        """The share of the page's height above a position, 0 to 1."""
        return self._page.share_of(position)

    def bring_into_view(self, position: int, above: float) -> None:
        """Scroll a position's line to have the share `above` of the view above it, unless it can be seen well."""
        top, bottom = self._page.line_top(position)
        room, value = self.viewport().height(), self.map.value()
        if not (room * 0.02 <= top - value and top - value + 3 * (bottom - top) <= room):
            self.put_line(position, room * above)

    def scrolled(self) -> tuple[float, float]:
        return self.reading_place()

    def scroll_back(self, scrolled: tuple[float, float]) -> None:
        self.put_line(int(scrolled[0]), scrolled[1])

    def visible_blocks(self) -> list[tuple[QTextBlock, QPointF]]:
        """The Qt blocks that can be seen, each with where its lines are counted from in the viewport."""
        if self._page.setting is None:
            return []
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
        # Qt scrolls to its cursor when it is first shown.
        self._settling = True
        place = self.reading_place()
        super().showEvent(event)
        self._settling = False
        self._settle(place)

    def wheelEvent(self, event: QWheelEvent) -> None:
        # Qt's own would make the letters larger with Ctrl.
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
        text = self._opened.document.text
        self._places = Places(text)
        setting = Setting(self.document(), self._places, Looks(self._theme), self._theme)
        building = Building(self._opened, setting)
        self._settling = True
        self.document().clear()
        self.document().setDefaultFont(self._theme.font("document"))
        self._former += self._page.begin(setting, building.grids)
        self._steps, self._inserted, self._built = building.steps(), 0, False
        self._fit()
        self.map.setValue(0)
        self._settling = False
        self._moved, self._reading = False, None
        self._later.clear()
        self._patience = _PATIENCE
        self._build(_TURN)
        self._timer.start()

    def _build(self, seconds: float) -> None:
        """Build on for some time."""
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
            if what in self._later and self._reaches(self._later[what][0]):
                self._later.pop(what)[1]()
        del self._former[-_FREED:]
        if more or self._former:
            self._timer.start()
        if not more or time.perf_counter() - self._reported_at > _NEWS:
            self._reported_at = time.perf_counter()
            self.grown.emit()

    def _settle(self, keep: tuple[int, float] | None = None) -> None:
        """Lay out the visible part, and keep the part seen before in its place.

        `keep` is a position and the height for its line in the view; without it, the highest visible part that is laid
        out stays in place.
        """
        if self._settling or self._page.setting is None:
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
            self._later.pop("scroll", None)

    def _fit(self) -> None:
        """Set the page's width to a comfortable line, centred on the desk."""
        room = self.width() - self.map.sizeHint().width()
        margin, aside = page_fit(self._theme, comfortable(self._theme.font("document")), room)
        self.setViewportMargins(aside, self._theme.step(5), aside, 0)
        if self._page.setting is not None:
            self._page.fit(room - 2 * aside, margin)
