"""Which model does the work of a page, or why there is none and what to do about it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout

from app.ui.kit.theme import Theme


class ModelLine(QFrame):
    """A quiet line; where there is no model, a link to the settings stands below. `settings_asked` is sent by it."""

    settings_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._words = QLabel()
        self._words.setProperty("ink", "quiet")
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._settings = QPushButton("Choose a model in the settings")
        self._settings.setProperty("kind", "link")
        self._settings.setAccessibleName("Choose a model in the settings")
        self._settings.setCursor(Qt.CursorShape.PointingHandCursor)
        self._settings.clicked.connect(self.settings_asked)
        self._settings.hide()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self._words)
        self._layout.addWidget(self._settings, 0, Qt.AlignmentFlag.AlignLeft)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_model(self, words: str) -> None:
        """Say which model it is."""
        self._words.setText(words)
        self._settings.hide()

    def show_none(self, words: str) -> None:
        """Say why there is none."""
        self._words.setText(words)
        self._settings.show()

    def words(self) -> str:
        """What is said."""
        return self._words.text()

    @Slot()
    def _restyle(self) -> None:
        self._words.setFont(self._theme.font("small"))
        self._settings.setFont(self._theme.font("small"))
        self._layout.setSpacing(self._theme.step(1))
