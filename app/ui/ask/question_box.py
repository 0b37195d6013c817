"""The box where a question is typed, and below it the choice of what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QFontMetricsF, QKeyEvent, QKeySequence, QTextCursor
from PySide6.QtWidgets import QFrame, QMenu, QPlainTextEdit, QWidget

from app.core.message import Message
from app.ui.ask.run import Scope, ScopeKind
from app.ui.kit.boxes import flow, row
from app.ui.kit.dropped import local_files
from app.ui.kit.parts import ElidedButton, as_tip, caption, plain_label, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr
from app.ui.kit.undo_line import redo_on_key

if TYPE_CHECKING:
    from app.core.library import Library, LibraryStatus

_MOST_LINES = 5
# An empty field shows the longest one that fits.
_INVITATIONS = (Message("What do you want to know?"), Message("Your question"), Message("Ask"))


class QuestionField(QPlainTextEdit):
    """A field of one line that grows with its text; Up on its first line and Down on its last step through the history.

    `entered` is sent on Enter; `history_step` carries -1 for an earlier question, 1 for a later one; `files_pasted`
    carries paths; `lines_pasted` carries a text of several lines, which was inserted as one; `copy_requested` is sent
    on Ctrl+C while nothing is selected.
    """

    entered = Signal()
    history_step = Signal(int)
    files_pasted = Signal(list)
    lines_pasted = Signal(str)
    copy_requested = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and not self.textCursor().hasSelection():
            self.copy_requested.emit()
            event.accept()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
            event.accept()
            return
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not event.modifiers() & (
            Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
        ):
            back = event.key() == Qt.Key.Key_Up
            moved = QTextCursor(self.textCursor())
            move = QTextCursor.MoveOperation.Up if back else QTextCursor.MoveOperation.Down
            if not moved.movePosition(move):
                self.history_step.emit(-1 if back else 1)
                event.accept()
                return
        if not redo_on_key(self, event):
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := local_files(source):
            self.files_pasted.emit(files)
        else:
            text = source.text()
            self.insertPlainText(" ".join(text.split()))
            if sum(bool(line.strip()) for line in text.splitlines()) > 1:
                self.lines_pasted.emit(text)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or bool(local_files(source))


class QuestionBox(QFrame):
    """The field for the question, the button that asks it, and the history of questions.

    `ask_requested` is sent on Enter and by the button, `edited` after every change.
    """

    ask_requested = Signal()
    edited = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._history: list[str] = []
        self._at = 0
        self._unsent = ""
        self._stepping = False
        self.setObjectName("question")
        self.field = QuestionField()
        self.field.setProperty("bare", "true")
        self.field.setAccessibleName(tr("Question"))
        self.field.setAccessibleDescription(tr("Enter asks. Up and Down bring back earlier questions."))
        self.field.setTabChangesFocus(True)
        self.field.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.field.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.button = push_button(theme, tr("Ask"), kind="primary", tip=tr("Ask  (Enter)"))
        field = self.field, 1, Qt.AlignmentFlag.AlignVCenter
        button = self.button, 0, Qt.AlignmentFlag.AlignBottom
        row(theme, field, button, gap=2, margins=(2.5, 2, 2, 2), parent=self)
        self.setFocusProxy(self.field)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._changed)
        self.field.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.field.entered.connect(self.ask_requested)
        self.field.history_step.connect(self._step_history)
        self.button.clicked.connect(self.ask_requested)
        theme.changed.connect(self._restyle)
        self._restyle()

    def question(self) -> str:
        """Return the typed question, without blanks around it."""
        return self.field.toPlainText().strip()

    def set_question(self, text: str, history: list[str]) -> None:
        """Set the question, and a copy of the earlier ones, oldest first."""
        self._history = list(history)
        self._at = len(self._history)
        self._put(text)

    def remember(self) -> list[str]:
        """Add the question to the history as the latest one, and return the history."""
        question = self.question()
        if question:
            self._history = [*(one for one in self._history if one != question), question]
        self._at = len(self._history)
        return list(self._history)

    def select(self) -> None:
        """Focus the question, and select all of it."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def select_earlier(self) -> None:
        """Select the question if it was asked before; one that is still being typed is not selected."""
        if self.question() in self._history:
            self.field.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self._colour(event.type() == QEvent.Type.FocusIn)
        elif event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    @Slot(int)
    def _step_history(self, step: int) -> None:
        if not 0 <= self._at + step <= len(self._history):
            return
        if self._at == len(self._history):
            self._unsent = self.field.toPlainText()
        self._at += step
        self._stepping = True
        self._put(self._unsent if self._at == len(self._history) else self._history[self._at])
        self._stepping = False

    def _put(self, text: str) -> None:
        cursor = self.field.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.field.moveCursor(QTextCursor.MoveOperation.End)

    @Slot()
    def _changed(self) -> None:
        if not self._stepping:
            self._at = len(self._history)
        self.edited.emit()

    @Slot()
    def _fit(self) -> None:
        metrics, margin = self.field.fontMetrics(), 2 * round(self.field.document().documentMargin())
        room = self.field.viewport().width() - margin
        invitations = [localised(words) for words in _INVITATIONS]
        fitting = (words for words in invitations if metrics.horizontalAdvance(words) <= room)
        self.field.setPlaceholderText(next(fitting, invitations[-1]))
        lines = min(_MOST_LINES, max(1, int(self.field.document().size().height())))
        # Qt rounds the height of a line up, and scrolls unless there is a pixel more than the text needs.
        line = ceil(QFontMetricsF(self.field.font()).height())
        self.field.setFixedHeight(lines * line + margin + 1)

    def _colour(self, focused: bool) -> None:
        theme = self._theme
        line = theme.colour("focus" if focused else "line_strong").name()
        width = 2 if focused else 1  # the padding makes up for it
        self.setStyleSheet(
            f"QFrame#question {{ background: {theme.colour('field').name()}; border: {width}px solid {line};"
            f" padding: {2 - width}px; border-radius: {theme.step(2.5)}px; }}"
        )

    @Slot()
    def _restyle(self) -> None:
        self._colour(self.field.hasFocus())
        self._fit()
        # The number of lines is known only after the layout.
        QTimer.singleShot(0, self._fit)


