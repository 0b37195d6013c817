"""The buttons below an answer with which the person judges it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.core.corrections import Verdict
from app.ui.kit.boxes import column, flow
from app.ui.kit.parts import KeyButton, as_tip, plain_label
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr


class VerdictRow(QWidget):
    """Right, These words instead, Not in the text: the given verdict is shown pressed, and above it the right words.

    `judged` carries the Verdict of a button that was pressed, or of its key.
    """

    judged = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.about = plain_label(type="small", ink="quiet")
        self.yours = plain_label(type="small_strong")
        self.right = KeyButton(theme, tr("Right"), "A")
        self.instead = KeyButton(theme, tr("These words instead"), "E")
        self.instead.setToolTip(as_tip(tr("Select the right words in the document first  (E)")))
        self.absent = KeyButton(theme, tr("Not in the text"), "X")
        buttons = (self.right, self.absent, self.instead)  # the longest last: it may need a line of its own
        for button in buttons:
            button.setCheckable(True)
        column(theme, self.about, self.yours, flow(theme, *buttons, gap=1.5), gap=1.5, parent=self)
        self.right.clicked.connect(self.accept)
        self.instead.clicked.connect(self.take_words)
        self.absent.clicked.connect(self.reject)
        self.hide()

    def add_keys(self, widget: QWidget) -> None:
        """Have the buttons' keys work while the focus is in a widget; a text field in it keeps its keys."""
        for key, act in (("A", self.accept), ("E", self.take_words), ("X", self.reject)):
            shortcut = QShortcut(QKeySequence(key), widget)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)

    def offer(self, verdict: Verdict, yours: str = "", about: str = "", *, has_answer: bool = True) -> None:
        """Show the buttons with the given verdict pressed, and the person's own right words, `yours`.

        `about` names the answer where it is not the card's. Without an answer, Not in the text agrees with the reader.
        """
        self.about.setText(tr("About {answer}:", answer=about))
        self.about.setVisible(bool(about))
        self.yours.setText(tr("Yours: {words}", words=yours))
        self.yours.setVisible(bool(yours))
        self.right.setVisible(has_answer)
        self.right.setChecked(verdict is Verdict.RIGHT)
        self.instead.setChecked(verdict is Verdict.OTHER_WORDS)
        self.absent.setChecked(verdict is Verdict.NOT_THERE)
        self.show()

    @Slot()
    def accept(self) -> None:
        """Judge that the answer is right, or that there is indeed none."""
        self._judge(Verdict.NOT_THERE if self.right.isHidden() else Verdict.RIGHT)

    @Slot()
    def take_words(self) -> None:
        """Judge that the words selected in the document are the right ones."""
        self._judge(Verdict.OTHER_WORDS)

    @Slot()
    def reject(self) -> None:
        """Judge that the text does not answer."""
        self._judge(Verdict.NOT_THERE)

    def _judge(self, verdict: Verdict) -> None:
        if not self.isHidden():
            self.judged.emit(verdict)
