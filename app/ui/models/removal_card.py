"""Asks, where the model stands, whether it is to be removed, and says what that means."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QPushButton, QVBoxLayout

from app.core import wording
from app.ui.kit.flow_row import FlowRow
from app.ui.kit.theme import Theme, mark


class RemovalCard(QFrame):
    """The question, what is freed and what used the model, a switch for the shared cache, Keep it and Remove.

    `confirmed` carries whether its files are to go from the cache too; `kept` is sent when it is to stay.
    """

    confirmed = Signal(bool)
    kept = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._question, self._told = QLabel(), QLabel()
        for label in (self._question, self._told):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.cache = QCheckBox()
        self.keep = QPushButton("Keep it")
        self.remove = QPushButton("Remove")
        mark(self.remove, kind="danger")
        self._buttons = FlowRow()
        for button in (self.remove, self.keep):
            button.setAccessibleName(button.text())
            self._buttons.add(button)
        self._column = QVBoxLayout(self)
        for part in (self._question, self._told, self.cache):
            self._column.addWidget(part)
        self._column.addLayout(self._buttons)
        self.setProperty("kind", "fault")
        self.remove.clicked.connect(self._confirmed)
        self.keep.clicked.connect(self._kept)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def ask(self, name: str, told: str, cached: int) -> None:
        """Ask about a model; `told` says what it means, `cached` counts its bytes in the Hugging Face cache."""
        self._question.setText(f"Remove {name}?")
        self._told.setText(told)
        self._told.setVisible(bool(told))
        frees = wording.size(cached)
        self.cache.setText(f"Also from the Hugging Face cache (frees {frees})")
        self.cache.setToolTip("Other programs on this computer may use the same files")
        self.cache.setChecked(False)
        self.cache.setVisible(cached > 0)
        self.setAccessibleName(f"Remove {name}? {told}")
        self.show()
        self.keep.setFocus(Qt.FocusReason.OtherFocusReason)

    def words(self) -> str:
        """What is asked and told."""
        return f"{self._question.text()} {self._told.text()}".strip()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc keeps the model."""
        if event.key() == Qt.Key.Key_Escape:
            self._kept()
            return
        super().keyPressEvent(event)

    @Slot()
    def _confirmed(self) -> None:
        self.hide()
        self.confirmed.emit(self.cache.isChecked())

    @Slot()
    def _kept(self) -> None:
        self.hide()
        self.kept.emit()

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._question.setFont(theme.font("strong"))
        edge = theme.step(4)
        self._column.setContentsMargins(edge, edge, edge, edge)
        self._column.setSpacing(theme.step(2))
        self._buttons.setSpacing(theme.step(2))
