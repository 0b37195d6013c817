"""The history with everything around it: search above, the list, what to do with it below."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from app.core.wording import count
from app.ui.history.history_bar import HistoryBar
from app.ui.history.history_empty import HistoryEmpty
from app.ui.history.history_list import HistoryList
from app.ui.kit.notice import Notice
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme
from app.ui.kit.undo_line import UndoLine

MOST_WIDE = 210
_SEARCH_AFTER_MS = 120


class HistoryPanel(QFrame):
    """Lays out the parts. `search_asked` is sent a moment after the words in the search were changed."""

    search_asked = Signal()

    def __init__(self, theme: Theme, formats: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._theme = theme
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search questions, answers and documents")
        self.search.setAccessibleName("Search the history")
        self._glass = QAction(self)
        self._glass.setEnabled(False)
        self.search.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self._clear = QAction("Clear", self)
        self._clear.setToolTip("Clear  (Esc)")
        self._clear.setVisible(False)
        self.search.addAction(self._clear, QLineEdit.ActionPosition.TrailingPosition)
        self.search.installEventFilter(self)
        self.list = HistoryList(theme, MOST_WIDE)
        self.empty = HistoryEmpty(theme)
        self.notice = Notice(theme)
        self.strip = ProgressStrip(theme)
        self.undo = UndoLine(theme)
        self.bar = HistoryBar(theme, formats)
        self._title = QLabel("History")
        self._count = QLabel()
        self._count.setProperty("ink", "quiet")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self.empty)
        self._rule = QFrame()
        self._rule.setProperty("kind", "rule")
        self._rule.setFixedHeight(1)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SEARCH_AFTER_MS)
        self._soon.timeout.connect(self.search_asked)
        self._lay_out()
        self.search.textChanged.connect(self._typed)
        self._clear.triggered.connect(self.show_all)
        self.list.up_asked.connect(self.go_to_search)
        self.empty.all_asked.connect(self.show_all)
        theme.changed.connect(self._restyle)
        self._restyle()

    def words(self) -> str:
        """The words in the search, of which nothing needs to be told any more."""
        self._soon.stop()
        return self.search.text()

    def show_found(self, words: str, whole: int, kept: bool) -> None:
        """Show the list, or why it is empty.

        `words` are those that were looked for, `whole` is how many entries there are in all, `kept` whether what is
        asked is kept.
        """
        total = self.list.history.total
        searched = bool(words.strip())
        self.bar.set_total(total, whole)
        self._count.setText(f"{total:,} of {whole:,}" if searched else count(whole, "question"))
        self._count.setVisible(bool(whole))
        focused = self.search.hasFocus() or self.empty.isAncestorOf(self.focusWidget() or self)
        self.search.setVisible(bool(whole) or searched)
        self._rule.setVisible(bool(total))
        if not total and searched:
            self.empty.show_not_found(" ".join(words.split()))
        elif not total:
            self.empty.show_nothing(kept)
        self._stack.setCurrentWidget(self.list if total else self.empty)
        if focused and not self.search.hasFocus():
            self.go_to_search()

    def counted(self) -> str:
        """How many there are, as it is said."""
        return self._count.text()

    @Slot()
    def show_all(self) -> None:
        """Take the words out of the search."""
        self.search.clear()
        self.search_asked.emit()
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def go_to_search(self) -> None:
        """Put the keyboard focus into the search, or to what can be done where there is nothing to search."""
        if self.search.isVisibleTo(self):
            self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.search.selectAll()
        else:
            button = self.empty.ask if self.empty.ask.isVisibleTo(self) else self.bar.keep
            button.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot()
    def go_to_list(self) -> None:
        """Put the keyboard focus into the list, on an entry."""
        if self.list.history.total:
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
            if self.list.entry() is None:
                self.list.choose_near(1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """In the search, the down key goes to the list, and Esc takes the words out."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.go_to_list()
                return True
            if event.key() == Qt.Key.Key_Escape and self.search.text() and self.strip.isHidden():
                self.show_all()
                return True
        return super().eventFilter(watched, event)

    @Slot(str)
    def _typed(self, text: str) -> None:
        self._clear.setVisible(bool(text))
        self._soon.start()

    def _lay_out(self) -> None:
        self.setProperty("kind", "desk")
        self._head = QHBoxLayout()
        self._head.addWidget(self._title)
        self._head.addWidget(self._count, 0, Qt.AlignmentFlag.AlignBottom)
        self._head.addStretch(1)
        self._head.addWidget(self.search, 2)
        self._above, self._below = QVBoxLayout(), QVBoxLayout()
        self._above.addLayout(self._head)
        self._above.addWidget(self.notice)
        self._above.addWidget(self.strip)
        self._below.addWidget(self.undo)
        self._below.addWidget(self.bar)
        self._narrow = []
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.setSpacing(0)
        for part in (self._above, self._stack, self._rule, self._below):
            if isinstance(part, QWidget):
                self._whole.addWidget(part, 1 if part is self._stack else 0)
                continue
            # As wide as the rows of the list, and in their middle.
            inner = QWidget()
            inner.setLayout(part)
            row = QHBoxLayout()
            row.addStretch(1)
            row.addWidget(inner, 1000)
            row.addStretch(1)
            self._narrow.append((inner, row))
            self._whole.addLayout(row)

    @Slot()
    def _restyle(self) -> None:
        theme, step = self._theme, self._theme.step
        self._title.setFont(theme.font("title"))
        self._count.setFont(theme.font("small"))
        self._count.setContentsMargins(0, 0, 0, step(0.5))
        self._glass.setIcon(theme.icon("search"))
        self._clear.setIcon(theme.icon("close"))
        self.search.setMinimumWidth(step(50))
        self._head.setSpacing(step(3))
        self._above.setContentsMargins(0, step(6), 0, step(3))
        self._above.setSpacing(step(3))
        self._below.setContentsMargins(0, step(3), 0, step(4))
        self._below.setSpacing(step(2))
        for inner, row in self._narrow:
            inner.setMaximumWidth(step(MOST_WIDE))
            row.setContentsMargins(step(8), 0, step(8), 0)
