"""The text pane with highlighted names: its text can be typed, pasted, dropped or opened."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import SignalInstance, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from app.ui.document.marks.offsets import insertable
from app.ui.document.text.document_pane import DocumentPane
from app.ui.document.text.long_lines import broken
from app.ui.heads.names.name_lights import HighlightedName, NameHighlights
from app.ui.heads.names.name_styles import NameStyle
from app.ui.kit.theme import Theme

# A longer text replaces another one without undo, which would take twice its memory.
_UNDONE_AT_MOST = 1_000_000
# More marks than the scroll bar has pixels are useless.
_MOST_MARKS = 400


class NamePane(DocumentPane):
    """An editable text with names highlighted in the style of their type; `light_chosen` carries a name's index.

    The scroll bar marks the chosen name and the other occurrences of the same name.
    """

    SPACING = 2.1  # room for the letters below a name

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.map.mark_clicked.disconnect(self.light_chosen)
        self.map.mark_clicked.connect(self._mark_clicked)
        self.map.marked = ("The name that is shown", "The same name", "places")
        self.setAccessibleName("Text with names")
        self.setPlaceholderText("Type or paste a text, or drop a file here.")

    @property
    def dropped(self) -> SignalInstance:
        """Carries the files that were dropped or pasted here."""
        return self.files_dropped

    @property
    def searched(self) -> DocumentPane:
        """This pane, which finds words."""
        return self

    def start_with(self, text: str) -> None:
        """Set the first text, with nothing to undo."""
        self.set_text(text)

    def replace(self, text: str) -> None:
        """Replace the text; this can be undone if it is not very long."""
        if max(len(text), self.document().characterCount()) > _UNDONE_AT_MOST:
            self.set_text(text)
            return
        text = insertable(text)
        shown, breaks = broken(text)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(shown)
        self.moveCursor(QTextCursor.MoveOperation.Start)
        if breaks:
            self.lines_broken.emit(len(shown) > len(text))

    def show_names(self, names: Sequence[HighlightedName], styles: Sequence[NameStyle]) -> list[bool]:
        """Highlight names of `text()` in its order; returns for each whether it is highlighted."""
        self._filling.at_once()
        shown = self.names.set_names(self.text(), self._positions(), names, styles)
        self._names_changed()
        return shown

    def choose_name(self, index: int, mates: Sequence[int] = ()) -> None:
        """Choose a name; `mates` are the occurrences of the same name, in order."""
        self.names.mates = tuple(mates)
        self.choose(index)

    def hide_types(self, kinds: Collection[int]) -> None:
        """Hide the names of these types."""
        self.names.hidden = frozenset(kinds)
        self._names_changed()

    def name_at(self, point: int) -> int:
        """The index of the name around a code point of the text, -1 without one."""
        return self.names.at(self._positions().to_qt(point))

    def _make_lights(self) -> NameHighlights:
        self.names = NameHighlights(self._theme)
        self._marked: list[int] = []
        return self.names

    def _update_marks(self) -> None:
        mates = self.names.mates
        places = sorted({*mates[:: -(-len(mates) // _MOST_MARKS) or 1], self.names.chosen})
        lights = [(index, light) for index in places if (light := self.names.get(index)) is not None]
        self._marked = [index for index, _ in lights]
        chosen = self._marked.index(self.names.chosen) if self.names.chosen in self._marked else -1
        self.map.set_marks([self._page.share_of(light.start) for _, light in lights], chosen)

    @Slot(int)
    def _mark_clicked(self, mark: int) -> None:
        self.light_chosen.emit(self._marked[mark])

    def _names_changed(self) -> None:
        self._update_marks()
        self.viewport().update()
