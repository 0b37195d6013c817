"""The narrow rail of named pages at the window's left edge."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from app.ui.kit.boxes import column
from app.ui.kit.parts import Scrolling, as_tip, plain_label
from app.ui.kit.segments import Choices
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.window.pages import FOOT, Place, keys_of

# The least width of the window, in steps, at which the rail shows names; in a narrower one the pages need the space.
_WIDE_ENOUGH = 196


class Rail(Choices):
    """Named pages in groups, one of them chosen; the group FOOT is at the bottom.

    In a narrow window (`is_narrow`) only the icons are shown; their tool tips have the names.
    """

    def __init__(self, theme: Theme, places: Sequence[Place]) -> None:
        super().__init__(tr("Pages"))
        self._theme = theme
        self._group.buttonToggled.connect(self._toggled)
        inner = QWidget()
        layout = column(theme, gap=0.5, margins=(2, 2.5, 2, 2), parent=inner)
        self._area = Scrolling(inner)  # in a low window, large text has no room for all
        column(theme, self._area, parent=self)
        group = ""
        for at, place in enumerate(places, 1):
            if place.group != group:
                group = place.group
                if group == FOOT:
                    layout.addStretch(1)
                else:
                    layout.addWidget(self._heading(group))
            layout.addWidget(self._button(place, keys_of(at, place.key)))
        self.is_narrow = False
        self.setProperty("kind", "rail")
        theme.changed.connect(self._fit)
        self._area.verticalScrollBar().rangeChanged.connect(self._scrolled_or_not)
        self._fit()

    def _heading(self, group: str) -> QLabel:
        heading = plain_label(group, type="small", ink="quiet", wrap=False)
        self._theme.in_steps(heading.setContentsMargins, 3.25, 4, 0, 1)
        return heading

    def _button(self, place: Place, shortcut: str) -> QPushButton:
        button = QPushButton()
        button.setIcon(self._theme.icon(place.icon, "ink_quiet", "ink"))
        button.setCheckable(True)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setProperty("kind", "page")
        title = localised(place.title)
        button.setAccessibleName(title)
        button.setToolTip(as_tip(f"{title}  ({shortcut})" if shortcut else title))
        button.installEventFilter(self)
        self.add_button(place.key, button)
        return button

    def select(self, key: str) -> None:
        """Show a page as the chosen one without sending `chosen`."""
        super().select(key)
        self._area.ensureWidgetVisible(self._buttons[key])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Walk through the pages with the arrow keys."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            order = list(self._buttons.values())
            if step and watched in order:
                button = order[(order.index(watched) + step) % len(order)]
                button.setFocus(Qt.FocusReason.TabFocusReason)
                button.click()
                return True
        return super().eventFilter(watched, event)

    @Slot(object, bool)
    def _toggled(self, button: QPushButton, chosen: bool) -> None:
        """Have Tab reach only the chosen page's button, from which the arrow keys start."""
        if chosen:
            for one in self._buttons.values():
                one.setFocusPolicy(Qt.FocusPolicy.TabFocus if one is button else Qt.FocusPolicy.NoFocus)

    @Slot()
    def _scrolled_or_not(self) -> None:
        """Make room for the scroll bar, and scroll to the chosen page."""
        self._fit()
        if (button := self._group.checkedButton()) is not None:
            self._area.ensureWidgetVisible(button)

    def fit_window(self) -> None:
        """Show the names, or the icons only, as fits the width that the window has now."""
        if self.is_narrow != self._is_too_narrow():
            self._fit()

    @Slot()
    def _fit(self) -> None:
        """Show the names where there is room, and make the rail as wide as the bold name of a chosen page needs."""
        step = self._theme.step
        self.is_narrow = self._is_too_narrow()
        metrics = QFontMetrics(self._theme.font("strong"))
        widest = 0
        for button in self._buttons.values():
            button.setText("" if self.is_narrow else button.accessibleName())
            widest = max(widest, metrics.horizontalAdvance(button.accessibleName()))
        bar = self._area.verticalScrollBar()
        beside = bar.sizeHint().width() if bar.maximum() else 0
        self.setFixedWidth(step(14) + beside if self.is_narrow else max(step(37), widest + step(15)))

    def _is_too_narrow(self) -> bool:
        return not self.isWindow() and self.window().width() < self._theme.step(_WIDE_ENOUGH)
