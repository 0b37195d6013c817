"""Finding words on the current page, and its zoom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Slot

from app.core.message import Message
from app.flows.workspace import Workspace
from app.ui.document.find_bar import FindBar
from app.ui.document.marks.word_search import TURN, Searched, ViewState
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

IN_FIND_BAR = ("F3 / Shift+F3", Message("In the find bar: next, previous place"))
SIZES = (50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300)
USUAL = 100
_LONGEST = 80
_REST_MS = 150


class Finding(QObject):
    """The find bar over a text; `searched` returns the current text, None where there is none to search.

    When typing pauses, the first match from the starting view is selected; when the words are deleted, or the bar is
    closed before the user has moved in the text, that view is restored. A long text is searched in short turns, between
    the window's other events.
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
        self._pending = False  # words were typed that were not searched yet
        self._at_work: Searched | None = None
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
        if words:
            self._rest.start()
        elif self._start_view is not None:
            searched.restore_view(self._start_view[1])
            self._search_view = searched.view_state()

    @Slot()
    def _closed(self) -> None:
        """Restore the view where only typing has moved it."""
        self._end()
        searched = self._searched()
        if searched is not None and self._start_view is not None and self._untouched(searched):
            searched.restore_view(self._start_view[1])
        self._start_view = self._search_view = None
        self._pending = False

    @Slot()
    def _rested(self) -> None:
        words, searched = self._bar.field.text(), self._searched()
        if words and searched is not None:
            self._begin(searched, self._go_to_first(searched, words))

    @Slot(str, bool)
    def _find(self, words: str, backwards: bool) -> None:
        searched = self._searched()
        if searched is None:
            self._bar.news.setText(tr("Not found"))
            return
        # Enter before the first match was selected selects that.
        first = None
        if self._pending and self._start_view is not None and self._untouched(searched):
            first = self._start_view[1]
        self._begin(searched, self._go_on(searched, words, backwards, first))

    def _go_to_first(self, searched: Searched, words: str) -> Iterator[None]:
        """Select the first match of the typed words, then show the number of matches."""
        if self._start_view is None or self._start_view[0] is not searched:
            self._take_view(searched)
        assert self._start_view is not None
        state = self._start_view[1]
        if not (yield from searched.seek(words, since=state)):
            searched.restore_view(state)
        self._search_view, self._pending = searched.view_state(), False
        yield
        yield from self._show_matches(searched, words, False)

    def _go_on(
        self, searched: Searched, words: str, backwards: bool, first: ViewState | None
    ) -> Iterator[None]:
        """Select the next match, whose view is the starting view from then on, and show its number."""
        found = yield from searched.seek(words, backwards, first)
        self._pending = False
        if found:
            self._take_view(searched)
            yield from self._show_matches(searched, words, True)
        else:
            self._bar.news.setText(tr("Not found"))

    def _show_matches(self, searched: Searched, words: str, stepped: bool) -> Iterator[None]:
        """Show the number of matches and, after a step, that of the selected one."""
        number, several = yield from searched.count_places(words)
        if stepped and number:
            self._bar.news.setText(tr("{number:,} of {total:,}", number=number, total=several))
        elif several:
            self._bar.news.setText(tr("{n:,} place", "{n:,} places", n=several))
        else:
            self._bar.news.setText(tr("Not found"))

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
        until = perf_counter() + TURN
        # A text that is not shown any more may be deleted.
        while self._at_work is self._searched() and next(self._work, self) is not self:
            if perf_counter() > until:
                return
        self._turns.stop()


class Zoom(QObject):
    """The zoom of the page that `up` returns: a PDF has its own, texts have the text size of all documents."""

    def __init__(self, workspace: Workspace, theme: Theme, up: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._theme = theme
        self._up = up

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
        """Show the page at its usual size."""
        self._zoom(0)

    def _zoom(self, by: int) -> None:
        from app.ui.document.pdf.page_pane import PagePane

        pane = self._up()
        if isinstance(pane, PagePane):
            pane.zoom_by(by)
            return
        settings = self._workspace.settings
        further = [size for size in SIZES if (size - settings.document_size) * by > 0]
        size = USUAL if by == 0 else (min if by > 0 else max)(further, default=settings.document_size)
        settings.document_size = size
        self._theme.scale_documents(size / 100)


def reading_keys(finding: Finding, zoom: Zoom) -> tuple[tuple[str, Callable[[], object]], ...]:
    """The keys for both, as Page.add_shortcuts takes them."""
    return (
        ("Ctrl+F", finding.open),
        ("Ctrl++", zoom.larger),
        ("Ctrl+=", zoom.larger),
        ("Ctrl+-", zoom.smaller),
        ("Ctrl+0", zoom.usual),
    )
