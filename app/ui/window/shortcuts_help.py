"""The dialog with the keyboard shortcuts."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QPushButton,
    QScrollArea,
    QWidget,
)

from app.core.message import Message
from app.ui.kit.boxes import column, row, turn
from app.ui.kit.parts import Label, plain_label, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr
from app.ui.window.pages import keys_of

Group = tuple[str, tuple[tuple[str, str], ...]]


def native_keys(keys: str) -> str:
    """Return a shortcut as this system writes it; any other text unchanged."""
    native = " / ".join(
        QKeySequence(part).toString(QKeySequence.SequenceFormat.NativeText) for part in keys.split(" / ")
    )
    return native if all(part.strip() for part in native.split(" / ")) else keys


def key_groups(
    pages: tuple[tuple[str, str], ...], title: str, shortcuts: tuple[tuple[str, str], ...]
) -> tuple[Group, ...]:
    """Return the shortcuts that work everywhere, and those of the current page.

    `pages` are the keys and names of the pages on the rail; `title` and `shortcuts` are the current page's.
    """
    places = tuple((keys, name) for at, (key, name) in enumerate(pages, 1) if (keys := keys_of(at, key)))
    always = (("Esc", Message("Stop")), ("F1 / ?", Message("This sheet")), ("Ctrl+Q", Message("Close")))
    everywhere = (Message("Everywhere"), (*places, *always))
    return (everywhere, (title, shortcuts)) if shortcuts else (everywhere,)


class ShortcutsHelp(QDialog):
    """Groups of shortcuts, which scroll on a small screen, and a button that sends `about_requested`.

    The dialog is deleted when it closes.
    """

    about_requested = Signal()

    def __init__(self, theme: Theme, groups: tuple[Group, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Keyboard"))
        self.setAccessibleName(tr("Keyboard shortcuts"))
        keys = QWidget()
        self._groups = row(theme, *(_grid(theme, *group) for group in groups), gap=10, parent=keys)
        self.groups = QScrollArea()
        self.groups.setFrameShape(QFrame.Shape.NoFrame)
        self.groups.setAccessibleName(tr("Keys and what they do"))
        self.groups.setWidgetResizable(True)
        self.groups.setWidget(keys)
        close = push_button(theme, tr("Close"))
        close.setDefault(True)
        close.clicked.connect(self.accept)
        about = push_button(theme, tr("About Spanlight"), kind="link")
        about.clicked.connect(self._about)
        column(theme, self.groups, row(theme, about, 1, close), gap=4, margins=(6, 6, 6, 4), parent=self)
        self._fit(2 * theme.step(6), theme.step(12), close)

    def _fit(self, edges: int, frame: int, close: QPushButton) -> None:
        """Resize to fit all shortcuts, but no more than the screen has beside `frame`, the window's own frame.

        `edges` is the width of both side margins. Groups that do not fit side by side are stacked.
        """
        room = self.screen().availableGeometry().size() - QSize(frame, frame)
        below = self.minimumSizeHint().height() - self.groups.minimumSizeHint().height()
        most = room - QSize(edges, below)
        bar = QSize(self.groups.verticalScrollBar().sizeHint().width(), 0)
        keys = self._groups.sizeHint()
        if (keys + bar).width() > most.width():
            turn(self._groups, beside=False)
            keys = self._groups.sizeHint()
        if keys.height() > most.height():
            keys += bar
        self.groups.setMinimumSize(keys.boundedTo(most))
        scrolls = keys.boundedTo(most) != keys
        self.groups.setFocusPolicy(Qt.FocusPolicy.StrongFocus if scrolls else Qt.FocusPolicy.NoFocus)
        (self.groups if scrolls else close).setFocus()

    @Slot()
    def _about(self) -> None:
        self.accept()
        self.about_requested.emit()


def _grid(theme: Theme, title: str, shortcuts: tuple[tuple[str, str], ...]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(theme.step(5))
    grid.setVerticalSpacing(theme.step(2))
    grid.addWidget(plain_label(title, type="strong", wrap=False), 0, 0, 1, 2)
    for at, (keys, what) in enumerate(shortcuts, 1):
        cap = Label(native_keys(keys))
        mark(cap, kind="key", type="small")
        words = Label(what)
        words.setAccessibleName(f"{keys}: {words.text()}")
        grid.addWidget(cap, at, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(words, at, 1)
    grid.setColumnStretch(1, 1)
    grid.setRowStretch(len(shortcuts) + 1, 1)
    return grid
