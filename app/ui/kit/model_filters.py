"""The search and filters above a list of models."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLineEdit, QVBoxLayout

from app.ui.kit.theme import Theme

_SEARCH_AFTER_MS = 120
_ABREAST = 2

Choices = tuple[tuple[str, str], ...]


class ModelFilters(QFrame):
    """A search line, and below it, two abreast, a choice for each name in `filters` with its (key, title) pairs.

    `changed` is sent when a filter was chosen, and a moment after the search changed; `down_asked` when the keys move
    down to the list.
    """

    changed = Signal()
    down_asked = Signal()

    def __init__(self, theme: Theme, placeholder: str, filters: dict[str, Choices]) -> None:
        super().__init__()
        self._theme = theme
        self.search = QLineEdit()
        self.search.setPlaceholderText(placeholder)
        self.search.setAccessibleName(placeholder)
        self._glass = QAction(self)
        self._glass.setEnabled(False)
        self.search.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self._clear = QAction("Clear", self)
        self._clear.setVisible(False)
        self._clear.triggered.connect(self.search.clear)
        self.search.addAction(self._clear, QLineEdit.ActionPosition.TrailingPosition)
        self.search.installEventFilter(self)
        self.search.textChanged.connect(self._typed)
        self.choices: dict[str, QComboBox] = {}
        self._grid = QGridLayout()
        for at, (name, choices) in enumerate(filters.items()):
            box = QComboBox()
            box.setAccessibleName(name)
            box.setToolTip(f"{name}: which models are listed")
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(6)
            for key, title in choices:
                box.addItem(title, key)
            box.activated.connect(self.changed)
            self._grid.addWidget(box, at // _ABREAST, at % _ABREAST)
            self._grid.setColumnStretch(at % _ABREAST, 1)
            self.choices[name] = box
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.search)
        self._column.addLayout(self._grid)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SEARCH_AFTER_MS)
        self._soon.timeout.connect(self.changed)
        theme.changed.connect(self._restyle)
        self._restyle()

    def words(self) -> str:
        """The text of the search."""
        return self.search.text()

    def choice(self, name: str) -> str:
        """The key that is chosen under a name."""
        return str(self.choices[name].currentData() or "")

    def offer(self, name: str, choices: Choices) -> None:
        """Replace the choices of a filter; the current one stays if it is still offered."""
        box, before = self.choices[name], self.choice(name)
        box.clear()
        for key, title in choices:
            box.addItem(title, key)
        box.setCurrentIndex(max(0, box.findData(before)))

    @property
    def narrowing(self) -> bool:
        """Whether a search or a filter is set."""
        return bool(self.words().strip()) or any(self.choice(name) for name in self.choices)

    @Slot()
    def clear(self) -> None:
        """Clear the search and all filters."""
        self.search.clear()
        for box in self.choices.values():
            box.setCurrentIndex(0)
        self.changed.emit()

    def go_to_search(self) -> None:
        """Put the keyboard focus into the search."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """In the search, the down key goes to the list, and Esc clears the text."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.down_asked.emit()
                return True
            if event.key() == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return super().eventFilter(watched, event)

    @Slot(str)
    def _typed(self, text: str) -> None:
        self._clear.setVisible(bool(text))
        self._soon.start()

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._glass.setIcon(theme.icon("search"))
        self._clear.setIcon(theme.icon("close"))
        self._grid.setSpacing(theme.step(2))
        self._column.setSpacing(theme.step(2))
        self._column.setContentsMargins(0, 0, 0, 0)
