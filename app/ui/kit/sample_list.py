"""Samples to try with one click, on a page that is still empty."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.kit.theme import Theme, mark


class SampleList(QFrame):
    """A heading and a button for each sample. `chosen` carries the index of the one clicked."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, heading: str) -> None:
        super().__init__()
        self._theme = theme
        self._heading = QLabel(heading)
        self._buttons: list[QPushButton] = []
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self._heading)
        mark(self._heading, type="small_strong", ink="quiet")
        theme.space(self._layout, 2)

    def set_titles(
        self, titles: tuple[str, ...], icon: str = "document", before: QWidget | None = None
    ) -> None:
        """Offer these, in this order; Tab reaches them from `before`, if given."""
        for button in self._buttons:
            button.deleteLater()
        self._buttons = []
        for at, title in enumerate(titles):
            button = QPushButton(title)
            button.setProperty("kind", "sample")
            button.setProperty("at", at)
            button.setIcon(self._theme.icon(icon))
            button.setAccessibleName(f"Try the sample: {title}")
            button.clicked.connect(self._clicked)
            self._layout.addWidget(button)
            self._buttons.append(button)
            if before is not None:
                QWidget.setTabOrder(before, button)
                before = button
        self._heading.setVisible(bool(titles))

    @Slot()
    def _clicked(self) -> None:
        self.chosen.emit(self.sender().property("at"))
