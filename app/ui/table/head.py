"""The head of the page Table: which table it is, how far it is filled, which cells are looked for."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.core import wording
from app.core.answer_table import AnswerTable
from app.core.message import Message
from app.ui.kit.elided import ElidedButton, ElidedLabel
from app.ui.kit.file_dialog import ExportButton
from app.ui.kit.flow_row import FlowRow
from app.ui.kit.parts import as_tip, caption, plain_label, push_button, rule
from app.ui.kit.segments import Choices
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr
from app.ui.table.answer_model import Filter

BACK = "back"
_FILTERS = (
    (Filter.ALL, Message("All"), Message("Every document")),
    (Filter.LOW, Message("Low confidence"), Message("Words that may or may not be the answer")),
    (Filter.UNSEEN, Message("Not looked at"), Message("Answers without a verdict of yours")),
    (Filter.UNSURE, Message("Unsure first"), Message("Answers without a verdict, the least sure first")),
    (Filter.ABSENT, Message("Not in the text"), Message("Questions that a document does not answer")),
    (Filter.WRONG, Message("Disagreeing"), Message("Answers that you said are wrong")),
    (Filter.FAILED, Message("Failed"), Message("Files that could not be read")),
)


class Chips(Choices):
    """The filters, one pressed, in as many lines as they need."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(tr("Show"))
        row = FlowRow()
        self.setLayout(row)
        theme.in_steps(row.setSpacing, 1.5)
        for key, title, tip in _FILTERS:
            button = push_button(
                theme, title, kind="chip", name=f"{self.accessibleName()}: {localised(title)}", tip=tip
            )
            button.setCheckable(True)
            self.add_button(key, button)
            row.addWidget(button)
        self.select(Filter.ALL)


