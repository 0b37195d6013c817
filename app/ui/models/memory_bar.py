"""A memory as a bar: what models take of it, what others take, what is free."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Slot
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.kit.theme import Theme


class MemoryBar(QWidget):
    """Bytes of models in amber, of others in grey, the rest empty; it is told in words beside it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._total = self._models = self._others = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_bytes(self, total: int, models: int, others: int) -> None:
        """Show these; nothing is drawn while the total is not known."""
        self._total, self._models, self._others = total, models, others
        self.setVisible(total > 0)
        self.update()

    def shares(self) -> tuple[float, float]:
        """The shares (0 to 1) that models and others take; together at most 1."""
        if not self._total:
            return 0.0, 0.0
        models = min(1.0, max(0.0, self._models / self._total))
        return models, min(1.0 - models, max(0.0, self._others / self._total))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the two shares side by side."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QRectF(self.rect())
        path = QPainterPath()
        path.addRoundedRect(whole, whole.height() / 2, whole.height() / 2)
        painter.setClipPath(path)
        painter.fillRect(whole, self._theme.colour("track"))
        models, others = self.shares()
        left = 0.0
        for share, role in ((models, "mark"), (others, "handle")):
            width = share * whole.width()
            painter.fillRect(QRectF(left, 0, width, whole.height()), self._theme.colour(role))
            left += width

    @Slot()
    def _restyle(self) -> None:
        self.setFixedHeight(self._theme.step(2.5))
        self.update()
