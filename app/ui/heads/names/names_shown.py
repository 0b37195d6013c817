"""The names found, in the text and in the list, and navigation from one to the next."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.core import wording
from app.core.inspection import Subject, Visit
from app.core.models import Head
from app.ui.heads.names.name_model import NameRow
from app.ui.heads.names.name_pane import NamePane
from app.ui.heads.names.names_found import NamesFound
from app.ui.heads.names.names_panel import NamesPanel


class NamesShown(QObject):
    """Synchronises the text, the legend and the list: the names `found`, the chosen name, the shown types."""

    def __init__(self, pane: NamePane, panel: NamesPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._pane = pane
        self._panel = panel
        self.found = NamesFound()
        pane.light_chosen.connect(self._clicked)
        panel.shown_types_changed.connect(self._types_changed)
        panel.list.chosen.connect(self._row_chosen)
        panel.list.again.connect(self._row_again)

    def take(self, found: NamesFound) -> None:
        """Show a result; the previously chosen name stays chosen if it is still there."""
        before, self.found = self.found.name, found
        if found.result is None:
            return
        self._panel.show_names(found.entities, found.result.labels)
        self._panel.set_complete(found.result.complete)
        same = [at for at, each in enumerate(found.entities) if before and each.span == before.span]
        found.chosen = same[0] if same else -1
        self.text_changed()

    def text_changed(self) -> None:
        """Highlight the names if the text is the one they were found in; else mark them as outdated."""
        empty = self._pane.is_empty()
        if empty:
            self.found = NamesFound()
        self._panel.set_empty(empty)
        if self.found.result is None:
            return
        outdated = self.is_outdated()
        self._panel.set_outdated(outdated)
        if outdated:
            self._pane.clear_highlights()
            return
        styles = self._panel.styles()
        self._pane.show_names(tuple(self.found.highlighted(styles)), styles)
        self._pane.hide_types(self._panel.legend.hidden())
        self._choose(self.found.chosen, go=False)

    def is_outdated(self) -> bool:
        """Whether the text is another one than that of the result."""
        # The length detects most edits without reading a text of megabytes at every key.
        return self._pane.units() != self.found.units or self._pane.text() != self.found.text

    def visit(self) -> Visit | None:
        """The visit to inspect the chosen name, else the first one; None if there is none."""
        result = self.found.result
        if result is None or not self.found.entities or self.is_outdated():
            return None
        name = self.found.name or self.found.entities[0]
        subject = Subject(Head.TOKEN_CLASSIFICATION, self.found.text, focus=name.span)
        return Visit(subject, result.model, wording.first_words(name.text))

    @Slot()
    def next(self) -> None:
        """Go to the next name in the text."""
        self._step(1)

    @Slot()
    def previous(self) -> None:
        """Go to the previous name in the text."""
        self._step(-1)

    def _step(self, by: int) -> None:
        if self.found.result is None or self.is_outdated():
            return
        hidden = {self._panel.styles()[number].label for number in self._panel.legend.hidden()}
        self._choose(self.found.step(by, hidden))

    def _choose(self, index: int, *, go: bool = True) -> None:
        self.found.chosen = index
        self._pane.choose_name(index, self.found.mates(index))
        self._panel.list.select(index)
        if go and index >= 0:
            self._pane.reveal(index)

    @Slot(int)
    def _clicked(self, index: int) -> None:
        self._choose(index)

    @Slot(object)
    def _row_chosen(self, row: NameRow) -> None:
        self._choose(row.places[0])

    @Slot(object)
    def _row_again(self, row: NameRow) -> None:
        later = [place for place in row.places if place > self.found.chosen]
        self._choose(later[0] if later else row.places[0])

    @Slot()
    def _types_changed(self) -> None:
        hidden = self._panel.legend.hidden()
        self._pane.hide_types(hidden)
        name = self.found.name
        gone = name is not None and any(
            style.number in hidden for style in self._panel.styles() if style.label == name.label
        )
        self._choose(-1 if gone else self.found.chosen, go=False)
