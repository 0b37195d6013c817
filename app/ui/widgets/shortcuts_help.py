"""What the keyboard does, on one small sheet."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.theme import Theme

Group = tuple[str, tuple[tuple[str, str], ...]]


def spoken_keys(keys: str) -> str:
    """A shortcut as this system writes it; what is no key sequence stays as it is."""
    native = " / ".join(
        QKeySequence(part).toString(QKeySequence.SequenceFormat.NativeText) for part in keys.split(" / ")
    )
    return native if all(part.strip() for part in native.split(" / ")) else keys


class ShortcutsHelp(QDialog):
    """Groups of shortcuts; freed when it closes."""

    def __init__(self, theme: Theme, groups: tuple[Group, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard")
        self.setAccessibleName("Keyboard shortcuts")
        outer = QVBoxLayout(self)
        edge = theme.step(6)
        outer.setContentsMargins(edge, edge, edge, theme.step(4))
        outer.setSpacing(theme.step(4))
        beside = QHBoxLayout()
        beside.setSpacing(theme.step(10))
        for title, shortcuts in groups:
            beside.addLayout(_column(theme, title, shortcuts))
        outer.addLayout(beside)
        close = QPushButton("Close")
        close.setAccessibleName("Close")
        close.clicked.connect(self.accept)
        outer.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        close.setFocus()


def _column(theme: Theme, title: str, shortcuts: tuple[tuple[str, str], ...]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(theme.step(5))
    grid.setVerticalSpacing(theme.step(2))
    heading = QLabel(title)
    heading.setFont(theme.font("strong"))
    grid.addWidget(heading, 0, 0, 1, 2)
    for row, (keys, what) in enumerate(shortcuts, 1):
        cap = QLabel(spoken_keys(keys))
        cap.setProperty("kind", "key")
        cap.setFont(theme.font("small"))
        words = QLabel(what)
        words.setAccessibleName(f"{keys}: {what}")
        grid.addWidget(cap, row, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(words, row, 1)
    grid.setColumnStretch(1, 1)
    grid.setRowStretch(len(shortcuts) + 1, 1)
    return grid
