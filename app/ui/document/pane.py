"""What a view may ask of the widget that shows a document, whatever kind of document it is."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol

from PySide6.QtCore import SignalInstance

from app.core.text import Span
from app.ui.document.marks.word_search import Stand


class Pane(Protocol):
    """A document on the screen, with answers lit up in their places. Positions are code points of `text()`.

    Signals: `light_chosen` (int) is the index of a lit place that was clicked, on the page or in the map;
    `copy_asked` comes on Ctrl+C while nothing is selected; `files_dropped` carries paths; `resized` says that the page
    has taken another size.
    """

    light_chosen: SignalInstance
    copy_asked: SignalInstance
    files_dropped: SignalInstance
    resized: SignalInstance

    def text(self) -> str:
        """The text that is asked about."""

    def light(
        self, places: Sequence[tuple[Span, str]], chosen: int = 0, *, faint: bool = False
    ) -> list[bool]:
        """Light up places, each only where the page says exactly its words; tells which are lit.

        The chosen one is stronger; with `faint` it is pale, with dashes under it.
        """

    def why_not(self, index: int) -> str:
        """Why a place is not lit up, in a sentence for a person; empty for one that is."""

    def choose(self, index: int) -> None:
        """Make another one of the lit places the strong one."""

    def clear_highlights(self) -> None:
        """Light nothing up."""

    def reveal(self, index: int) -> None:
        """Scroll a lit place into view; stays where it is if that can be seen well."""

    def set_heat(self, heat: Sequence[float]) -> None:
        """Show in the map along the scroll bar where answers were seen: `Reading.heat` of this document, or nothing."""

    def hold(self) -> None:
        """Note where the page stands, for `moved_by_person`."""

    def moved_by_person(self) -> bool:
        """Whether the page was scrolled since `hold` or `reveal`, other than by them."""

    def go_to_words(self, words: str, backwards: bool = False) -> bool:
        """Select the next place of these words, from the other end again after the last; False if there is none."""

    def seek(
        self, words: str, backwards: bool = False, since: Stand | None = None
    ) -> Generator[None, None, bool]:
        """The same in short turns, from the cursor, or from where a search started that stood so."""

    def count_places(self, words: str) -> Generator[None, None, tuple[int, int]]:
        """Which place of these words is selected, 0 for none, and how many there are; in short turns, after `seek`."""

    def stand(self) -> Stand:
        """How the text stands, for `put_back`."""

    def put_back(self, stand: Stand) -> None:
        """Select and scroll as it was."""

    def selected_words(self) -> str:
        """What is selected, empty without a selection."""

    def is_empty(self) -> bool:
        """Whether there is no text."""

    def top(self) -> int:
        """The code point that stands at the top of the view."""

    def go_to(self, point: int) -> None:
        """Scroll a code point to the top of the view."""
