"""A slim bar that finds words in the document."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QToolButton

from app.ui.kit.boxes import row
from app.ui.kit.parts import Label, as_tip
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

_SHIFT = Qt.KeyboardModifier.ShiftModifier


class FindBar(QFrame):
    """A field, the result (`news`), and buttons for the next and the previous match; Esc hides it.

    While the focus is in it, F3 and Shift+F3 step through the matches, whatever they do on the page.

    `find_requested` carries the words and whether to go backwards; `typed` the words as they are typed; `closed` is
    sent when the bar is hidden.
    """

    typed = Signal(str)
    find_requested = Signal(str, bool)
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("kind", "frame")
        self.setAccessibleName(tr("Find in the text"))
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Find in the text"))
        self.field.setAccessibleName(tr("Find in the text"))
        self.news = Label()
        self.news.setProperty("ink", "quiet")
        self._back, self._next, self._close = QToolButton(), QToolButton(), QToolButton()
        for button, icon, name, tip, act in (
            (
                self._back,
                "up",
                tr("Previous place"),
                tr("Previous place  (Shift+Enter, Shift+F3)"),
                self._find_back,
            ),
            (self._next, "down", tr("Next place"), tr("Next place  (Enter, F3)"), self._find_next),
            (self._close, "close", tr("Put away"), tr("Put away  (Esc)"), self.put_away),
        ):
            button.setIcon(theme.icon(icon))
            button.setAccessibleName(name)
            button.setToolTip(as_tip(tip))
            button.clicked.connect(act)
        parts = (self.field, 1), self.news, self._back, self._next, self._close
        row(theme, *parts, gap=1.5, margins=(4, 1.5, 3, 1.5), parent=self)
        self.setFocusProxy(self.field)
        self.field.installEventFilter(self)
        self.field.textEdited.connect(self._typed)
        self.hide()

    def open(self, words: str = "") -> None:
        """Show the bar, with the words if any."""
        if words:
            self.field.setText(words)
        self.news.clear()
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.put_away()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._find(bool(event.modifiers() & _SHIFT))
                return True
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        """Claim the bar's own keys before the page's shortcuts."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _goes_on(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle keys that neither the field nor a button has taken."""
        if _goes_on(event):
            self._find(bool(event.modifiers() & _SHIFT))
        else:
            super().keyPressEvent(event)

    @Slot()
    def put_away(self) -> None:
        """Hide the bar and give the focus back."""
        self.hide()
        self.closed.emit()

    def _find(self, backwards: bool) -> None:
        if self.field.text():
            self.find_requested.emit(self.field.text(), backwards)

    @Slot(str)
    def _typed(self, text: str) -> None:
        self.news.clear()
        self.typed.emit(text)

    @Slot()
    def _find_back(self) -> None:
        self._find(True)

    @Slot()
    def _find_next(self) -> None:
        self._find(False)


def _goes_on(event: QKeyEvent) -> bool:
    """Whether the key is F3, with or without Shift."""
    return event.key() == Qt.Key.Key_F3 and not event.modifiers() & ~_SHIFT
