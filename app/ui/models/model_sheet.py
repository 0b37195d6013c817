"""The base of the pages of one model: its name in large type, a line, and further content below."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLayout, QScrollArea, QVBoxLayout, QWidget

from app.ui.kit.flow_text import FlowText
from app.ui.kit.theme import Theme

MOST_WIDE = 170


class ModelSheet(QScrollArea):
    """A column at reading width on a panel; `put` adds below the title, the quiet line and the sentence."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._title = FlowText(theme, "answer", spacing=1.1)
        self._subtitle = QLabel()
        self._subtitle.setProperty("ink", "quiet")
        self._subtitle.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._line = QLabel()
        for label in (self._subtitle, self._line):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._middle = QWidget()
        self._column = QVBoxLayout(self._middle)
        self._names = QVBoxLayout()
        for part in (self._title, self._subtitle):
            self._names.addWidget(part)
        self._column.addLayout(self._names)
        self._column.addWidget(self._line)
        ground = QWidget()
        ground.setProperty("kind", "panel")
        ground.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        # Not by alignment, which would not take the wrapped text's height for this width.
        self._row = QHBoxLayout(ground)
        self._row.addWidget(self._middle, 1000)
        self._row.addStretch(1)
        self.setWidget(ground)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme.changed.connect(self._restyle_sheet)
        self._restyle_sheet()

    def set_title(self, title: str, subtitle: str, line: str) -> None:
        """Set the model's name, its origin, and a one-line description."""
        if title != self._title.text():
            self.verticalScrollBar().setValue(0)
        self._title.set_text(title)
        self._subtitle.setText(subtitle)
        self._subtitle.setVisible(bool(subtitle))
        self._line.setText(line)
        self._line.setVisible(bool(line))

    def title(self) -> str:
        """The shown name."""
        return self._title.text()

    def put(self, part: QWidget | QLayout) -> None:
        """Add a widget, or a row, below."""
        if isinstance(part, QWidget):
            self._column.addWidget(part)
        else:
            self._column.addLayout(part)

    def end(self) -> None:
        """End the column: the rest stays empty."""
        self._column.addStretch(1)

    @Slot()
    def _restyle_sheet(self) -> None:
        theme, step = self._theme, self._theme.step
        self._subtitle.setFont(theme.font("small"))
        self._line.setFont(theme.font("ui"))
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(step(4))
        self._names.setSpacing(step(0.5))
        self._middle.setMaximumWidth(step(MOST_WIDE))
        self._row.setContentsMargins(step(8), step(7), step(8), step(8))


def rule() -> QFrame:
    """A hairline between two parts."""
    line = QFrame()
    line.setProperty("kind", "rule")
    line.setFixedHeight(1)
    return line
