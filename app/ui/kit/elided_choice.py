"""A choice whose words end with an ellipsis where there is no room for them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QHelpEvent, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

from app.ui.kit.status_line import ElidedLabel
from app.ui.kit.theme import Theme, mark


class LinkedChoice(QWidget):
    """Words, and a link named after the place where they can be changed. `asked` is sent when it is followed."""

    asked = Signal()

    def __init__(self, theme: Theme, place: str) -> None:
        super().__init__()
        self._theme = theme
        self._words = ElidedLabel()
        self.link = QPushButton(place)
        mark(self.link, kind="link")
        self.link.clicked.connect(self.asked)
        self.setFocusProxy(self.link)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._words, 1)
        row.addWidget(self.link)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_words(self, words: str) -> None:
        """Say what holds now."""
        self._words.set_whole(words)
        self.link.setAccessibleName(f"{words}. Change on {self.link.text()}")

    def words(self) -> str:
        """What is said."""
        return self._words.whole()

    @Slot()
    def _restyle(self) -> None:
        self._words.setFont(self._theme.font("ui"))
        self.link.setFont(self._theme.font("ui"))


class ElidedChoice(QComboBox):
    """As Qt's own, which cuts a long choice off in mid-letter; the whole of it is the tool tip then."""

    def shown(self) -> str:
        """The words as they are drawn."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self._elided(option)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame, the arrow, and the words as far as there is room."""
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self._elided(option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def event(self, event: QEvent) -> bool:
        """Tell the whole words where they are cut."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and not self.toolTip():
            whole = self.currentText()
            QToolTip.showText(event.globalPos(), whole if self.shown() != whole else "", self)
            return True
        return super().event(event)

    def _elided(self, option: QStyleOptionComboBox) -> str:
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        return self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, field.width())
