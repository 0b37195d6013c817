"""A dialog over a page, no larger than the screen."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.core.legible import legible
from app.ui.kit.parts import Scrolling
from app.ui.kit.theme import Theme

# Of the screen, for the dialog's own frame; in steps.
_FRAME = 12


class PageDialog(QDialog):
    """A `column` of parts, scrolled where there is no room for all of them, above a `foot` of buttons.

    It is `wide` and `high` in steps, as far as the screen has room, and is deleted when it closes.
    """

    def __init__(self, theme: Theme, title: str, wide: float, high: float, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._wanted = theme, (wide, high)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(legible(title))
        self.setAccessibleName(title)
        inner = QWidget()
        self.column, self.foot = QVBoxLayout(inner), QHBoxLayout()
        whole = QVBoxLayout(self)
        whole.addWidget(Scrolling(inner), 1)
        whole.addLayout(self.foot)
        edge = theme.step(6)
        whole.setContentsMargins(edge, edge, edge, theme.step(4))
        whole.setSpacing(theme.step(3))
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(theme.step(3))
        self.foot.setSpacing(theme.step(2))
        self.resize(self.sizeHint())  # Qt's own choice is the least height of a list

    def sizeHint(self) -> QSize:
        frame = self._theme.step(_FRAME)
        room = self.screen().availableGeometry().size() - QSize(frame, frame)
        return QSize(*map(self._theme.step, self._wanted)).boundedTo(room)
