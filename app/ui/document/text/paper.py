"""What a page asks of the papers that texts are typed on."""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol, overload

from PySide6.QtCore import Qt, SignalInstance

from app.ui.document.marks.word_search import Stand


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
        """Take the first text, without telling and with nothing to undo."""

    def replace(self, text: str) -> None:
        """Put another text in place of this one."""

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

    @overload
    def setFocus(self) -> None: ...
    @overload
    def setFocus(self, reason: Qt.FocusReason, /) -> None: ...
