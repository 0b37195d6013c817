"""The editor on the paper with places lit up among its words."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent

from app.ui.document.marks.lights import Lights
from app.ui.document.text.text_editor import PaperEdit
from app.ui.kit.theme import Theme


class LitEdit(PaperEdit):
    """A PaperEdit that draws `lights`: a ground, and a line too, so that they are not told by colour alone."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.lights = Lights(theme)

    def paintEvent(self, event: QPaintEvent) -> None:
        blocks = list(self.visible_blocks())
        painter = QPainter(self.viewport())
        self.lights.draw_grounds(painter, blocks)
        painter.end()
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        self.lights.draw_lines(painter, blocks)
        painter.end()