class ScopeChoice(QWidget):
    """The choice of what is asked: this document, the open ones, or one of the libraries.

    `scope` is the present choice, `menu` the choices, which `offer` is to fill before it is shown, `read` the link that
    says how much of the library was read. `chosen` carries the Scope that the person picked; `folder_requested` is sent
    by "Add a folder…".
    """

    chosen = Signal(object)
    folder_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.scope = Scope()
        self.button = ElidedButton(theme)
        mark(self.button, kind="scope")
        self.button.setToolTip(as_tip(tr("What the question is asked of  (Alt+Down)")))
        self.menu = QMenu(self)
        self.menu.triggered.connect(self._picked)
        self.button.setMenu(self.menu)
        self.read = push_button(theme, kind="link", tip=tr("Show the files that were not read"))
        mark(self.read, type="small")
        inside, choice = plain_label(tr("in"), ink="quiet", wrap=False), QWidget()
        row(theme, inside, self.button, gap=1, margins=(0.5, 0, 0, 0), parent=choice)
        self.setLayout(flow(theme, choice, self.read, gap=1))
        self.show_scope(self.scope, None)

    @Slot()
    def open(self) -> None:
        """Show the menu."""
        self.button.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.button.showMenu()

    def offer(self, libraries: Sequence[tuple[Library, LibraryStatus]], number: int) -> None:
        """Fill the menu with this document, the open ones, whose number is given, and the libraries."""
        self.menu.clear()
        group = QActionGroup(self.menu)
        self._add(group, tr("In this document"), Scope())
        self._add(group, tr("In the open documents ({number:,})", number=number), Scope(ScopeKind.OPEN))
        self.menu.addSeparator()
        for library, status in libraries:
            # Text behind a tab is drawn at the right, as shortcuts are.
            words = tr("In {library}\t{read}", library=library.name, read=status.in_words)
            self._add(group, words, Scope(ScopeKind.LIBRARY, library.number))
        if libraries:
            self.menu.addSeparator()
        self.menu.addAction(tr("Add a folder…"))

    def _add(self, group: QActionGroup, words: str, scope: Scope) -> None:
        action = QAction(caption(words), self.menu)
        action.setCheckable(True)
        action.setData(scope)
        action.setChecked(scope == self.scope)
        group.addAction(action)
        self.menu.addAction(action)
        if scope == self.scope:
            self.menu.setActiveAction(action)

    @Slot(QAction)
    def _picked(self, action: QAction) -> None:
        scope = action.data()
        if isinstance(scope, Scope):
            self.chosen.emit(scope)
        else:
            self.folder_requested.emit()

    def show_scope(self, scope: Scope, library: tuple[Library, LibraryStatus] | None) -> None:
        """Show the choice; for a library its name, and how much of it was read."""
        self.scope = scope
        if library is not None:
            name = library[0].name
            self.button.setAccessibleName(tr("Ask in {library}", library=name))
        elif scope.kind is ScopeKind.OPEN:
            name = tr("the open documents")
            self.button.setAccessibleName(tr("Ask in the open documents"))
        else:
            name = tr("this document")
            self.button.setAccessibleName(tr("Ask in this document"))
        self.button.setText(name)
        self.read.setVisible(library is not None)
        if library is not None:
            self.read.setText(library[1].in_words)
            self.read.setAccessibleName(
                tr("{read}. Show the files that were not read", read=library[1].in_words)
            )
