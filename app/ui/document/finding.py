"""Finding words on the page that is up, and how large it is shown."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from time import perf_counter
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Slot

from app.core import wording
from app.flows.workspace import Workspace
from app.ui.document.find_bar import FindBar
from app.ui.document.marks.word_search import TURN, Stand
from app.ui.kit.theme import Theme

IN_FIND_BAR = ("F3 / Shift+F3", "In the find bar: next, previous place")
SIZES = (50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300)
USUAL = 100
_LONGEST = 80
_REST_MS = 150


class Searched(Protocol):
    """A text on the screen that words can be found in."""

    def text(self) -> str:
        """The whole text."""

    def selected_words(self) -> str:
        """What is selected, empty without a selection."""

    def stand(self) -> Stand:
        """How the text stands, for `put_back`."""

    def put_back(self, stand: Stand) -> None:
        """Select and scroll as it was."""

    def go_to_words(self, words: str, backwards: bool = False) -> bool:
        """Select the next place of these words, from the other end again after the last; False if there is none."""

    def seek(
        self, words: str, backwards: bool = False, since: Stand | None = None
    ) -> Generator[None, None, bool]:
        """The same in short turns, from the cursor, or from where a search started that stood so."""

    def count_places(self, words: str) -> Generator[None, None, tuple[int, int]]:
        """Which place of these words is selected, 0 for none, and how many there are; in short turns, after `seek`."""


class Finding(QObject):
    """The find bar over a text; `searched` gives the one that is up, None where there is nothing to find in.

    When typing rests, the first place of the words is gone to from where the text stood; when nothing is typed any
    more, or the bar is put away before the person has gone on in the text, it stands there again. A long text is
    looked through in short turns, between the window's other events.
    """

    def __init__(self, bar: FindBar, searched: Callable[[], Searched | None], parent: QObject) -> None:
        super().__init__(parent)
        self._bar = bar
        self._searched = searched
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._rested)
        self._turns = QTimer(self)
        self._turns.timeout.connect(self._turn)
        self._work: Iterator[None] = iter(())
        # How the text stood before words were typed, and how the search has left it since.
        self._stood: tuple[Searched, Stand] | None = None
        self._left: Stand | None = None
        self._owed = False  # words were typed that were not looked for yet
        self._at_work: Searched | None = None
        bar.typed.connect(self._typed)
        bar.closed.connect(self._closed)
        bar.find_asked.connect(self._find)

    @Slot()
    def open(self) -> None:
        """Bring the bar up, with the words that are selected."""
        searched = self._searched()
        if searched is not None:
            if self._bar.isHidden():
                self._hold(searched)
            chosen = searched.selected_words()
            self._bar.open(chosen if len(chosen) < _LONGEST and "\n" not in chosen else "")

    @Slot(str)
    def _typed(self, words: str) -> None:
        self._end()
        searched = self._searched()
        if searched is None:
            return
        if not self._untouched(searched):
            self._hold(searched)
        self._owed = bool(words)
        if words:
            self._rest.start()
        elif self._stood is not None:
            searched.put_back(self._stood[1])
            self._left = searched.stand()

    @Slot()
    def _closed(self) -> None:
        """Put the text back where nothing but typing has moved it."""
        self._end()
        searched = self._searched()
        if searched is not None and self._stood is not None and self._untouched(searched):
            searched.put_back(self._stood[1])
        self._stood = self._left = None
        self._owed = False

    @Slot()
    def _rested(self) -> None:
        words, searched = self._bar.field.text(), self._searched()
        if words and searched is not None:
            self._begin(searched, self._go_to_first(searched, words))

    @Slot(str, bool)
    def _find(self, words: str, backwards: bool) -> None:
        searched = self._searched()
        if searched is None:
            self._bar.say("Not found")
            return
        # Enter that comes before the first place was gone to asks for that.
        first = (
            self._stood[1] if self._owed and self._stood is not None and self._untouched(searched) else None
        )
        self._begin(searched, self._go_on(searched, words, backwards, first))

    def _go_to_first(self, searched: Searched, words: str) -> Iterator[None]:
        """Go to the first place of words that were typed, then say in how many places they stand."""
        if self._stood is None or self._stood[0] is not searched:
            self._hold(searched)
        assert self._stood is not None
        stand = self._stood[1]
        if not (yield from searched.seek(words, since=stand)):
            searched.put_back(stand)
        self._left, self._owed = searched.stand(), False
        yield
        yield from self._say_places(searched, words, False)

    def _go_on(self, searched: Searched, words: str, backwards: bool, first: Stand | None) -> Iterator[None]:
        """Go to the next place, where the text stands from then on, and say which one it is."""
        found = yield from searched.seek(words, backwards, first)
        self._owed = False
        if found:
            self._hold(searched)
            yield from self._say_places(searched, words, True)
        else:
            self._bar.say("Not found")

    def _say_places(self, searched: Searched, words: str, stepped: bool) -> Iterator[None]:
        """Say in how many places words stand and, once somebody has gone on, which of them this is."""
        number, several = yield from searched.count_places(words)
        if stepped and number:
            self._bar.say(f"{number:,} of {several:,}")
        else:
            self._bar.say(wording.count(several, "place") if several else "Not found")

    def _hold(self, searched: Searched) -> None:
        """Take how the text stands now for how it stood."""
        self._left = searched.stand()
        self._stood = (searched, self._left)

    def _untouched(self, searched: Searched) -> bool:
        """Whether the text stands as the search has left it: nobody scrolled, selected or edited it since."""
        if self._stood is None or self._left is None:
            return False
        return self._stood[0] is searched and searched.stand().is_at(self._left)

    def _begin(self, searched: Searched, work: Iterator[None]) -> None:
        self._end()
        self._at_work, self._work = searched, work
        self._turns.start(0)
        self._turn()

    def _end(self) -> None:
        """Look for nothing any more."""
        self._rest.stop()
        self._turns.stop()
        self._work = iter(())

    @Slot()
    def _turn(self) -> None:
        until = perf_counter() + TURN
        # A text that is not up any more may be gone.
        while self._at_work is self._searched() and next(self._work, self) is not self:
            if perf_counter() > until:
                return
        self._turns.stop()


class Zoom(QObject):
    """How large the page that `up` gives is shown: a PDF by itself, texts by the size of all documents' letters."""

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
            (pane.zoom_fit, pane.zoom_in, pane.zoom_out)[by]()
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
