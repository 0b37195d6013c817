"""The interface of widgets that show a document of any kind."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol

from PySide6.QtCore import SignalInstance

from app.core.text import Span
from app.ui.document.marks.word_search import ViewState


class Pane(Protocol):
    """A document on the screen, with highlighted answers. Positions are code points of `text()`.

    Signals: `light_chosen` (int) is the index of a highlighted place that was clicked, on the page or in the map;
    `copy_asked` is sent on Ctrl+C while nothing is selected; `files_dropped` carries paths; `resized` is sent when the
    page's size has changed.
    """

    light_chosen: SignalInstance
    copy_asked: SignalInstance
    files_dropped: SignalInstance
    resized: SignalInstance

    def text(self) -> str:
        """The document's text."""

    def light(
        self, places: Sequence[tuple[Span, str]], chosen: int = 0, *, faint: bool = False
    ) -> list[bool]:
        """Highlight places, each only where the page has exactly its words; returns which are shown.

        The chosen one is stronger; with `faint` it is pale, with dashes under it.
        """

    def why_not(self, index: int) -> str:
        """Why a place is not highlighted, in a sentence for the user; empty for one that is."""

    def choose(self, index: int) -> None:
        """Choose which highlighted place is the strong one."""

    def clear_highlights(self) -> None:
        """Remove all highlights."""

    def reveal(self, index: int) -> None:
        """Scroll a highlighted place into view, unless it can be seen well already."""

    def set_heat(self, heat: Sequence[float]) -> None:
        """Show the heat of answers along the scroll bar: `Reading.heat` of this document, or empty."""

    def note_position(self) -> None:
        """Note the scroll position, for `moved_by_user`."""

    def moved_by_user(self) -> bool:
        """Whether the page was scrolled since `note_position` or `reveal`, other than by them."""

    def go_to_words(self, words: str, backwards: bool = False) -> bool:
        """Select the next match of these words, cyclically; False if there is none."""

    def seek(
        self, words: str, backwards: bool = False, since: ViewState | None = None
    ) -> Generator[None, None, bool]:
        """The same in short turns, from the cursor, or from the state `since` at the start of a search."""

    def count_places(self, words: str) -> Generator[None, None, tuple[int, int]]:
        """The number of the selected match of these words, 0 for none, and of all; in short turns, after `seek`."""

    def view_state(self) -> ViewState:
        """The selection and scroll position, for `restore_view`."""

    def restore_view(self, state: ViewState) -> None:
        """Restore the selection and the scroll position."""

    def selected_words(self) -> str:
        """The selected words, empty without a selection."""

    def is_empty(self) -> bool:
        """Whether there is no text."""

    def top(self) -> int:
        """The code point at the top of the view."""

    def go_to(self, point: int) -> None:
        """Scroll a code point to the top of the view."""
