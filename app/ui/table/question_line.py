"""The line in which questions are added and changed, and tables and sets of questions are named."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QMimeData, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QFrame, QMenu, QPlainTextEdit, QToolButton

from app.core.message import Message
from app.ui.kit.boxes import column, flow, row
from app.ui.kit.dropped import local_files
from app.ui.kit.parts import as_tip, caption, plain_label, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

_MOST_LINES = 6
SAVE_SET, DROP_SET = "save set", "drop set"


class Asked(StrEnum):
    """What the line asks for."""

    QUESTIONS = "questions"  # to add
    EDIT = "edit"  # another wording of a question
    NAME = "name"  # a name for the table
    SET = "set"  # a name for a set of questions


# For each an explanation, the placeholder of the field, and the button's text.
_PROMPTS = {
    Asked.QUESTIONS: ("", Message("Type a question, or paste several, one a line"), Message("Add")),
    Asked.EDIT: (
        Message("Another wording is another question: its answers are read anew."),
        Message("The question"),
        Message("Change"),
    ),
    Asked.NAME: ("", Message("The table’s name"), Message("Rename")),
    Asked.SET: (
        Message("These questions are kept under a name, for other libraries."),
        Message("A name for these questions"),
        Message("Save"),
    ),
}


class _Field(QPlainTextEdit):
    """The text field. `entered` is sent on Enter, `left` on Esc; `files` carries files that were pasted."""

    entered = Signal()
    left = Signal()
    files = Signal(list)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not shift:
            self.entered.emit()
            event.accept()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            event.accept()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if found := local_files(source):
            self.files.emit(found)
        else:
            self.insertPlainText(source.text())

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or bool(local_files(source))


class QuestionLine(QFrame):
    """A field with its button, and buttons for lists and sets of questions; hidden until it is opened.

    `entered` carries the text that was typed, unless that is blank; `left` is sent when it is closed. `load_asked`
    asks for a list of questions from a file, `files` carries pasted files; `set_chosen` carries the name of a set to
    add, `set_dropped` of one to remove, and `set_asked` asks to save the present questions as one.
    """

    entered = Signal(str)
    left = Signal()
    load_asked = Signal()
    files = Signal(list)
    set_chosen = Signal(str)
    set_dropped = Signal(str)
    set_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.asked = Asked.QUESTIONS
        self.setProperty("kind", "desk")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.why = plain_label(type="small", ink="quiet")
        self.field = _Field()
        self.field.setTabChangesFocus(True)
        self.field.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.field.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.go = push_button(theme, tr("Add"), kind="primary")
        self.load = push_button(
            theme,
            tr("Load a list…"),
            icon="open",
            tip=tr("Questions from a CSV, an Excel workbook or a text, one a line"),
        )
        self.sets = push_button(theme, tr("Sets of questions"))
        mark(self.sets, menu="true")
        self._menu = QMenu(self.sets)
        self.sets.setMenu(self._menu)
        self._menu.triggered.connect(self._set_chosen)
        close = QToolButton()
        close.setIcon(theme.icon("close"))
        close.setAccessibleName(tr("Close this line"))
        close.setToolTip(as_tip(tr("Close  (Esc)")))
        close.clicked.connect(self.close_line)
        align = Qt.AlignmentFlag
        entry = row(
            theme, (self.field, 1), (self.go, 0, align.AlignBottom), (close, 0, align.AlignTop), gap=2
        )
        more = flow(theme, self.load, self.sets)
        column(theme, self.why, entry, more, gap=2, margins=(5, 3, 5, 3), parent=self)
        self.field.entered.connect(self._enter)
        self.field.left.connect(self.close_line)
        self.field.files.connect(self.files)
        self.field.textChanged.connect(self._changed)
        self.go.clicked.connect(self._enter)
        self.load.clicked.connect(self.load_asked)
        theme.changed.connect(self._fit)
        self._changed()
        self.hide()

    def open(self, asked: Asked, text: str = "") -> None:
        """Open the line for something, with a text; for further questions the text typed so far is kept."""
        is_kept = asked is Asked.QUESTIONS and self.asked is Asked.QUESTIONS
        self.asked = asked
        why, placeholder, action = map(localised, _PROMPTS[asked])
        self.why.setText(why)
        self.why.setVisible(bool(why))
        self.field.setPlaceholderText(placeholder)
        self.field.setAccessibleName(placeholder)
        self.go.setText(action)
        self.go.setAccessibleName(action)
        for button in (self.load, self.sets):
            button.setVisible(asked is Asked.QUESTIONS)
        if not is_kept:
            self.field.setPlainText(text)
            self.field.selectAll()
        self.show()
        self._fit()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def propose(self, text: str) -> None:
        """Open the line with these questions behind those that were typed."""
        self.open(Asked.QUESTIONS)
        self.field.setPlainText("\n".join(filter(None, (self.field.toPlainText().rstrip(), text.strip()))))

    def show_sets(self, names: tuple[str, ...], may_save: bool) -> None:
        """List the sets of questions in the menu, and whether the present questions can be saved as one."""
        self._menu.clear()
        for name in names:
            action = self._menu.addAction(caption(name))
            action.setData(("", name))
        if names:
            self._menu.addSeparator()
        save = self._menu.addAction(tr("Save these questions as a set…"))
        save.setData((SAVE_SET, ""))
        save.setEnabled(may_save)
        if names:
            removed = self._menu.addMenu(tr("Remove a set"))
            for name in names:
                removed.addAction(caption(name)).setData((DROP_SET, name))

    @Slot()
    def close_line(self) -> None:
        """Hide the line; questions that were typed are kept for the next time."""
        if self.asked is not Asked.QUESTIONS:
            self.field.clear()
            self.asked = Asked.QUESTIONS
        self.hide()
        self.left.emit()

    def done(self) -> None:
        """Clear the text that was entered, and close the line unless it is open for questions."""
        self.field.clear()
        if self.asked is not Asked.QUESTIONS:
            self.close_line()

    @Slot()
    def _enter(self) -> None:
        if text := self.field.toPlainText().strip():
            self.entered.emit(text)

    @Slot(QAction)
    def _set_chosen(self, action: QAction) -> None:
        kind, name = action.data()
        if kind == SAVE_SET:
            self.set_asked.emit()
        elif kind == DROP_SET:
            self.set_dropped.emit(name)
        else:
            self.set_chosen.emit(name)

    @Slot()
    def _changed(self) -> None:
        self.go.setEnabled(bool(self.field.toPlainText().strip()))
        self._fit()

    @Slot()
    def _fit(self) -> None:
        """Make the field as high as its text, up to a few lines."""
        lines = min(_MOST_LINES, max(1, self.field.document().blockCount()))
        high = QFontMetrics(self._theme.font("ui")).lineSpacing()
        self.field.setFixedHeight(lines * high + self._theme.step(5.5))
