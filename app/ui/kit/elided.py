"""A label, a button and a combo box that elide their text, and a value with a link to where it can be changed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

from app.core.legible import legible, legible_line
from app.ui.kit.boxes import row
from app.ui.kit.parts import Button, Label, as_tip, push_button
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised

# The room for the arrow at the right of a button, in steps.
_ARROW = 6
# A choice has room for so many letters at least.
_LEAST_CHOICE = 20


class ElidedLabel(Label):
    """A label that elides its text where it does not fit; the full text is then its tool tip."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._full_text = ""
        self._tip = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.set_full_text(text)

    def full_text(self) -> str:
        """The text without elision."""
        return self._full_text

    def set_full_text(self, text: str, tip: str = "") -> None:
        """Set the text, and an optional tool tip."""
        self._full_text, self._tip = legible_line(localised(text)), tip
        self.setAccessibleName(self._full_text)
        self._cut()

    def natural_width(self) -> int:
        """The width in pixels that the full text needs."""
        self.ensurePolished()
        return self.fontMetrics().horizontalAdvance(self._full_text) + 2

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()

    def _cut(self) -> None:
        shown = self.fontMetrics().elidedText(
            self._full_text, Qt.TextElideMode.ElideRight, max(0, self.contentsRect().width())
        )
        if shown != self.text():
            self.setText(shown)
        self.setToolTip(as_tip(self._tip or (self._full_text if shown != self._full_text else "")))


class ElidedButton(Button):
    """A button with a menu's arrow and a text of one line, elided in the middle where it does not fit."""

    elides = Qt.TextElideMode.ElideMiddle

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        super().setText(legible(localised(text)))

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        width = self.fontMetrics().horizontalAdvance(f"{self.text()}  ") + self._theme.step(_ARROW)
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.step(16), super().minimumSizeHint().height())


class LinkedChoice(QWidget):
    """A value, and a link named after the `place` where it can be changed. `followed` is sent by the link."""

    followed = Signal()

    def __init__(self, theme: Theme, place: str) -> None:
        super().__init__()
        self._words = ElidedLabel()
        self.link = push_button(theme, place, kind="link")
        self.link.clicked.connect(self.followed)
        self.setFocusProxy(self.link)
        row(theme, (self._words, 1), self.link, gap=1.5, parent=self)

    def set_words(self, words: str) -> None:
        """Show the value in words."""
        self._words.set_full_text(words)
        self.link.setAccessibleName(sentences(self._words.full_text(), self.link.text()))

    def words(self) -> str:
        """The value in words."""
        return self._words.full_text()


class ElidedChoice(QComboBox):
    """A combo box that elides a long choice, which Qt cuts off in mid-letter; the full text is then its tool tip.

    Over the closed box the wheel scrolls the page.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), self.fontMetrics().averageCharWidth() * _LEAST_CHOICE), hint.height())

    def shown(self) -> str:
        """The text as it is drawn."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self._elided(option)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self._elided(option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def event(self, event: QEvent) -> bool:
        """Show the full text as the tool tip where it is elided."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and not self.toolTip():
            whole = self.currentText()
            QToolTip.showText(event.globalPos(), as_tip(whole if self.shown() != whole else ""), self)
            return True
        return super().event(event)

    def _elided(self, option: QStyleOptionComboBox) -> str:
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        return self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, field.width())
