"""Finding words on the current page, and its zoom."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, cast
from weakref import WeakSet

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from shiboken6 import isValid

from app.core.layout import Unit
from app.core.message import Message
from app.core.text import Span
from app.flows.workspace import Workspace
from app.ui.document.find_bar import FindBar
from app.ui.document.marks.word_search import Searched, ViewState, matches, pattern_of
from app.ui.document.pane import FIT_PAGE, Pane
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

if TYPE_CHECKING:
    from app.ui.document.pdf.page_pane import PagePane

IN_FIND_BAR = ("F3 / Shift+F3", Message("In the find bar: next, previous place"))
SIZES = (50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300)
USUAL = 100
_LONGEST = 80
_REST_MS = 150
# The most seconds that are searched between the window's other events.
_TURN = 0.006


class Finding(QObject):
    """The find bar over a text; `searched` returns the current text, None where there is none to search.

    When typing pauses, the first match from the starting view is selected; when the words are deleted, or the bar is
    closed before the user has moved in the text, that view is restored. No match is selected once the bar is closed. A
    long text is searched in short turns, between the window's other events.
    """

    def __init__(self, bar: FindBar, searched: Callable[[], Searched | None], parent: QObject) -> None:
        super().__init__(parent)
        self._bar = bar
        self._searched = searched
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._rested)
        self._turns = QTimer(self)
        self._turns.timeout.connect(self._turn)
        self._work: Iterator[None] = iter(())
        # The view before words were typed, and the view as the search has left it since.
        self._start_view: tuple[Searched, ViewState] | None = None
        self._search_view: ViewState | None = None
        self._match: Span | None = None  # the one that is selected
        self._pending = False  # words were typed that were not searched yet
        self._at_work: Searched | None = None
        self._marked: Searched | None = None
        bar.typed.connect(self._typed)
        bar.closed.connect(self._closed)
        bar.find_requested.connect(self._find)

    @Slot()
    def open(self) -> None:
        """Show the bar, with the selected words."""
        searched = self._searched()
        if searched is not None:
            if self._bar.isHidden():
                self._take_view(searched)
            chosen = searched.selected_words()
            self._bar.open(chosen if len(chosen) < _LONGEST and "\n" not in chosen else "")

    @Slot(str)
    def _typed(self, words: str) -> None:
        self._end()
        searched = self._searched()
        if searched is None:
            return
        if not self._untouched(searched):
            self._take_view(searched)
        self._pending = bool(words)
        self._mark(searched, "")
        if words:
            self._rest.start()
        elif self._start_view is not None:
            searched.restore_view(self._start_view[1])
            self._search_view = searched.view_state()

    @Slot()
    def _closed(self) -> None:
        """Restore the view where only typing has moved it, and select no match any more."""
        self._end()
        searched = self._searched()
        if searched is not None and self._start_view is not None and self._untouched(searched):
            searched.restore_view(self._start_view[1])
        elif searched is not None and self._match is not None and searched.selection() == self._match:
            searched.restore_view(_unselected(searched.view_state()))
        if searched is not None and self._match is not None:
            searched.found = self._match
        self._start_view = self._search_view = self._match = None
        self._pending = False
        self._mark(None, "")

    @Slot()
    def _rested(self) -> None:
        words, searched = self._bar.field.text(), self._searched()
        if words and searched is not None:
            if self._start_view is None or self._start_view[0] is not searched:
                self._take_view(searched)
            self._begin(searched, self._search(searched, words, is_typed=True))

    @Slot(str, bool)
    def _find(self, words: str, backwards: bool) -> None:
        searched = self._searched()
        if searched is not None:
            self._begin(searched, self._search(searched, words, backwards))
        else:
            self._bar.news.setText(tr("Not found"))

    def _search(
        self, searched: Searched, words: str, backwards: bool = False, *, is_typed: bool = False
    ) -> Iterator[None]:
        """Select a match and show its number: the next one, or of words just typed the first from the starting view."""
        pattern, own = pattern_of(words), searched.selection()
        start, at = own.start if backwards else own.end, -1
        # Enter before the first match was selected selects that.
        is_first = is_typed or (self._pending and self._untouched(searched))
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
        if found and at < 0:
            at = (
                (bisect_right(found, start, key=lambda match: match.end) - 1) % len(found) if backwards else 0
            )
            self._go_to(searched, found[at], is_typed)
        self._pending = False
        if found:
            self._bar.news.setText(tr("{number:,} of {total:,}", number=at + 1, total=len(found)))
            return
        self._bar.news.setText(tr("Not found"))
        if is_typed and self._start_view is not None:
            searched.restore_view(self._start_view[1])
            self._search_view = searched.view_state()

    def _go_to(self, searched: Searched, match: Span, is_typed: bool) -> None:
        """Select a match; with Enter its view is the starting view from then on."""
        searched.select(match)
        searched.show_selection()
        self._search_view = state = searched.view_state()
        self._match, self._pending = state.selection, False
        if not is_typed:
            self._start_view = searched, _unselected(state)

    def _mark(self, searched: Searched | None, words: str) -> None:
        """Mark all matches of these words in a text, and none in another one."""
        before, self._marked = self._marked, searched if words else None
        if before is not None and before is not searched and isValid(before):
            before.mark_all("")
        if searched is not None:
            searched.mark_all(words)

    def _take_view(self, searched: Searched) -> None:
        """Take the present view as the starting view."""
        self._search_view = searched.view_state()
        self._start_view = (searched, self._search_view)

    def _untouched(self, searched: Searched) -> bool:
        """Whether the view is as the search has left it: without scrolling, selecting or editing since."""
        if self._start_view is None or self._search_view is None:
            return False
        return self._start_view[0] is searched and searched.view_state().is_at(self._search_view)

    def _begin(self, searched: Searched, work: Iterator[None]) -> None:
        self._end()
        self._at_work, self._work = searched, work
        self._turns.start(0)
        self._turn()

    def _end(self) -> None:
        """Stop searching."""
        self._rest.stop()
        self._turns.stop()
        self._work = iter(())

    @Slot()
    def _turn(self) -> None:
        until = perf_counter() + _TURN
        # A text that is not shown any more may be deleted.
        while self._at_work is self._searched() and next(self._work, self) is not self:
            if perf_counter() > until:
                return
        self._turns.stop()


def _unselected(state: ViewState) -> ViewState:
    """A view with nothing selected, and the cursor behind what was."""
    return replace(state, selection=Span(state.selection.end, state.selection.end))


class Zoom(QObject):
    """The zoom of the page that `up` returns: a PDF has its own, texts have the text size of all documents.

    That of the PDF zoomed last is kept, for those opened from then on. `changed` is sent when a page has another zoom.
    """

    changed = Signal()

    def __init__(self, workspace: Workspace, theme: Theme, up: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._theme = theme
        self._up = up
        self._begun: WeakSet[object] = WeakSet()

    @Slot()
    def larger(self) -> None:
        """Show the page larger."""
        self._zoom(1)

    @Slot()
    def smaller(self) -> None:
        """Show the page smaller."""
        self._zoom(-1)

    @Slot()
    def usual(self) -> None:
        """Show the page at its usual size; a PDF's fits the width."""
        self._zoom(0)

    @Slot()
    def whole_page(self) -> None:
        """Show a PDF's page whole; any other at its usual size."""
        if (pages := self._pages()) is not None:
            pages.set_zoom(FIT_PAGE)
        else:
            self.usual()

    def set_percent(self, percent: int) -> None:
        """Show the page at a zoom in per cent."""
        if (pages := self._pages()) is not None:
            pages.set_zoom(percent / 100)
            return
        self._workspace.settings.document_size = percent
        self._theme.scale_documents(percent / 100)
        self.changed.emit()

    def percent(self) -> int:
        """The zoom of the page in per cent."""
        pages = self._pages()
        return (
            round(pages.shown_zoom() * 100) if pages is not None else self._workspace.settings.document_size
        )

    def fit(self) -> float | None:
        """How a PDF's page is fitted, FIT_WIDTH or FIT_PAGE; None where it is not, or there is none."""
        pages = self._pages()
        return pages.zoom() if pages is not None and pages.zoom() <= 0 else None

    def begin(self, pane: object) -> None:
        """Show a PDF that was just opened at the zoom of the last one, and keep that of this one from now on."""
        pages = _pages(pane)
        if pages is not None and pages not in self._begun:
            self._begun.add(pages)
            pages.set_zoom(self._workspace.settings.page_zoom)
            pages.zoomed.connect(self._zoomed)

    def _zoom(self, by: int) -> None:
        if (pages := self._pages()) is not None:
            pages.zoom_by(by)
            return
        size = self._workspace.settings.document_size
        further = [each for each in SIZES if (each - size) * by > 0]
        self.set_percent(USUAL if by == 0 else (min if by > 0 else max)(further, default=size))

    def _pages(self) -> PagePane | None:
        return _pages(self._up())

    @Slot(float)
    def _zoomed(self, zoom: float) -> None:
        self._workspace.settings.page_zoom = zoom
        self.changed.emit()


def _pages(pane: object) -> PagePane | None:
    """A pane that shows a PDF or a picture; None for any other."""
    is_paged = isinstance(pane, Pane) and pane.unit() is Unit.PAGE
    return cast("PagePane", pane) if is_paged else None


def reading_keys(finding: Finding, zoom: Zoom) -> tuple[tuple[str, Callable[[], object]], ...]:
    """The keys for both, as Page.add_shortcuts takes them."""
    return (
        ("Ctrl+F", finding.open),
        ("Ctrl++", zoom.larger),
        ("Ctrl+=", zoom.larger),
        ("Ctrl+-", zoom.smaller),
        ("Ctrl+0", zoom.usual),
        ("Ctrl+Shift+P", zoom.whole_page),
    )
