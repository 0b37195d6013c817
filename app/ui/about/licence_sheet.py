"""A part of Spanlight with its licence: what it is, and the whole text to read."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout

from app.core.components import Component
from app.ui.kit.flow_text import FlowText
from app.ui.kit.plain_text import PlainText
from app.ui.kit.theme import Theme

_NO_TEXT = "No text of it comes along."


class LicenceSheet(QFrame):
    """The part's name in large letters, a quiet line with version, licence and page, a note, and the licence."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._title = FlowText(theme, "answer", spacing=1.1)
        self._beside, self._note = QLabel(), QLabel()
        self._beside.setProperty("ink", "quiet")
        for label in (self._beside, self._note):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self.text = PlainText(theme, "Licence")
        self._column = QVBoxLayout(self)
        for part in (self._title, self._beside, self._note):
            self._column.addWidget(part)
        self._column.addWidget(self.text, 1)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_part(self, part: Component, licence: str) -> None:
        """Show a part; `licence` is its licence in words."""
        if part.name == self.title() and self.text.toPlainText():
            return
        self._title.set_text(part.name)
        version = f"version {part.version}" if part.version else ""
        beside = " · ".join(words for words in (licence, version, part.page) if words)
        self._beside.setText(beside)
        self._beside.setAccessibleName(beside)
        self._note.setText(part.note)
        self._note.setVisible(bool(part.note))
        texts = []
        for one in part.texts:
            names = f"[{', '.join(one.names)}]\n\n" if len(part.texts) > 1 and one.names else ""
            texts.append(names + one.text)
        self.text.setPlainText("\n\n\n".join(texts) or _NO_TEXT)
        self.text.setAccessibleName(f"Licence of {part.name}")

    def title(self) -> str:
        """The name that is shown."""
        return self._title.text()

    @Slot()
    def _restyle(self) -> None:
        theme, step = self._theme, self._theme.step
        self._beside.setFont(theme.font("small"))
        self._note.setFont(theme.font("ui"))
        self._column.setContentsMargins(step(8), step(7), step(4), step(4))
        self._column.setSpacing(step(2))
