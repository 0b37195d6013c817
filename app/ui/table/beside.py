"""The document beside the table: the current cell's place lit on its page, and the verdicts on it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QToolButton, QWidget

from app.core.answer_table import Cell, CellState, Column
from app.core.corrections import Verdict
from app.core.layout import Opened
from app.core.message import Message
from app.core.text import Span
from app.core.wording import first_words, likely, low_confidence, without_answer
from app.flows.workspace import Workspace
from app.ui.document.file_pane import FilePane
from app.ui.document.find_bar import FindBar
from app.ui.document.pane import Pane
from app.ui.document.reading_tools import ReadingTools
from app.ui.document.zoom import Zoom
from app.ui.kit.boxes import column, row
from app.ui.kit.elided import ElidedLabel
from app.ui.kit.jobs import Lanes
from app.ui.kit.notice import Notice
from app.ui.kit.parts import KeyButton, as_tip, plain_label
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr
from app.ui.kit.verdict_row import VerdictRow
from app.ui.table.cells import Row

CHANGED = Message("This file has changed since its answers were read.")
NOT_LIT = Message("These words are not on the page where they were read.")
_LONGEST = 300
SELECT_FIRST = Message("Select the right words in the document first, then press E.")


class Beside(QFrame):
    """A file with the answer of one cell, and buttons for verdicts.

    `judged` carries a Verdict, the words and their place (a Span or None) for words of the person's own; `undo_asked`
    and `close_asked` are sent by their buttons and keys.
    """

    judged = Signal(object, str, object)
    undo_asked = Signal()
    close_asked = Signal()

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__()
        self._workspace, self._theme = workspace, theme
        self._cell: Cell | None = None
        self._row: Row | None = None
        self.setProperty("kind", "desk")
        self.setAccessibleName(tr("The document beside the table"))
        self.name = ElidedLabel()
        mark(self.name, type="strong")
        self.file = FilePane(workspace, theme, lanes)
        self.find_bar = FindBar(theme, self._on_page)
        self.zoom = Zoom(workspace, theme, self._on_page, self)
        self.notice = Notice(theme)
        self.question = plain_label(type="small", ink="quiet")
        self.answer = plain_label(type="quote", selectable=True)
        self.likely = plain_label(type="small", ink="quiet")
        self.verdicts = VerdictRow(theme)
        self.undo = KeyButton(theme, tr("Undo"), "U", kind="verdict", type="small")
        self._lay_out()
        self.find_bar.closed.connect(self._leave_for_page)
        self.tools.left.connect(self._leave_for_page)
        self.file.opened.connect(self._put_in_order)
        self.file.opened.connect(self._light)
        self.file.closed.connect(self.close_asked)
        self.verdicts.judged.connect(self.judge)
        self.undo.clicked.connect(self.undo_asked)

    def show_cell(self, row: Row, column: Column, cell: Cell | None) -> None:
        """Show the file of a row, with the place of a cell, None for one that was not read."""
        self._row, self._cell = row, cell
        self.notice.clear()
        self.name.set_full_text(Path(row.file.path).name, row.file.path)
        self.question.setText(column.question)
        words, sure = _said(row, cell)
        self.answer.setText(words)
        self.answer.setVisible(bool(words))
        self.likely.setText(sure)
        self.likely.setVisible(bool(sure))
        self._show_verdict()
        self.file.show_file(row.file.path)
        if self.file.document is None:  # another one is being read
            self.tools.take(None, None)
        self._light()

    def forget(self) -> None:
        self._row = self._cell = None
        self.find_bar.hide()
        self.tools.take(None, None)
        self.file.forget()

    @Slot(object)
    def judge(self, verdict: Verdict) -> None:
        """Say this of the cell, with the words that are selected in the document."""
        self._show_verdict()  # pressed only once it is kept
        cell = self._cell
        if cell is None or not cell.can_be_judged:
            return
        if verdict is not Verdict.OTHER_WORDS:
            self.judged.emit(verdict, "", None)
            return
        words, own = self.file.selected()
        if words:
            self.judged.emit(verdict, words, self._place_of(words, own))
        elif cell.verdict is verdict:
            self.judged.emit(verdict, cell.right_words, cell.right_span)
        else:
            self.notice.show_hint(SELECT_FIRST)

    def _place_of(self, words: str, own: Span) -> Span | None:
        """The place of selected words in the text that the cell was read from; None where that is another one."""
        document = self.file.document
        there = (
            document is not None
            and not self._has_changed(document)
            and own.of(document.document.text) == words
        )
        return own if there else None

    def _show_verdict(self) -> None:
        cell = self._cell
        if cell is None or not cell.can_be_judged:
            self.verdicts.hide()
            return
        yours = first_words(cell.right_words, _LONGEST) if cell.verdict is Verdict.OTHER_WORDS else ""
        self.verdicts.offer(cell.shown_verdict, yours, has_answer=cell.state is not CellState.ABSENT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.verdicts
        acts = {"A": row.accept, "E": row.take_words, "X": row.reject, "U": self.undo_asked.emit}
        act = acts.get(event.text().upper()) if not event.modifiers() else None
        if act is not None:
            act()
            event.accept()
        else:
            super().keyPressEvent(event)

    def _on_page(self) -> Pane | None:
        """The pane with the file; None while there is none to see."""
        return self.file.pane if self.file.document is not None and self.isVisible() else None

    @Slot()
    def _leave_for_page(self) -> None:
        if (pane := self._on_page()) is not None:
            pane.setFocus(Qt.FocusReason.OtherFocusReason)

    def _has_changed(self, document: Opened) -> bool:
        """Whether the file is another one than its answers were read from."""
        read = self._row.file.sha256 if self._row is not None else ""
        return bool(read) and document.sha256 != read

    @Slot()
    def _put_in_order(self) -> None:
        """Have Tab reach the buttons after the document, which was created later."""
        if self.file.pane is not None:
            row = self.verdicts
            for one, other in pairwise((self.file.pane, row.right, row.absent, row.instead, self.undo)):
                QWidget.setTabOrder(one, other)
            self.tools.take(self.file.pane, self.file.document)

    @Slot()
    def _light(self) -> None:
        document, cell = self.file.document, self._cell
        if document is None or self._row is None or self.file.pane is None:
            return
        changed = self._has_changed(document)
        places: list[tuple[Span, str]] = []
        if cell is not None and cell.verdict is Verdict.OTHER_WORDS and cell.right_span is not None:
            places.append((cell.right_span, cell.right_words))
        answer = cell.answer if cell is not None and cell.state is not CellState.ABSENT else None
        if answer is not None:
            from app.flows.history.kept_answers import place_of_kept

            found = place_of_kept(answer, self.file.text(), changed=changed)
            places.append(
                (found or answer.span, answer.text if found is None else found.of(self.file.text()))
            )
        low = cell is not None and cell.state is CellState.LOW_CONFIDENCE
        lit = self.file.show_places(places, faint=low)
        if changed:
            self.notice.show_hint(CHANGED, tr("They will be read again at the library's next update."))
        elif places and not lit:
            self.notice.show_hint(NOT_LIT)

    def _lay_out(self) -> None:
        theme = self._theme
        close = QToolButton()
        close.setIcon(theme.icon("close"))
        close.setAccessibleName(tr("Close the document"))
        close.setToolTip(as_tip(tr("Close  (Esc)")))
        close.clicked.connect(self.close_asked)
        head = row(theme, (self.name, 1), close, gap=2, margins=(4, 2.5, 2, 2))
        foot = QFrame()
        foot.setProperty("kind", "panel")
        undo = (self.undo, 0, Qt.AlignmentFlag.AlignBottom)
        buttons = row(theme, (self.verdicts, 1), 0, undo, gap=2)
        said = (self.question, self.answer, self.likely)
        column(theme, self.notice, *said, buttons, gap=1, margins=(4, 3, 4, 3), parent=foot)
        beside = row(theme, (self.file, 1))
        page = column(theme, (beside, 1))
        column(theme, head, self.find_bar, (page, 1), foot, parent=self)
        self.tools = ReadingTools(self._workspace, theme, self.file, beside, page, self.find_bar, self.zoom)
        theme.in_steps(self.setMinimumWidth, 64)


def _said(row: Row, cell: Cell | None) -> tuple[str, str]:
    """The line about a cell below the document: its words, and how sure the reader is."""
    if row.message:
        return row.message, ""
    if cell is None:
        return tr("Not read yet"), ""
    if cell.state in (CellState.FAILED, CellState.NO_TEXT):
        return cell.reason, ""
    if cell.answer is None or cell.state is CellState.ABSENT:
        words, sure = without_answer(cell.no_answer)
    else:
        words, probability = " ".join(cell.answer.text.split()), cell.answer.probability
        low = cell.state is CellState.LOW_CONFIDENCE
        sure = low_confidence(probability) if low else likely(probability)
        if cell.answer.where:
            sure = f"{localised(sure)} · {localised(cell.answer.where)}"
    return words, sure
