"""A slim bar that finds words in the document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QToolButton
from shiboken6 import isValid

from app.core.message import Message
from app.core.text import Span
from app.ui.document.marks.searchable import Searchable, ViewState, matches, pattern_of
from app.ui.kit.boxes import row
from app.ui.kit.parts import Label, as_tip
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

IN_FIND_BAR = ("F3 / Shift+F3", Message("In the find bar: next, previous place"))
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_LONGEST = 80
_PAUSE_MS = 150
# The most seconds of searching between the window's other events.
_TURN = 0.006


class FindBar(QFrame):
    """A field, the number of the match (`news`), and buttons for the next and the previous match; Esc hides the bar.

    `searched` returns the text to search, None where there is none. While the focus is in the bar, F3 and Shift+F3 step
    through the matches, whatever they do on the page. `closed` is sent when the bar is hidden.

    When typing pauses, the first match from the starting view on is selected; when the words are deleted, or the bar is
    closed before the user has moved in the text, that view is restored. Closing the bar leaves no match selected. A
    long text is searched in short turns, between the window's other events.
    """

    closed = Signal()

    def __init__(self, theme: Theme, searched: Callable[[], Searchable | None]) -> None:
        super().__init__()
        self._searched = searched
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._typing_paused)
        self._turns = QTimer(self)
        self._turns.timeout.connect(self._turn)
        self._work: Iterator[None] = iter(())
        # The view before words were typed, and the view as the search last left it.
        self._start_view: tuple[Searchable, ViewState] | None = None
        self._search_view: ViewState | None = None
        self._match: Span | None = None  # the selected match
        self._pending = False  # whether words were typed that are not searched for yet
        self._searching: Searchable | None = None
        self._marked: Searchable | None = None
        self.setProperty("kind", "frame")
        self.setAccessibleName(tr("Find in the text"))
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Find in the text"))
        self.field.setAccessibleName(tr("Find in the text"))
        self.news = Label()
        self.news.setProperty("ink", "quiet")
        self._back, self._next, self._close = QToolButton(), QToolButton(), QToolButton()
        for button, icon, name, tip, act in (
            (
                self._back,
                "up",
                tr("Previous place"),
                tr("Previous place  (Shift+Enter, Shift+F3)"),
                self._find_back,
            ),
            (self._next, "down", tr("Next place"), tr("Next place  (Enter, F3)"), self._find_next),
            (self._close, "close", tr("Put away"), tr("Put away  (Esc)"), self.put_away),
        ):
            button.setIcon(theme.icon(icon))
            button.setAccessibleName(name)
            button.setToolTip(as_tip(tip))
            button.clicked.connect(act)
        parts = (self.field, 1), self.news, self._back, self._next, self._close
        row(theme, *parts, gap=1.5, margins=(4, 1.5, 3, 1.5), parent=self)
        self.setFocusProxy(self.field)
        self.field.installEventFilter(self)
        self.field.textEdited.connect(self._typed)
        self.hide()

    @Slot()
    def open(self) -> None:
        """Show the bar where there is a text to search, with the selected words in its field."""
        searched = self._searched()
        if searched is None:
            return
        if self.isHidden():
            self._take_view(searched)
        chosen = searched.selected_words()
        if chosen and len(chosen) < _LONGEST and "\n" not in chosen:
            self.field.setText(chosen)
        self.news.clear()
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.put_away()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._find(bool(event.modifiers() & _SHIFT))
                return True
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        """Take F3 before the page's shortcuts do."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_f3(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step through the matches on F3."""
        if _is_f3(event):
            self._find(bool(event.modifiers() & _SHIFT))
        else:
            super().keyPressEvent(event)

    @Slot()
    def put_away(self) -> None:
        """Hide the bar; the starting view is restored where only the search has moved it."""
        self.hide()
        self._stop_search()
        searched = self._searched()
        if searched is not None and self._start_view is not None and self._is_untouched(searched):
            searched.restore_view(self._start_view[1])
        elif searched is not None and self._match is not None and searched.selection() == self._match:
            searched.restore_view(_without_selection(searched.view_state()))
        if searched is not None and self._match is not None:
            searched.found = self._match
        self._start_view = self._search_view = self._match = None
        self._pending = False
        self._mark(None, "")
        self.closed.emit()

    @Slot(str)
    def _typed(self, words: str) -> None:
        self.news.clear()
        self._stop_search()
        searched = self._searched()
        if searched is None:
            return
        if not self._is_untouched(searched):
            self._take_view(searched)
        self._pending = bool(words)
        self._mark(searched, "")
        if words:
            self._pause.start()
        elif self._start_view is not None:
            searched.restore_view(self._start_view[1])
            self._search_view = searched.view_state()

    @Slot()
    def _typing_paused(self) -> None:
        words, searched = self.field.text(), self._searched()
        if words and searched is not None:
            if self._start_view is None or self._start_view[0] is not searched:
                self._take_view(searched)
            self._begin(searched, self._search(searched, words, is_typed=True))

    @Slot()
    def _find_back(self) -> None:
        self._find(True)

    @Slot()
    def _find_next(self) -> None:
        self._find(False)

    def _find(self, backwards: bool) -> None:
        words, searched = self.field.text(), self._searched()
        if words and searched is not None:
            self._begin(searched, self._search(searched, words, backwards))
        elif words:
            self.news.setText(tr("Not found"))

    def _search(
        self, searched: Searchable, words: str, backwards: bool = False, *, is_typed: bool = False
    ) -> Iterator[None]:
        """Select a match and show its number: the next one, or for words just typed the first from the starting view.

        Yields after each slice of the text.
        """
        pattern, own = pattern_of(words), searched.selection()
        start, at = own.start if backwards else own.end, -1
        # Enter that comes before the first match is selected selects it.
        is_first = is_typed or (self._pending and self._is_untouched(searched))
        if is_first and self._start_view is not None:
            start = self._start_view[1].start
        while pattern is not None and not searched.is_whole():
            yield
        self._mark(searched, words)
        found: list[Span] = []
        for match in matches(pattern, searched.text()) if pattern is not None else ():
            if match is None:
                yield
                continue
            found.append(match)
            if at < 0 and not backwards and match.start >= start:
                at = len(found) - 1
                self._go_to(searched, match, is_typed)
        if (
            found and at < 0
        ):  # backwards the last match before `start`, or the last of all; forwards the first of all
            at = bisect_right(found, start, key=lambda match: match.end) - 1 if backwards else 0
            self._go_to(searched, found[at], is_typed)
        self._pending = False
        if found:
            self.news.setText(tr("{number:,} of {total:,}", number=at % len(found) + 1, total=len(found)))
            return
        self.news.setText(tr("Not found"))
        if is_typed and self._start_view is not None:
            searched.restore_view(self._start_view[1])
            self._search_view = searched.view_state()

    def _go_to(self, searched: Searchable, match: Span, is_typed: bool) -> None:
        """Select a match; one that was not just typed makes its view the starting view."""
        searched.select(match)
        searched.show_selection()
        self._search_view = state = searched.view_state()
        self._match, self._pending = state.selection, False
        if not is_typed:
            self._start_view = searched, _without_selection(state)

    def _mark(self, searched: Searchable | None, words: str) -> None:
        """Mark all matches of these words in a text, and remove the marks of another one."""
        before, self._marked = self._marked, searched if words else None
        if before is not None and before is not searched and isValid(before):
            before.mark_all("")
        if searched is not None:
            searched.mark_all(words)

    def _take_view(self, searched: Searchable) -> None:
        """Take the present view as the starting view."""
        self._search_view = searched.view_state()
        self._start_view = (searched, self._search_view)

    def _is_untouched(self, searched: Searchable) -> bool:
        """Whether the view is as the search left it: the user has not scrolled, selected or edited since."""
        if self._start_view is None or self._search_view is None:
            return False
        return self._start_view[0] is searched and searched.view_state().is_at(self._search_view)

    def _begin(self, searched: Searchable, work: Iterator[None]) -> None:
        self._stop_search()
        self._searching, self._work = searched, work
        self._turns.start(0)
        self._turn()

    def _stop_search(self) -> None:
        """Stop searching."""
        self._pause.stop()
        self._turns.stop()
        self._work = iter(())

    @Slot()
    def _turn(self) -> None:
        until = perf_counter() + _TURN
        # The search ends when another text is shown: this one may have been deleted.
        while self._searching is self._searched() and next(self._work, self) is not self:
            if perf_counter() > until:
                return
        self._turns.stop()


def _without_selection(state: ViewState) -> ViewState:
    """Return a view without its selection, the cursor at the end of what was selected."""
    return replace(state, selection=Span(state.selection.end, state.selection.end))


def _is_f3(event: QKeyEvent) -> bool:
    """Whether the key is F3, with or without Shift."""
    return event.key() == Qt.Key.Key_F3 and not event.modifiers() & ~_SHIFT
