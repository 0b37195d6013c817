"""The interface of editors that texts are typed in."""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol, overload

from PySide6.QtCore import Qt, SignalInstance

from app.ui.document.marks.word_search import ViewState


class Paper(Protocol):
    """A text that can be edited."""

    @property
    def edited(self) -> SignalInstance:
        """Sent for every change of the text."""

    @property
    def dropped(self) -> SignalInstance:
        """Carries the files that were dropped or pasted here."""

    def text(self) -> str:
        """The text, newlines as LF."""

    def is_empty(self) -> bool:
        """Whether there is no character at all."""

    def start_with(self, text: str) -> None:
        """Set the first text, without a signal and without an undo step."""

    def replace(self, text: str) -> None:
        """Replace the text."""

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

    @overload
    def setFocus(self) -> None: ...
    @overload
    def setFocus(self, reason: Qt.FocusReason, /) -> None: ...
