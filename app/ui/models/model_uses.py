"""The heads of a model, and the pages that use it for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from app.core.models import Head
from app.ui.kit.theme import Theme, mark

_HORIZONTAL, _VERTICAL = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom


@dataclass(frozen=True, slots=True)
class Use:
    """One head: its task in plain words, the technical term, and the page that uses it.

    `used` if this model is in use for it, `chosen` if the user chose it for that, `only_model` if no other installed
    model has the head.
    """

    head: Head
    plain: str
    term: str
    page: str
    used: bool
    chosen: bool
    only_model: bool


class _UseRow(QFrame):
    """One head's row: its task, and at the right, or below in a narrow window, its use.

    `use_requested` carries the head and whether the model is to be used for it.
    """

    use_requested = Signal(object, bool)

    def __init__(self, theme: Theme, use: Use, *, primary: bool) -> None:
        super().__init__()
        self._theme = theme
        self._use = use
        self._plain, self._term = QLabel(use.plain), QLabel(use.term)
        self._term.setProperty("ink", "quiet")
        words = QVBoxLayout()
        words.setSpacing(0)
        for label in (self._plain, self._term):
            label.setWordWrap(True)
            words.addWidget(label)
        self._whole = QBoxLayout(_HORIZONTAL, self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.addLayout(words, 1)
        self._words = words
        self._row = QBoxLayout(_HORIZONTAL)
        self._status = QHBoxLayout()
        self._row.addLayout(self._status)
        self._whole.addLayout(self._row)
        self._sign = QLabel()
        self._used = QLabel(f"Used for {use.page}")
        self._used.setProperty("ink", "likely")
        self._why = QLabel(
            "the only one that can" if use.only_model else "" if use.chosen else "Spanlight’s choice"
        )
        self._why.setProperty("ink", "quiet")
        labels = QVBoxLayout()
        labels.setSpacing(0)
        for label in (self._used, self._why):
            labels.addWidget(label, 0, Qt.AlignmentFlag.AlignLeft)
            label.setVisible(use.used and bool(label.text()))
        self._sign.setVisible(use.used)
        self.button = QPushButton(
            f"Use for {use.page}" if not use.used else "Let Spanlight choose" if use.chosen else ""
        )
        self.button.setAccessibleName(self.button.text())
        self.button.setVisible(not use.used or (use.chosen and not use.only_model))
        mark(self.button, kind="link" if use.used else "primary" if primary else "")
        self.button.clicked.connect(self._clicked)
        self._status.addWidget(self._sign)
        self._status.addLayout(labels)
        # Takes the remaining width when it is below; at the right there is none.
        self._status.addStretch(1)
        self._row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self.restyle()

    def minimumSizeHint(self) -> QSize:
        """As narrow as the widest part; the height is the layout's."""
        parts = (self._words.minimumSize(), self._status.minimumSize(), self.button.minimumSizeHint())
        return QSize(max(part.width() for part in parts), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        gap, button = self._whole.spacing(), 0
        if not self.button.isHidden():
            button = gap + self.button.sizeHint().width()
        row = self._status.sizeHint().width() + button
        self._row.setDirection(_HORIZONTAL if self.width() >= row else _VERTICAL)
        # Widths on one line each: the size hint of a wrapping label is for wrapped text.
        labels = (self._plain, self._term)
        words = max(label.fontMetrics().horizontalAdvance(label.text()) for label in labels)
        self._whole.setDirection(_HORIZONTAL if self.width() >= words + gap + row else _VERTICAL)

    def restyle(self) -> None:
        """Apply the theme's fonts and icons."""
        theme = self._theme
        self._plain.setFont(theme.font("strong"))
        self._used.setFont(theme.font("strong"))
        for label in (self._term, self._why):
            label.setFont(theme.font("small"))
        size = theme.step(4.5)
        self._sign.setPixmap(
            theme.icon("check", "likely").pixmap(QSize(size, size), self.devicePixelRatioF())
        )
        for part in (self._row, self._status):
            part.setSpacing(theme.step(2))
        self._whole.setSpacing(theme.step(2))
        if self.isVisible():
            self._turn()

    @Slot()
    def _clicked(self) -> None:
        self.use_requested.emit(self._use.head, not self._use.used)


class ModelUses(QFrame):
    """A row for each head. `use_requested` carries a head and whether the shown model is to be used for it."""

    use_requested = Signal(object, bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._uses: tuple[Use, ...] = ()
        self._rows: list[_UseRow] = []
        self._column = QVBoxLayout(self)
        self.setAccessibleName("What it does")
        theme.changed.connect(self._restyle)

    def set_uses(self, uses: Sequence[Use]) -> None:
        """Show these."""
        if tuple(uses) == self._uses:
            return
        focused = self.isAncestorOf(self.window().focusWidget() or self)
        before = self._rows
        self._uses = tuple(uses)
        first = next((at for at, use in enumerate(uses) if not use.used), -1)
        self._rows = [_UseRow(self._theme, use, primary=at == first) for at, use in enumerate(uses)]
        for row in self._rows:
            row.use_requested.connect(self.use_requested)
            self._column.addWidget(row)
            row.show()  # at once: a hidden widget cannot take the keyboard focus
        if focused:
            button = next((row.button for row in self._rows if not row.button.isHidden()), None)
            if button is not None:
                button.setFocus(Qt.FocusReason.OtherFocusReason)
        for row in before:
            row.hide()
            row.deleteLater()
        self._restyle()

    def button(self, head: Head) -> QPushButton | None:
        """The button of a head, None if there is none."""
        rows = zip(self._uses, self._rows, strict=True)
        return next((row.button for use, row in rows if use.head is head and not row.button.isHidden()), None)

    @Slot()
    def _restyle(self) -> None:
        self.setVisible(bool(self._uses))
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(self._theme.step(3))
        for row in self._rows:
            row.restyle()
