"""The document beside the table, with the current cell's answer highlighted and the buttons that judge it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QToolButton, QWidget

from app.core.answer_table import Cell, CellState, Column
from app.core.corrections import Verdict
from app.core.layout import Opened
from app.core.library import FileState
from app.core.message import Message
from app.core.text import Span
from app.core.wording import first_words, likely, low_confidence, read_as, without_answer
from app.flows.workspace import Workspace
from app.ui.document.file_pane import FilePane
from app.ui.document.find_bar import FindBar
from app.ui.document.pane import Pane
from app.ui.document.reading_tools import ReadingTools
from app.ui.document.zoom import Zoom
from app.ui.kit.boxes import column, row
from app.ui.kit.jobs import Lanes
from app.ui.kit.notice import Notice
from app.ui.kit.parts import ElidedLabel, KeyButton, as_tip, plain_label
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr
from app.ui.kit.verdict_row import VerdictRow
from app.ui.table.cells import Row

_CHANGED = Message("This file has changed since its answers were read.")
_NOT_FOUND = Message("These words are not on the page where they were read.")
_LONGEST = 300  # characters of the person's own words, and of why a part was not read
_SELECT_FIRST = Message("Select the right words in the document first, then press E.")


class DocumentBeside(QFrame):
    """The file of a cell with the cell's answer, and the buttons that judge it.

    `judged` carries a Verdict, and for the person's own words these and their Span, or None if they are not in the text
    that was read; `readable` the path of a file that could not be read for the table and can be now, and its password,
    empty for none. `undo_asked` and `close_asked` are sent by their buttons and keys.
    """

    judged = Signal(object, str, object)
    readable = Signal(str, str)
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
        self.find_bar = FindBar(theme, self._shown_pane)
        self.zoom = Zoom(workspace, theme, self._shown_pane, self)
        self.notice = Notice(theme)
        self.question = plain_label(type="small", ink="quiet")
        self.answer = plain_label(type="quote", selectable=True)
        self.likely = plain_label(type="small", ink="quiet")
        self.verdicts = VerdictRow(theme)
        self.undo = KeyButton(theme, tr("Undo"), "U")
        self._lay_out()
        self.find_bar.closed.connect(self._focus_pane)
        self.tools.left.connect(self._focus_pane)
        self.file.opened.connect(self._order_tabs)
        self.file.opened.connect(self._highlight)
        self.file.opened.connect(self._opened)
        self.file.unlocked.connect(self.readable)
        self.file.closed.connect(self.close_asked)
        self.verdicts.judged.connect(self.judge)
        self.undo.clicked.connect(self.undo_asked)

    def show_cell(self, row: Row, column: Column, cell: Cell | None) -> None:
        """Show the file of a row, with the answer of a cell, or None if that was not read yet."""
        self._row, self._cell = row, cell
        self.notice.hide()
        self.name.set_full_text(Path(row.file.path).name, row.file.path)
        respelt = localised(read_as(cell.read_as)) if cell is not None else ""
        self.question.setText("\n".join(filter(None, (column.question, respelt))))
        words, certainty = _cell_in_words(row, cell)
        self.answer.setText(words)
        self.answer.setVisible(bool(words))
        self.likely.setText(certainty)
        self.likely.setVisible(bool(certainty))
        self._show_verdict()
        self.file.show_file(row.file.path)
        if self.file.document is None:  # it is being read
            self.tools.take(None, None)
        self._highlight()

    def forget(self) -> None:
        """Forget the cell, and close its file."""
        self._row = self._cell = None
        self.find_bar.hide()
        self.tools.take(None, None)
        self.file.forget()

    @Slot(object)
    def judge(self, verdict: Verdict) -> None:
        """Judge the cell; for OTHER_WORDS, with the words that are selected in the document."""
        self._show_verdict()  # a button is pressed only once the verdict is stored
        cell = self._cell
        if cell is None or not cell.can_be_judged:
            return
        if verdict is not Verdict.OTHER_WORDS:
            self.judged.emit(verdict, "", None)
            return
        words, selected = self.file.selected()
        if words:
            self.judged.emit(verdict, words, self._span_of(words, selected))
        elif cell.verdict is verdict:
            self.judged.emit(verdict, cell.right_words, cell.right_span)
        else:
            self.notice.show_hint(_SELECT_FIRST)

    def _span_of(self, words: str, selected: Span) -> Span | None:
        """The span of selected words in the text that the cell was read from; None if the text is another one now."""
        document = self.file.document
        if document is None or self._has_changed(document) or selected.of(document.document.text) != words:
            return None
        return selected

    def _show_verdict(self) -> None:
        cell = self._cell
        if cell is None or not cell.can_be_judged:
            self.verdicts.hide()
            return
        yours = first_words(cell.right_words, _LONGEST) if cell.verdict is Verdict.OTHER_WORDS else ""
        self.verdicts.offer(cell.shown_verdict, yours, has_answer=not cell.is_absent)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.verdicts
        acts = {"A": row.accept, "E": row.take_words, "X": row.reject, "U": self.undo_asked.emit}
        act = acts.get(event.text().upper()) if not event.modifiers() else None
        if act is not None:
            act()
            event.accept()
        else:
            super().keyPressEvent(event)

    def _shown_pane(self) -> Pane | None:
        """The pane that shows the file, also while another page of the window is open; None without a file."""
        return self.file.pane if self.file.document is not None else None

    @Slot()
    def _focus_pane(self) -> None:
        if (pane := self._shown_pane()) is not None:
            pane.setFocus(Qt.FocusReason.OtherFocusReason)

    def _has_changed(self, document: Opened) -> bool:
        """Whether the file has changed since its answers were read."""
        read = self._row.file.sha256 if self._row is not None else ""
        return bool(read) and document.sha256 != read

    @Slot()
    def _order_tabs(self) -> None:
        """Have Tab reach the buttons after the document's pane, which was created later than they were."""
        if self.file.pane is not None:
            row = self.verdicts
            for one, other in pairwise((self.file.pane, row.right, row.absent, row.instead, self.undo)):
                QWidget.setTabOrder(one, other)
            self.tools.take(self.file.pane, self.file.document)

    @Slot()
    def _opened(self) -> None:
        if self._row is not None and self._row.file.state is FileState.FAILED:
            self.readable.emit(self._row.file.path, "")

    @Slot()
    def _highlight(self) -> None:
        document, cell = self.file.document, self._cell
        if document is None or self._row is None or self.file.pane is None:
            return
        changed = self._has_changed(document)
        places: list[tuple[Span, str]] = []
        if cell is not None and cell.verdict is Verdict.OTHER_WORDS and cell.right_span is not None:
            places.append((cell.right_span, cell.right_words))
        own = len(places) - 1
        answer = cell.answer if cell is not None and not cell.is_absent else None
        if answer is not None:
            from app.flows.history.kept_answers import locate_answer

            found = locate_answer(answer, self.file.text(), changed=changed)
            places.append(
                (found or answer.span, answer.text if found is None else found.of(self.file.text()))
            )
        low = cell is not None and cell.state is CellState.LOW_CONFIDENCE
        found_all = self.file.show_places(places, faint=low, own=own)
        if changed:
            self.notice.show_hint(_CHANGED, tr("They will be read again at the library's next update."))
        elif places and not found_all:
            self.notice.show_hint(_NOT_FOUND)

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


def _cell_in_words(row: Row, cell: Cell | None) -> tuple[str, str]:
    """The lines about a cell below the document: its answer, and how sure the reader is and where it found that."""
    if row.message:
        return row.message, ""
    if cell is None:
        return tr("Not read yet"), ""
    if cell.state in (CellState.FAILED, CellState.NO_TEXT):
        return cell.reason, ""
    if cell.answer is None or cell.is_absent:
        in_part = cell.state is CellState.ABSENT_IN_PART
        words, certainty = without_answer(cell.no_answer, whole=not in_part)
        if in_part:
            certainty = f"{localised(certainty)} · {first_words(localised(cell.reason), _LONGEST)}"
    else:
        words, probability = " ".join(cell.answer.text.split()), cell.answer.probability
        low = cell.state is CellState.LOW_CONFIDENCE
        certainty = low_confidence(probability) if low else likely(probability)
        if cell.answer.where:
            certainty = f"{localised(certainty)} · {localised(cell.answer.where)}"
    return words, certainty
