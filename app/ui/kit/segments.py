"""Groups of buttons of which one is pressed; in general, and as a row of named segments."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QFrame, QPushButton, QSizePolicy

from app.ui.kit.boxes import FlowRow
from app.ui.kit.parts import as_tip
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised

# The horizontal padding of a segment, in steps, and the least one where there is little room.
_PADDING, _LEAST_PADDING = 7, 3


class _Segment(QPushButton):
    """A button with room for the bolder text of a pressed one, so that nothing moves when another is pressed."""

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__(localised(title))
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(self._wide(_PADDING), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._wide(_LEAST_PADDING), super().sizeHint().height())

    def _wide(self, steps: int) -> int:
        letters = QFontMetrics(self._theme.font("strong")).horizontalAdvance(self.text())
        return letters + self._theme.step(steps)


class PickGroup(QButtonGroup):
    """Buttons of which one is pressed; `picked` carries a button that the person presses, also the pressed one again.

    A screen reader toggles a button without a click, which counts too; `check` presses one without sending `picked`.
    """

    picked = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._checking = False
        self._toggled_button: QAbstractButton | None = None
        self.buttonToggled.connect(self._toggled)
        self.buttonClicked.connect(self._clicked)

    def check(self, button: QAbstractButton) -> None:
        """Press a button without sending `picked`."""
        self._checking = True
        button.setChecked(True)
        self._checking = False

    @Slot(object, bool)
    def _toggled(self, button: QAbstractButton, pressed: bool) -> None:
        if pressed and not self._checking:
            self._toggled_button = button
            self.picked.emit(button)

    @Slot(object)
    def _clicked(self, button: QAbstractButton) -> None:
        toggled, self._toggled_button = self._toggled_button, None
        if toggled is not button:  # it was pressed already
            self.picked.emit(button)


class Choices(QFrame):
    """Buttons of which one is pressed, each with a key. `chosen` carries the key of one that the person presses."""

    chosen = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._buttons: dict[str, QAbstractButton] = {}
        self._group = PickGroup(self)
        self._group.picked.connect(self._picked)
        self.setAccessibleName(localised(name))

    def add_button(self, key: str, button: QAbstractButton) -> None:
        """Add a button, which the subclass lays out."""
        button.setProperty("key", key)
        button.setAutoExclusive(True)  # for its role as a radio button; the group keeps one pressed
        self._group.addButton(button)
        self._buttons[key] = button

    def select(self, key: str) -> None:
        """Press a button without sending `chosen`; an unknown key is ignored."""
        if key in self._buttons:
            self._group.check(self._buttons[key])

    def selected(self) -> str:
        """The key of the pressed button; empty if none is."""
        return next((key for key, button in self._buttons.items() if button.isChecked()), "")

    def buttons(self) -> tuple[QAbstractButton, ...]:
        """The buttons, in their order."""
        return tuple(self._buttons.values())

    def focus_selected(self) -> None:
        """Put the keyboard focus on the pressed button."""
        if button := self._buttons.get(self.selected()):
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _picked(self, button: QAbstractButton) -> None:
        self.chosen.emit(button.property("key"))


class Segments(Choices):
    """A row of segments, one of them pressed; in several lines where there is no room."""

    def __init__(self, theme: Theme, name: str, choices: tuple[tuple[str, str], ...]) -> None:
        super().__init__(name)
        self._group.buttonToggled.connect(self._toggled)
        layout = FlowRow(squeezed=True)
        layout.setSpacing(0)
        self.setLayout(layout)
        for at, (key, title) in enumerate(choices):
            button = _Segment(theme, title)
            button.setCheckable(True)
            edge = "first" if at == 0 else "last" if at == len(choices) - 1 else "middle"
            button.setProperty("kind", "segment")
            button.setProperty("edge", edge)
            button.setAccessibleName(f"{localised(name)}: {button.text()}")
            self.add_button(key, button)
            layout.addWidget(button)

    def allow(self, key: str, allowed: bool, tip: str = "") -> None:
        """Enable or disable a button, with a tip on why it is disabled."""
        self._buttons[key].setEnabled(allowed)
        self._buttons[key].setToolTip(as_tip(tip))

    @Slot(object, bool)
    def _toggled(self, button: QAbstractButton, pressed: bool) -> None:
        """Have Tab reach only the pressed button; the arrow keys move on from it."""
        if pressed:
            for one in self._buttons.values():
                way = Qt.FocusPolicy.StrongFocus if one is button else Qt.FocusPolicy.ClickFocus
                one.setFocusPolicy(way)
