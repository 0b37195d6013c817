"""A line with an error or a hint, shown where the user is looking."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QScrollArea, QToolButton

from app.ui.kit.boxes import column, row
from app.ui.kit.messages import fault_of
from app.ui.kit.parts import IconLabel, as_tip, plain_label, push_button
from app.ui.kit.spoken import announce
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr


class Notice(QFrame):
    """A sentence and a hint, with a button that copies a bug's report or a folder's path; hidden without a message.

    `closed` is sent when the person closes the line, `acted` by the button of an offered action.
    """

    closed = Signal()
    acted = Signal()

    def __init__(self, theme: Theme, *, closable: bool = True) -> None:
        super().__init__()
        self._theme = theme
        self._report = ""
        self._sign = IconLabel(theme, theme.icon("fault", "fault"), 4.5)
        self._sentence = plain_label(type="strong", selectable=True)
        self._hint = plain_label(ink="quiet", selectable=True)
        self._copy, self._act = push_button(theme), push_button(theme)
        self._copy.clicked.connect(self._copy_report)
        self._act.clicked.connect(self.acted)
        self._close = QToolButton()
        if not closable:
            self._close.hide()
        self._close.setIcon(theme.icon("close"))
        self._close.setAccessibleName(tr("Put this message away"))
        self._close.setToolTip(as_tip(tr("Put away")))
        self._close.clicked.connect(self._put_away)
        buttons = [(each, 0, Qt.AlignmentFlag.AlignLeft) for each in (self._copy, self._act)]
        # The margins align a single line of text with the sign and the close button.
        sign = column(theme, self._sign, 1, margins=(0, 1, 0, 0))
        words = column(theme, self._sentence, self._hint, *buttons, gap=1, margins=(0, 1, 0, 0))
        close = (self._close, 0, Qt.AlignmentFlag.AlignTop)
        row(theme, sign, (words, 1), close, gap=2, margins=(3, 2.5, 2, 2.5), parent=self)
        self.hide()

    def show_fault(self, sentence: str, hint: str = "", report: str = "", act: str = "") -> None:
        """Show an error and a hint, with a button that copies the report, if any; `act` is that of `show_hint`."""
        self._show("fault", sentence, hint, report, act)

    def show_error(self, error: BaseException) -> None:
        """Show an exception; the traceback of a bug is logged, and can be copied."""
        fault = fault_of(error)
        self.show_fault(fault.sentence, fault.hint, fault.report)

    def show_hint(self, sentence: str, hint: str = "", act: str = "") -> None:
        """Show a message that is not an error; `act` is the text of a button for an action."""
        self._show("hint", sentence, hint, "", act)

    def show_unopened(self, sentence: str, hint: str, path: str) -> None:
        """Show why a folder could not be opened, with a button that copies its path."""
        self._show("hint", sentence, hint, path, copy=tr("Copy the path"))
        QTimer.singleShot(0, self._come_into_view)  # once it is laid out

    def sentence(self) -> str:
        """The sentence, empty while the line is hidden."""
        return "" if self.isHidden() else self._sentence.text()

    def _show(self, kind: str, sentence: str, hint: str, report: str, act: str = "", copy: str = "") -> None:
        self._report = report
        self._sentence.setText(sentence)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        copy = copy or tr("Copy the report")
        for button, label, shown in ((self._copy, copy, bool(report)), (self._act, act, bool(act))):
            button.setText(label)
            button.setAccessibleName(button.text())
            button.setVisible(shown)
        self.setAccessibleName(f"{self._sentence.text()} {self._hint.text()}".strip())
        sign = ("fault", "fault") if kind == "fault" else ("help", "accent")
        self._sign.set_icon(self._theme.icon(*sign))
        mark(self, kind=kind)
        self.show()
        announce(self, self.accessibleName(), polite=kind != "fault")

    @Slot()
    def _come_into_view(self) -> None:
        """Scroll the page so that the line is seen."""
        page = self.parentWidget()
        while page is not None and not isinstance(page, QScrollArea):
            page = page.parentWidget()
        if isinstance(page, QScrollArea):
            page.ensureWidgetVisible(self, 0, self._theme.step(4))

    @Slot()
    def _copy_report(self) -> None:
        QGuiApplication.clipboard().setText(self._report)
        self._copy.setText(tr("Copied"))

    @Slot()
    def _put_away(self) -> None:
        self.hide()
        self.closed.emit()
