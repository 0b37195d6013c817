"""The panel of the history: search above, the list, and its actions below."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QStackedLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.wording import count
from app.ui.history.history_list import HistoryList
from app.ui.kit.notice import Notice
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark
from app.ui.kit.undo_line import UndoLine

MOST_WIDE = 210
_SEARCH_AFTER_MS = 120
NOTHING = (
    "Nothing asked yet",
    "Ask a document something: the question, its answer and the place are kept here.",
)
OFF = ("No history is kept", "What you ask is not kept. The switch below changes that.")


class HistoryBar(QFrame):
    """A switch, Export… with its formats, and Delete everything…, which asks for confirmation in place.

    `history_toggled` carries whether a history is wanted; `export_asked` a format's key; `delete_all_asked` is sent
    once that was confirmed.
    """

    history_toggled = Signal(bool)
    export_asked = Signal(str)
    delete_all_asked = Signal()

    def __init__(self, theme: Theme, formats: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._theme = theme
        self._formats = tuple(formats)
        self.keep = QCheckBox("Keep a history")
        self.keep.setToolTip("Questions, their answers and pasted texts are kept, on this computer only")
        self.keep.clicked.connect(self.history_toggled)
        self.export = QPushButton("Export…")
        self.menu = QMenu(self.export)
        self.export.setMenu(self.menu)
        for key, title in self._formats:
            action = QAction(title, self.menu)
            action.setData(key)
            action.triggered.connect(self._format_chosen)
            self.menu.addAction(action)
        self.delete_all = QPushButton("Delete everything…")
        self.delete_all.clicked.connect(self._ask_to_confirm)
        self._sure = QLabel()
        self._sure.setWordWrap(True)
        self.confirm = QPushButton("Delete everything")
        self.confirm.clicked.connect(self._confirmed)
        self.cancel = QPushButton("Keep it")
        self.cancel.clicked.connect(self.calm)
        for button in (self.keep, self.export, self.delete_all, self.confirm, self.cancel):
            button.setAccessibleName(button.text())
        mark(self.confirm, kind="danger")
        usual, sure = QFrame(), QFrame()
        self._rows = (QHBoxLayout(usual), QHBoxLayout(sure))
        self._rows[0].addWidget(self.keep)
        self._rows[0].addStretch(1)
        self._rows[0].addWidget(self.export)
        self._rows[0].addWidget(self.delete_all)
        self._rows[1].addWidget(self._sure, 1)
        self._rows[1].addWidget(self.cancel)
        self._rows[1].addWidget(self.confirm)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(usual)
        self._stack.addWidget(sure)
        self._total = 0
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_total(self, total: int, whole: int) -> None:
        """Set the number of listed entries, and of all entries of the history."""
        self.export.setEnabled(bool(total))
        self.delete_all.setEnabled(bool(whole))
        self._total = whole
        if not whole:
            self.calm()

    @property
    def asking(self) -> bool:
        """Whether it is asking for confirmation."""
        return self._stack.currentIndex() == 1

    @Slot()
    def calm(self) -> None:
        """Cancel the question."""
        if self.asking:
            self._stack.setCurrentIndex(0)
            self.delete_all.setFocus(Qt.FocusReason.OtherFocusReason)

    def question(self) -> str:
        """The question asked before everything is deleted."""
        return self._sure.text()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc cancels the question."""
        if event.key() == Qt.Key.Key_Escape and self.asking:
            self.calm()
            return
        super().keyPressEvent(event)

    @Slot()
    def _ask_to_confirm(self) -> None:
        entries = count(self._total, "question and its answer", "questions and their answers")
        self._sure.setText(f"Delete {entries} for good? This cannot be undone.")
        self._stack.setCurrentIndex(1)
        self.cancel.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _confirmed(self) -> None:
        self.calm()
        self.delete_all_asked.emit()

    @Slot()
    def _format_chosen(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.export_asked.emit(action.data())

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._sure.setFont(theme.font("strong"))
        for button, icon in ((self.export, "save"), (self.delete_all, "delete"), (self.confirm, "delete")):
            button.setIcon(theme.icon(icon, "ink"))
            button.setIconSize(QSize(theme.step(4), theme.step(4)))
        for row in self._rows:
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(theme.step(2))


class HistoryEmpty(QFrame):
    """A sentence, a hint, and a button: to ask, or to show everything again after a search."""

    ask_asked = Signal()
    all_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._icon = QLabel()
        self._title = QLabel()
        self._words = QLabel()
        self._words.setProperty("ink", "quiet")
        for label in (self._icon, self._title, self._words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.ask = QPushButton("Ask a question")
        self.ask.setToolTip("To the page where documents are asked  (Ctrl+1)")
        self.ask.clicked.connect(self.ask_asked)
        mark(self.ask, kind="primary")
        self.all = QPushButton("Show everything")
        self.all.clicked.connect(self.all_asked)
        self._column = QVBoxLayout(self)
        self._column.addStretch(2)
        for part in (self._icon, self._title, self._words):
            self._column.addWidget(part)
        for button in (self.ask, self.all):
            button.setAccessibleName(button.text())
            self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addStretch(3)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_nothing(self, enabled: bool) -> None:
        """Show that nothing was asked yet, or that no history is kept."""
        self._show_message(*(NOTHING if enabled else OFF), searched=False)
        self.ask.setVisible(enabled)

    def show_not_found(self, words: str) -> None:
        """Show that a search found nothing."""
        short = words if len(words) <= 60 else f"{words[:59]}…"
        self._show_message(
            "Nothing found", f"No question, answer or document here has “{short}”.", searched=True
        )

    def title(self) -> str:
        """The title of the message."""
        return self._title.text()

    def _show_message(self, title: str, words: str, *, searched: bool) -> None:
        self._title.setText(title)
        self._words.setText(words)
        self.ask.setVisible(not searched)
        self.all.setVisible(searched)

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        size = theme.step(10)
        icon = theme.icon("history", "ink_quiet").pixmap(QSize(size, size), self.devicePixelRatioF())
        self._icon.setPixmap(icon)
        self._title.setFont(theme.font("answer"))
        self._words.setFont(theme.font("ui"))
        self._column.setSpacing(theme.step(3))


class HistoryPanel(QFrame):
    """Lays out the parts. `search_asked` is sent a moment after the text of the search changed."""

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
        """The text of the search; cancels a pending `search_asked`."""
        self._soon.stop()
        return self.search.text()

    def show_found(self, words: str, whole: int, enabled: bool) -> None:
        """Show the list, or why it is empty.

        `words` are those searched for, `whole` is the number of all entries, `enabled` whether a history is kept.
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
            self.empty.show_nothing(enabled)
        self._stack.setCurrentWidget(self.list if total else self.empty)
        if focused and not self.search.hasFocus():
            self.go_to_search()

    def counted(self) -> str:
        """The number of entries in words."""
        return self._count.text()

    @Slot()
    def show_all(self) -> None:
        """Clear the search."""
        self.search.clear()
        self.search_asked.emit()
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def go_to_search(self) -> None:
        """Put the keyboard focus into the search, or on another control if there is nothing to search."""
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
        """In the search, the down key goes to the list, and Esc clears the text."""
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
            # As wide as the rows of the list, and centred like them.
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
