"""Labels, buttons, choices, fields for numbers, icons, rules, scroll areas and painted lines that all pages use."""

from __future__ import annotations

from html import escape
from textwrap import wrap as wrapped

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QIcon, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

from app.core.legible import legible, legible_line, legible_lines
from app.ui.kit.boxes import column, row
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

# In characters: the longest tool tip, one of its lines, and the longest text of a button.
_LONGEST_TIP, _TIP_LINE, _LONGEST_CAPTION = 2_000, 90, 500
_NEWLINE = "\n"
# Steps that a button with a key has at least, however long its text is.
_LEAST_KEYED = 40
# The room for the arrow at the right of a button, in steps.
_ARROW = 6
# A choice has room for so many letters at least.
_LEAST_CHOICE = 20


def as_tip(text: str) -> str:
    """The text of a tool tip: made legible, cut to length, and wrapped to fit the screen."""
    lines = legible_lines(localised(text), _LONGEST_TIP).splitlines()
    return "\n".join(
        "\n".join(wrapped(line, _TIP_LINE, break_on_hyphens=False)) if len(line) > _TIP_LINE else line
        for line in lines
    )


def caption(text: str) -> str:
    """The text of a button, a tab or a menu item: made legible, cut to length, its ampersands escaped."""
    return legible_lines(localised(text), _LONGEST_CAPTION).replace("&", "&&")


class Label(QLabel):
    """A label whose text is made legible. The style sheet keeps all labels and tool tips from reading text as HTML."""

    def __init__(self, text: str = "") -> None:
        super().__init__(legible_lines(localised(text)))

    def setText(self, text: str) -> None:
        super().setText(legible_lines(localised(text)))


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