class TableHead(QFrame):
    """The name with its menu, the progress with Fill or Pause, Export, and Add a question; the filters below.

    `table_chosen` carries a table's number; `exported` the ending of a format, or BACK for the loaded list; the others
    are sent by the menu's entries and the buttons.
    """

    table_chosen = Signal(int)
    new_asked = Signal()
    rename_asked = Signal()
    remove_asked = Signal()
    fill_toggled = Signal()
    exported = Signal(str)
    add_asked = Signal()
    filtered = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("kind", "panel")
        self.title = ElidedButton(theme, Qt.TextElideMode.ElideRight)
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        mark(self.title, kind="heading", type="title")
        self.menu = QMenu(self)
        self.title.setMenu(self.menu)
        self.menu.triggered.connect(self._menu_chosen)
        self.library = ElidedLabel()
        mark(self.library, type="small", ink="quiet")
        self.documents = push_button(theme, kind="link", tip=tr("Choose the documents of this table"))
        mark(self.documents, type="small")
        self.words = plain_label(type="small", ink="quiet", wrap=False)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.bar.setAccessibleName(tr("Cells that were read"))
        theme.in_steps(self.bar.setFixedWidth, 18)
        self.fill = push_button(theme, tr("Fill"))
        self.fill.clicked.connect(self.fill_toggled)
        self.export = ExportButton((BACK, tr("Back into the loaded list…")))
        self.export.exported.connect(self.exported)
        self.add = push_button(
            theme, tr("Add a question"), kind="primary", tip=tr("Add a question  (Ctrl+L)")
        )
        self.add.clicked.connect(self.add_asked)
        self.chips = Chips(theme)
        self.chips.chosen.connect(self.filtered)
        self.checked = plain_label(type="small", ink="quiet", wrap=False)
        self._lay_out()

    def show_tables(self, tables: tuple[AnswerTable, ...], current: AnswerTable | None) -> None:
        """List the tables in the menu."""
        name = current.name if current is not None else tr("Table")
        self.title.set_full_text(name)
        self.title.setAccessibleName(tr("Table: {name}", name=name))
        self.title.setToolTip(as_tip(tr("{name}: rename it, or choose another table", name=name)))
        menu = self.menu
        menu.clear()
        for table in tables:
            action = menu.addAction(caption(table.name))
            action.setCheckable(True)
            action.setChecked(current is not None and table.number == current.number)
            action.setData(table.number)
        menu.addSeparator()
        for title, key in (
            (tr("New table…"), "new"),
            (tr("Rename…"), "rename"),
            (tr("Remove…"), "remove"),
        ):
            action = menu.addAction(title)
            action.setData(key)
            action.setEnabled(key == "new" or current is not None)

    def show_library(self, words: str, tip: str, chosen: int, there: int) -> None:
        """Show which library it is over, how many of its documents were chosen, 0 for all, and are `there`."""
        self.library.set_full_text(words, tip)
        self.library.setMaximumWidth(self.library.natural_width() + self._theme.step(1))
        if not chosen:
            text = tr("Choose documents…")
        elif chosen == there:
            text = tr("{n:,} document chosen", "{n:,} documents chosen", n=chosen)
        else:
            text = tr(
                "{there:,} of {n:,} document chosen",
                "{there:,} of {n:,} documents chosen",
                there=there,
                n=chosen,
            )
        self.documents.setText(text)
        self.documents.setAccessibleName(self.documents.text())
        self.documents.setVisible(bool(tip))

    def show_progress(self, read: int, total: int, seconds_left: float | None, state: str) -> None:
        """Show how many cells were read; `state` is "full", "filling", "paused" or "waiting"."""
        words = tr("{read:,} of {total:,}", read=read, total=total) if total else ""
        if state == "filling" and seconds_left is not None:
            words = f"{words} · {localised(wording.time_left(seconds_left))}"
        elif state == "waiting":
            words = " · ".join((words, tr("continues after other work")))
        self.words.setText(words)
        self.bar.setValue(round(1000 * read / total) if total else 0)
        self.bar.setAccessibleDescription(words)
        self.bar.setVisible(state != "full")
        filling = state in ("filling", "waiting")
        self.fill.setText(tr("Pause") if filling else tr("Fill"))
        self.fill.setAccessibleName(self.fill.text())
        tip = tr("Stop reading for now; what was read stays") if filling else tr("Read what is not read yet")
        self.fill.setToolTip(as_tip(tip))
        self.fill.setVisible(state != "full")

    def show_checked(self, words: str) -> None:
        """Show how many cells were checked in all, and how many of them were right."""
        self.checked.setText(words)
        self.checked.setVisible(bool(words))

    @Slot(QAction)
    def _menu_chosen(self, action: QAction) -> None:
        key = action.data()
        if isinstance(key, int):
            self.table_chosen.emit(key)
        elif key in ("new", "rename", "remove"):
            {"new": self.new_asked, "rename": self.rename_asked, "remove": self.remove_asked}[key].emit()

    def _lay_out(self) -> None:
        theme = self._theme
        name = QVBoxLayout()
        name.addWidget(self.title)
        over = QHBoxLayout()
        over.addWidget(self.library, 1000)  # up to its natural width
        over.addWidget(self.documents)
        over.addStretch(1)
        theme.space(over, 2)
        name.addLayout(over)
        theme.space(name, 0)
        theme.in_steps(self.library.setContentsMargins, 1, 0, 0, 0)
        right = QWidget()
        buttons = FlowRow()
        right.setLayout(buttons)
        self._progress = QWidget()
        progress = QHBoxLayout(self._progress)
        progress.addWidget(self.bar)
        progress.addWidget(self.words)
        theme.space(progress, 2)
        for widget in (self._progress, self.fill, self.export, self.add):
            buttons.addWidget(widget)
        theme.in_steps(buttons.setSpacing, 2)
        theme.in_steps(self._progress.setFixedHeight, 7.5)
        top = QHBoxLayout()
        top.addLayout(name, 1)
        top.addWidget(right, 0, Qt.AlignmentFlag.AlignVCenter)
        below = QHBoxLayout()
        below.addWidget(self.chips, 1)
        below.addWidget(self.checked, 0, Qt.AlignmentFlag.AlignTop)
        self._below = QWidget()
        self._below.setLayout(below)
        column = QVBoxLayout(self)
        column.addLayout(top)
        column.addWidget(rule())
        column.addWidget(self._below)
        theme.space(top, 3, (5, 3, 5, 3))
        theme.space(below, 3, (5, 2, 5, 2))
        theme.in_steps(self.checked.setContentsMargins, 0, 1.5, 0, 0)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)

    def show_filters(self, shown: bool) -> None:
        """Show the filters, or not while there is nothing to filter."""
        self._below.setVisible(shown)
        self.export.setEnabled(shown)
