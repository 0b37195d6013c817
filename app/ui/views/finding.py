"""Finding words on the page that is up, and how large it is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Slot

from app.core import wording
from app.flows.workspace import Workspace
from app.ui.theme import Theme
from app.ui.widgets.find_bar import FindBar
from app.ui.widgets.word_search import Stand

SIZES = (50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300)
USUAL = 100
_LONGEST = 80
_REST_MS = 200


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


class Finding(QObject):
    """The find bar over a text; `searched` gives the one that is up, None where there is nothing to find in.

    As words are typed, the first place of them is gone to from where the text stood; when nothing is typed any more, or
    the bar is put away before a next place was asked for, the text stands there again.
    """

    def __init__(self, bar: FindBar, searched: Callable[[], Searched | None], parent: QObject) -> None:
        super().__init__(parent)
        self._bar = bar
        self._searched = searched
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REST_MS)
        self._timer.timeout.connect(self._count)
        self._stood: tuple[Searched, Stand] | None = None
        bar.typed.connect(self._typed)
        bar.closed.connect(self._closed)
        bar.find_asked.connect(self._find)

    @Slot()
    def open(self) -> None:
        """Bring the bar up, with the words that are selected."""
        searched = self._searched()
        if searched is not None:
            self._stood = (searched, searched.stand())
            chosen = searched.selected_words()
            self._bar.open(chosen if len(chosen) < _LONGEST and "\n" not in chosen else "")

    @Slot(str)
    def _typed(self, words: str) -> None:
        self._timer.start()
        searched = self._searched()
        if searched is None:
            return
        if self._stood is None or self._stood[0] is not searched:
            self._stood = (searched, searched.stand())
        stand = self._stood[1]
        searched.put_back(stand.unselected() if words else stand)
        if words and not searched.go_to_words(words):
            searched.put_back(stand)

    @Slot()
    def _closed(self) -> None:
        """Put the text back where only typing has moved it."""
        if self._stood is not None and self._stood[0] is self._searched():
            self._stood[0].put_back(self._stood[1])
        self._stood = None

    @Slot()
    def _count(self) -> None:
        """Say in how many places the words stand."""
        words, searched = self._bar.field.text().casefold(), self._searched()
        if words and searched is not None:
            number = searched.text().casefold().count(words)
            self._bar.say(wording.count(number, "place") if number else "Not found")

    @Slot(str, bool)
    def _find(self, words: str, backwards: bool) -> None:
        searched = self._searched()
        found = searched is not None and searched.go_to_words(words, backwards)
        if searched is not None and found:
            self._stood = (searched, searched.stand())  # the person has gone on from where it stood
        self._bar.say("" if found else "Not found")


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
        from app.ui.widgets.page_pane import PagePane

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