class StyledLabel(QLabel):
    """A label of runs of text, each in its own style; the only label that gives Qt HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setProperty("styled", "true")

    def set_runs(self, *runs: tuple[str, str]) -> None:
        """Show runs of text, each with its style in CSS."""
        super().setText(
            "".join(
                f'<span style="{style}">{escape(legible_lines(localised(text))).replace(_NEWLINE, "<br>")}</span>'
                for text, style in runs
                if text
            )
        )

    def setText(self, text: str) -> None:
        self.set_runs((text, ""))


class Button(QPushButton):
    """A button whose text is made legible, and may contain ampersands.

    A text without room is elided as `elides` says; the tool tip then begins with the full text.
    """

    elides = Qt.TextElideMode.ElideNone

    def __init__(self, text: str = "") -> None:
        super().__init__(caption(text))

    def setText(self, text: str) -> None:
        super().setText(caption(text))

    def text(self) -> str:
        return super().text().replace("&&", "&")

    def shown(self) -> str:
        """The text as it is drawn."""
        if self.elides is Qt.TextElideMode.ElideNone:
            return self.text()
        over = max(0, self.sizeHint().width() - self.width())
        room = self.fontMetrics().horizontalAdvance(self.text()) - over
        return self.fontMetrics().elidedText(self.text(), self.elides, room) if over else self.text()

    def event(self, event: QEvent) -> bool:
        if (
            isinstance(event, QHelpEvent)
            and event.type() == QEvent.Type.ToolTip
            and self.shown() != self.text()
        ):
            whole, tip = self.text(), self.toolTip()
            words = tip if tip.startswith(whole) else f"{whole}\n{tip}"
            QToolTip.showText(event.globalPos(), as_tip(words), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        shown = self.shown()
        if shown == self.text():
            super().paintEvent(event)
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = caption(shown)
        QStylePainter(self).drawControl(QStyle.ControlElement.CE_PushButton, option)


def plain_label(
    text: str = "", *, type: str = "", ink: str = "", wrap: bool = True, selectable: bool = False
) -> Label:
    """A label of plain text, in the font of a use (`type`) and in an ink of the theme."""
    label = Label(text)
    label.setWordWrap(wrap)
    label.setProperty("type", type)
    label.setProperty("ink", ink)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def push_button(
    theme: Theme, text: str = "", *, kind: str = "", icon: str = "", name: str = "", tip: str = ""
) -> Button:
    """A button of a kind that the style sheet has, with a line icon; screen readers say `name`, or else its text."""
    button = Button(text)
    button.setAccessibleName(localised(name or text))
    button.setToolTip(as_tip(tip))
    button.setProperty("kind", kind)
    if icon:
        button.setIcon(theme.icon(icon, "on_accent" if kind == "primary" else "ink"))
    return button


class KeyButton(Button):
    """A button that shows the key that does the same as a click."""

    elides = Qt.TextElideMode.ElideRight

    def __init__(self, theme: Theme, text: str, key: str) -> None:
        super().__init__(text)
        self._theme, self._key = theme, key
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.text())
        self.setAccessibleDescription(tr("Key {key}", key=key))
        self.setToolTip(as_tip(f"{self.text()}  ({key})"))
        mark(self, kind="verdict", type="small")

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width() + self._theme.step(4), hint.height())

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return QSize(min(hint.width(), self._theme.step(_LEAST_KEYED)), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        rect = QRectF(self.rect().adjusted(0, 0, -self._theme.step(2.5), 0))
        ink = "ink_quiet" if self.isEnabled() else "ink_disabled"
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        draw_line(QPainter(self), self._theme, rect, self._key, "small", ink, right)


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


def look_button(theme: Theme, *, bare: bool = False) -> Button:
    """The button that leads from a result to the page Look inside; a `bare` one has no icon."""
    icon = "" if bare else "inspect"
    return push_button(
        theme, tr("Look inside"), icon=icon, tip=tr("See how the model came to this  (Ctrl+I)")
    )


def rule() -> QFrame:
    """A hairline that separates what is above it from what is below."""
    line = QFrame()
    line.setProperty("kind", "rule")
    line.setFixedHeight(1)
    return line


class NumberBox(QDoubleSpinBox):
    """A field for a number; over one without the focus the wheel scrolls the page."""

    def __init__(self, decimals: int = 0) -> None:
        super().__init__()
        self.setDecimals(decimals)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


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


class IconLabel(QWidget):
    """An icon by itself, `steps` wide and high."""

    def __init__(self, theme: Theme, icon: QIcon, steps: float) -> None:
        super().__init__()
        self._icon = icon
        theme.in_steps(self.setFixedSize, steps, steps)

    def set_icon(self, icon: QIcon) -> None:
        """Show another icon."""
        self._icon = icon
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._icon.paint(QPainter(self), self.rect())


class Scrolling(QScrollArea):
    """A scroll area as wide as its widget needs, without a frame, and skipped by Tab.

    It scrolls vertically only, unless `sideways`; then it may be narrower than its widget.
    """

    def __init__(self, widget: QWidget, *, sideways: bool = False) -> None:
        super().__init__()
        self._sideways = sideways
        self.setWidget(widget)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if not sideways:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def event(self, event: QEvent) -> bool:
        """Have the size hints asked for again when the widget needs another size."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)

    def minimumSizeHint(self) -> QSize:
        hint, inner = super().minimumSizeHint(), self.widget()
        if self._sideways or inner is None:
            return hint
        least = max(inner.minimumWidth(), inner.minimumSizeHint().width())
        return QSize(least + self.verticalScrollBar().sizeHint().width(), hint.height())


class Sideways(Scrolling):
    """A scroll area as high as its widget, which scrolls sideways only: for a chart, figures in columns, code."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, sideways=True)
        self._inner = widget
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        hint, least = self._inner.sizeHint(), self._inner.minimumSizeHint().width()
        bar = self.horizontalScrollBar().sizeHint().height() if least > self.width() else 0
        return QSize(max(hint.width(), least), hint.height() + bar)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())


def in_the_middle(theme: Theme, inner: QWidget) -> Scrolling:
    """A widget centred on a page, slightly above the middle, no wider than is easily read; scrolled if it is taller."""
    middle, around = QWidget(), QWidget()
    row(theme, 1, (inner, 1000), 1, margins=(8, 6, 8, 6), parent=middle)
    column(theme, 2, middle, 3, parent=around)
    theme.in_steps(inner.setMaximumWidth, 130)
    return Scrolling(around)


def draw_line(
    painter: QPainter,
    theme: Theme,
    rect: QRectF,
    text: str,
    font: str,
    ink: str,
    side: Qt.AlignmentFlag,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> int:
    """Paint a line of text in a font and a colour of the theme, elided where needed; returns its width in pixels."""
    painter.setFont(theme.font(font))
    painter.setPen(theme.colour(ink))
    metrics = painter.fontMetrics()
    shown = metrics.elidedText(legible_line(localised(text)), elide, int(rect.width()) + 1)
    painter.drawText(rect, int(side), shown)
    return metrics.horizontalAdvance(shown)
