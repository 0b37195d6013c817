"""The panel of the history: the search above the list, and the actions below it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLayout,
    QMenu,
    QStackedLayout,
    QStackedWidget,
    QWidget,
)

from app.core.message import Message
from app.core.wording import first_words
from app.flows.history.export_formats import FORMATS
from app.ui.history.history_list import MOST_WIDE, HistoryList
from app.ui.kit.boxes import column, flow, row
from app.ui.kit.confirmation import Confirmation
from app.ui.kit.empty_state import EmptyState
from app.ui.kit.notice import Notice
from app.ui.kit.parts import as_tip, plain_label, push_button, rule
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.search_line import SearchLine
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.kit.undo_line import UndoLine

NOTHING = (
    Message("Nothing asked yet"),
    Message("Ask a document something: the question, its answer and the place are kept here."),
)
OFF = (
    Message("No history is kept"),
    Message("What you ask is not kept. The switch below changes that."),
)


class HistoryBar(QFrame):
    """The switch `keep`, Export… with the `menu` of formats, and Delete everything…, or the `question` before it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.keep = QCheckBox(tr("Keep a history"))
        self.keep.setAccessibleName(self.keep.text())
        self.keep.setToolTip(
            as_tip(tr("Questions, their answers and pasted texts are kept, on this computer only"))
        )
        self.export = push_button(theme, tr("Export…"), icon="save")
        self.menu = QMenu(self.export)
        self.export.setMenu(self.menu)
        for form in FORMATS:
            self.menu.addAction(localised(form.title)).setData(form.key)
        self.delete_all = push_button(theme, tr("Delete everything…"), icon="delete")
        self.delete_all.clicked.connect(self._ask_to_confirm)
        self.question = Confirmation(theme, tr("Delete everything"))
        self.question.confirm.setIcon(theme.icon("delete", "ink"))
        self.question.cancelled.connect(self._show_usual)
        self.question.confirmed.connect(self._show_usual)
        self._usual = QWidget()
        row(theme, self.keep, 1, flow(theme, self.export, self.delete_all), gap=2, parent=self._usual)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._usual)
        self._stack.addWidget(self.question)
        self._total = 0

    def set_total(self, total: int, whole: int) -> None:
        """Set the number of listed entries, and of all entries in the history."""
        self.export.setEnabled(bool(total))
        self.delete_all.setEnabled(bool(whole))
        self._total = whole
        if not whole:
            self.question.withdraw()

    @Slot()
    def _ask_to_confirm(self) -> None:
        self._stack.setCurrentWidget(self.question)
        self.updateGeometry()
        self.question.ask(
            tr(
                "Delete {n:,} question and its answer for good? This cannot be undone.",
                "Delete {n:,} questions and their answers for good? This cannot be undone.",
                n=self._total,
            )
        )

    @Slot()
    def _show_usual(self) -> None:
        self._stack.setCurrentWidget(self._usual)
        self.delete_all.setFocus(Qt.FocusReason.OtherFocusReason)


class HistoryPanel(QFrame):
    """The search above the list, and the actions below it.

    `counted` shows the number of entries; `empty` stands in place of an empty list.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.list = HistoryList(theme)
        self.empty = EmptyState(theme, "history", kind="desk")
        self.notice = Notice(theme)
        self.strip = ProgressStrip(theme)
        self.search = SearchLine(theme, tr("Search questions, answers and documents"), self.strip)
        self.undo = UndoLine(theme)
        self.bar = HistoryBar(theme)
        self.counted = plain_label(type="small", ink="quiet", wrap=False)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self.empty)
        self._rule = rule()
        self._lay_out()
        self.search.down_requested.connect(self.go_to_list)
        self.list.up_requested.connect(self.go_to_search)
        theme.in_steps(self.counted.setContentsMargins, 0, 0, 0, 0.5)
        theme.in_steps(self.search.setMinimumWidth, 50)

    def show_found(self, words: str, whole: int, enabled: bool) -> None:
        """Show the list, or why it is empty.

        `words` are those searched for, `whole` is the number of all entries, `enabled` whether a history is kept.
        """
        total = self.list.history.total
        searched = bool(words.strip())
        self.bar.set_total(total, whole)
        self.counted.setText(
            tr("{number:,} of {total:,}", number=total, total=whole)
            if searched
            else tr("{n:,} question", "{n:,} questions", n=whole)
        )
        self.counted.setVisible(bool(whole))
        focused = self.search.hasFocus() or self.empty.isAncestorOf(self.focusWidget() or self)
        self.search.setVisible(bool(whole) or searched)
        self._rule.setVisible(bool(total))
        if not total and searched:
            self.empty.show_message(
                tr("Nothing found"),
                tr("No question, answer or document here has “{words}”.", words=first_words(words)),
                tr("Show everything"),
                primary=False,
            )
        elif not total:
            ask = tr("Ask a question") if enabled else ""
            self.empty.show_message(
                *(NOTHING if enabled else OFF), ask, tip=tr("To the page where documents are asked  (Ctrl+1)")
            )
        self._stack.setCurrentWidget(self.list if total else self.empty)
        if focused and not self.search.hasFocus():
            self.go_to_search()

    @Slot()
    def go_to_search(self) -> None:
        """Focus the search, or another control if there is nothing to search."""
        if self.search.isVisibleTo(self):
            self.search.go_in()
        else:
            button = self.empty.button if self.empty.button.isVisibleTo(self) else self.bar.keep
            button.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot()
    def go_to_list(self) -> None:
        """Focus the list, with an entry chosen."""
        if self.list.history.total:
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
            if self.list.entry() is None:
                self.list.choose_near(1)

    def _lay_out(self) -> None:
        self.setProperty("kind", "desk")
        theme = self._theme
        title, low = plain_label(tr("History"), type="title", wrap=False), Qt.AlignmentFlag.AlignBottom
        head = row(theme, title, (self.counted, 0, low), 1, (self.search, 2), gap=3)
        above = column(theme, head, self.notice, self.strip, gap=3, margins=(0, 6, 0, 3))
        below = column(theme, self.undo, self.bar, gap=2, margins=(0, 3, 0, 4))
        top, bottom = self._as_wide_as_rows(above), self._as_wide_as_rows(below)
        column(theme, top, (self._stack, 1), self._rule, bottom, parent=self)

    def _as_wide_as_rows(self, part: QLayout) -> QHBoxLayout:
        """Return a row that centres a layout, at most as wide as the rows of the list."""
        inner = QWidget()
        inner.setLayout(part)
        self._theme.in_steps(inner.setMaximumWidth, MOST_WIDE)
        return row(self._theme, 1, (inner, 1000), 1, margins=(8, 0, 8, 0))
