"""The head of the page Table: the table's name, how far it is filled, and the filters."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from app.core import wording
from app.core.answer_table import AnswerTable
from app.core.message import Message
from app.core.report import Progress
from app.ui.kit.boxes import column, flow, row
from app.ui.kit.file_dialog import ExportButton
from app.ui.kit.named_tables import TitleMenu
from app.ui.kit.parts import ElidedLabel, as_tip, plain_label, push_button, rule
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
    (
        Filter.UNREAD,
        Message("Not read whole"),
        Message("Files that could not be read, and questions without an answer in the part that was"),
    ),
)
_ACTIONS = (
    (Message("New table…"), "new"),
    (Message("Open results…"), "open"),
    (Message("Rename…"), "rename"),
    (Message("Remove…"), "remove"),
)


class Chips(Choices):
    """The filters as buttons, one of them pressed, with a label behind them."""

    def __init__(self, theme: Theme, behind: QWidget) -> None:
        super().__init__(tr("Show"))
        for key, title, tip in _FILTERS:
            button = push_button(
                theme, title, kind="chip", name=f"{self.accessibleName()}: {localised(title)}", tip=tip
            )
            button.setCheckable(True)
            self.add_button(key, button)
        self.setLayout(flow(theme, *self.buttons(), behind, gap=1.5))
        self.select(Filter.ALL)


class TableHead(QFrame):
    """The table's name and menu, its library and progress, buttons to fill, export and add questions, the filters."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("kind", "panel")
        self.title = TitleMenu(theme, _ACTIONS)
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
        self.export = ExportButton((BACK, tr("Back into the loaded list…")))
        self.add = push_button(
            theme, tr("Add a question"), kind="primary", tip=tr("Add a question  (Ctrl+L)")
        )
        self.checked = plain_label(type="small", ink="quiet", wrap=False)
        self.chips = Chips(theme, self.checked)
        tip = tr(
            "How many of the answers that you checked were right. In brackets: the share of right answers to expect in"
            " the whole table, with 95% confidence."
        )
        self.checked.setToolTip(as_tip(tip))
        self._lay_out()

    def show_tables(self, tables: tuple[AnswerTable, ...], current: AnswerTable | None) -> None:
        """Show the current table's name, and list all tables in its menu."""
        name = current.name if current is not None else tr("Table")
        self.title.setAccessibleName(tr("Table: {name}", name=name))
        self.title.setToolTip(as_tip(tr("{name}: rename it, or choose another table", name=name)))
        possible = ("new", "open", "rename", "remove") if current is not None else ("new", "open")
        self.title.show_tables(name, tables, current, possible)

    def show_library(self, words: str, tip: str, chosen: int, there: int) -> None:
        """Show the table's library, how many of its documents were chosen (0 for all), and how many are `there`."""
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

    def show_progress(self, progress: Progress, state: str) -> None:
        """Show how many cells were read; `state` is "full", "filling", "paused" or "waiting"."""
        read, total, left = progress.done, progress.total, progress.seconds_left
        words = tr("{read:,} of {total:,}", read=read, total=total) if total else ""
        if state == "filling" and left is not None:
            words = f"{words} · {localised(wording.time_left(left))}"
        elif state == "waiting":
            words = " · ".join((words, tr("continues after other work")))
        self.words.setText(words)
        self.bar.setValue(round(1000 * progress.fraction))
        self.bar.setAccessibleDescription(words)
        self.bar.setVisible(state != "full")
        filling = state in ("filling", "waiting")
        self.fill.setText(tr("Pause") if filling else tr("Fill"))
        self.fill.setAccessibleName(self.fill.text())
        tip = tr("Stop reading for now; what was read stays") if filling else tr("Read what is not read yet")
        self.fill.setToolTip(as_tip(tip))
        self.fill.setVisible(state != "full")

    def show_checked(self, words: str) -> None:
        """Show the summary of all verdicts."""
        self.checked.setText(words)
        self.checked.setVisible(bool(words))

    def _lay_out(self) -> None:
        theme, middle = self._theme, Qt.AlignmentFlag.AlignVCenter
        over = row(theme, (self.library, 1000), self.documents, 1, gap=2)  # up to its natural width
        theme.in_steps(self.library.setContentsMargins, 1, 0, 0, 0)
        progress, right = QWidget(), QWidget()
        row(theme, self.bar, self.words, gap=2, parent=progress)
        theme.in_steps(progress.setFixedHeight, 7.5)
        right.setLayout(flow(theme, progress, self.fill, self.export, self.add))
        name = row(theme, self.title, 1, (right, 0, middle), gap=3)
        top = column(theme, name, over, margins=(5, 3, 5, 3))
        self._below = QWidget()
        row(theme, (self.chips, 1), margins=(5, 2, 5, 2), parent=self._below)
        theme.in_steps(self.checked.setContentsMargins, 2, 1.5, 0, 0)
        column(theme, top, rule(), self._below, parent=self)

    def show_filters(self, shown: bool) -> None:
        """Show the filters and allow the export, or neither while there are no questions."""
        self._below.setVisible(shown)
        self.export.setEnabled(shown)
