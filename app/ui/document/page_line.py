"""The slim line below a document: the page or line shown, and buttons for the outline, search and zoom."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QMenu, QToolButton

from app.core.layout import Unit
from app.core.message import Message
from app.ui.document.pane import FIT_PAGE, FIT_WIDTH, Pane
from app.ui.document.zoom import SIZES, Zoom
from app.ui.kit.boxes import row, turn
from app.ui.kit.parts import as_tip, plain_label
from app.ui.kit.spoken import announce
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

# For each unit: its name, the tool tip of its field, and the error for a number that does not exist.
_UNITS = {
    Unit.PAGE: (Message("Page"), Message("Go to a page  (Ctrl+G)"), Message("No such page")),
    Unit.SLIDE: (Message("Slide"), Message("Go to a slide  (Ctrl+G)"), Message("No such slide")),
    Unit.SHEET: (Message("Sheet"), Message("Go to a sheet  (Ctrl+G)"), Message("No such sheet")),
    Unit.MAIL: (Message("Mail"), Message("Go to a mail  (Ctrl+G)"), Message("No such mail")),
    Unit.LINE: (Message("Line"), Message("Go to a line  (Ctrl+G)"), Message("No such line")),
}


class PageLine(QFrame):
    """A field with the number of the page, slide, sheet, mail or line, which goes to another; outline, search and zoom.

    `went` is sent when the document was scrolled to another number, `left` when Esc was pressed in the field, `resized`
    after every change of size; the button `outline` is checked while the outline is shown.
    """

    went = Signal()
    left = Signal()
    resized = Signal()

    def __init__(self, theme: Theme, zoom: Zoom) -> None:
        super().__init__()
        self._theme, self._zoom = theme, zoom
        self._pane: Pane | None = None
        # The number last gone to, and the scroll position there: near the end, its place cannot be scrolled to the top.
        self._held: tuple[int, int] | None = None
        self.setProperty("kind", "status")
        self.setAccessibleName(tr("Place and size"))
        self.outline, self.search = QToolButton(), QToolButton()
        self.outline.setCheckable(True)
        for button, icon, name, tip in (
            (self.outline, "outline", tr("Outline"), tr("Outline  (Ctrl+Shift+O)")),
            (self.search, "search", tr("Find in the text"), tr("Find in the text  (Ctrl+F)")),
        ):
            button.setIcon(theme.icon(icon))
            button.setAccessibleName(name)
            button.setToolTip(as_tip(tip))
        self._what = plain_label(type="small", ink="quiet", wrap=False)
        self.field = QLineEdit()
        mark(self.field, kind="number", type="small")
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.field.installEventFilter(self)
        self.field.textEdited.connect(self._typed)
        self._total = plain_label(type="small", ink="quiet", wrap=False)
        self.size_button = QToolButton()
        mark(self.size_button, kind="menu", type="small")
        self.size_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.size_button.setToolTip(as_tip(tr("Size of the page")))
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.size_button.setMenu(self._menu)
        self._parts = (
            row(theme, self.outline, self._what, self.field, self._total, 1, gap=1),
            row(theme, 1, self.search, self.size_button, gap=1),
        )
        self._row = row(theme, *self._parts, margins=(3, 0.5, 3, 0.5), parent=self)
        theme.changed.connect(self.refresh)

    def take(self, pane: Pane | None) -> None:
        """Show the place in another document; for None hide the line."""
        self.setVisible(pane is not None)
        self._pane, self._held = pane, None
        if pane is not None:
            name, tip, _ = map(localised, _UNITS[pane.unit()])
            self._what.setText(name)
            self.field.setAccessibleName(name)
            self.field.setToolTip(as_tip(tip))
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the present place and size."""
        pane = self._pane
        if pane is None:
            return
        total = pane.numbers()
        for widget in (self._what, self.field, self._total):
            widget.setVisible(total > 1)
        number = min(pane.number(), total)
        if self._held is not None and self._held[1] == pane.map.value():
            number = self._held[0]
        else:
            self._held = None
        if total > 1 and not self.field.hasFocus():
            label = pane.label(number)
            self.field.setText(label or str(number))
            self._total.setText(
                tr("({number:,} of {total:,})", number=number, total=total)
                if label
                else tr("of {total:,}", total=total)
            )
        percent = self._zoom.percent()
        self.size_button.setText(tr("{percent}%", percent=percent))
        self.size_button.setAccessibleName(tr("Size of the page: {percent}%", percent=percent))
        self._fit()

    @Slot()
    def go_to_field(self) -> None:
        """Focus the number, to have another one typed."""
        if self.field.isVisible():
            self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.field.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._go()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.left.emit()
                return True
        elif event.type() == QEvent.Type.FocusOut:
            self.refresh()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        self.resized.emit()

    @Slot()
    def _go(self) -> None:
        pane, typed = self._pane, self.field.text().strip()
        if pane is None:
            return
        number = pane.number_of(typed)
        if not number:
            words = localised(_UNITS[pane.unit()][2])
            self._total.setText(words)
            self._fit()
            announce(self.field, words)
            self.field.selectAll()
            return
        pane.go_to_number(number)
        self._held = number, pane.map.value()
        self.went.emit()

    @Slot()
    def _typed(self) -> None:
        if self._pane is not None:
            self._total.setText(tr("of {total:,}", total=self._pane.numbers()))

    @Slot()
    def _fill_menu(self) -> None:
        menu, zoom = self._menu, self._zoom
        fit, percent = zoom.fit(), zoom.percent()
        menu.clear()
        group = QActionGroup(menu)
        if self._pane is not None and self._pane.unit() is Unit.PAGE:
            self._offer(group, tr("Fit the width"), zoom.usual, fit == FIT_WIDTH, "Ctrl+0")
            self._offer(group, tr("Fit the page"), zoom.whole_page, fit == FIT_PAGE, "Ctrl+Shift+P")
            menu.addSeparator()
        self._offer(None, tr("Larger"), zoom.larger, False, "Ctrl++")
        self._offer(None, tr("Smaller"), zoom.smaller, False, "Ctrl+-")
        menu.addSeparator()
        for size in SIZES:
            chosen = fit is None and size == percent
            self._offer(group, tr("{percent}%", percent=size), partial(zoom.set_percent, size), chosen)

    def _offer(
        self, group: QActionGroup | None, words: str, act: Callable[[], object], chosen: bool, key: str = ""
    ) -> None:
        action = QAction(f"{words}\t{key}" if key else words, self._menu if group is None else group)
        action.setCheckable(group is not None)
        action.setChecked(chosen)
        action.triggered.connect(act)
        self._menu.addAction(action)

    def _fit(self) -> None:
        """Make room for the widest number and size, and stack the two groups where they do not fit side by side."""
        step, metrics = self._theme.step, QFontMetrics(self._theme.font("small"))
        digits = max(3, len(str(self._pane.numbers()))) if self._pane is not None else 3
        self.field.setFixedWidth(metrics.horizontalAdvance("0" * digits) + step(4))
        widest = metrics.horizontalAdvance(tr("{percent}%", percent=SIZES[-1]))
        self.size_button.setMinimumWidth(max(widest + step(9), self.size_button.sizeHint().width()))
        for part in self._parts:
            part.invalidate()  # Qt measures a nested row again only when it lays it out
        needed = sum(part.sizeHint().width() for part in self._parts) + 2 * step(3)
        turn(self._row, beside=needed <= self.width())
