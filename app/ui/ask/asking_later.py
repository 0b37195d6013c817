"""The queue of questions: those asked before their files were open, and those that are paused."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import time

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.ui.ask.answer_panel import AnswerPanel
from app.ui.ask.answers import Answers
from app.ui.ask.asking import Asking, missing_input
from app.ui.ask.opening import Opening
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A waiting question: whether the `whole` text is to be read, and the time when it was asked."""

    whole: bool
    asked: float = field(default_factory=time)


class AskingLater(QObject):
    """Asks a question at once, or as soon as the sheet's file is open and no other question is being read for.

    The latest question is read for first, then those that wait or are paused, the latest first. Each sheet has at most
    one waiting question, the latest; it is in the box's history too, so that it is not lost where its file cannot be
    opened.
    """

    _may_go_on = Signal()

    def __init__(
        self,
        asking: Asking,
        sheets: Sheets,
        opening: Opening,
        answers: Answers,
        panel: AnswerPanel,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._asking = asking
        self._opening = opening
        self._answers = answers
        self._panel = panel
        self._waiting: dict[Sheet, _Waiting] = {}
        # Always queued: no question may begin in the middle of starting or ending another one.
        self._may_go_on.connect(self._go_on, Qt.ConnectionType.QueuedConnection)
        for ready in (asking.over, opening.opened, sheets.up):
            ready.connect(self._may_go_on)
        for unread in (opening.unread, opening.reverted):
            unread.connect(self.forget)
        panel.strip.stop_asked.connect(self._stop_asked)

    def ask(self, sheet: Sheet, *, whole: bool = False) -> None:
        """Ask the question in the box about the current sheet, now or as soon as its file is open."""
        question = self._panel.box.question()
        if not question or not self._opening.awaited(sheet):
            if question:
                self.forget(sheet)  # this one takes its place
            self._asking.ask(sheet, whole=whole)
            return
        self._panel.notice.clear()
        sheet.history = self._panel.box.remember()
        sheet.awaits = question
        self._waiting[sheet] = _Waiting(whole)
        self._answers.show_if_up(sheet)

    def stop(self, sheet: Sheet) -> bool:
        """Drop the question that waits for a sheet; returns whether there was one."""
        if not sheet.awaits:
            return False
        self.forget(sheet)
        return True

    @Slot(object)
    def forget(self, sheet: Sheet) -> None:
        """Drop the question that waits for a sheet."""
        if self._waiting.pop(sheet, None) is not None:
            sheet.awaits = ""
            self._answers.show_if_up(sheet)

    @Slot()
    def _go_on(self) -> None:
        """Ask the next question, where none is being read for or the current sheet has a waiting one."""
        ready = [sheet for sheet in self._waiting if self._can_ask(sheet)]
        sheet = max(ready, key=lambda one: self._waiting[one].asked, default=None)
        since = self._asking.since
        if since and self._answers.sheet in ready:
            sheet = self._answers.sheet
        elif since:
            return
        if sheet is None or self._waiting[sheet].asked < max(since, self._asking.paused_since):
            self._asking.go_on()
            return
        waited, question = self._waiting.pop(sheet), sheet.awaits
        sheet.awaits = ""
        self._answers.show_if_up(sheet)
        self._asking.ask(sheet, question=question, whole=waited.whole)
        self._may_go_on.emit()  # where that one could not be asked, the next one can

    def _can_ask(self, sheet: Sheet) -> bool:
        """Whether a sheet's file is open; one without a text to ask about must be the current sheet, to show that."""
        up = sheet is self._answers.sheet
        return sheet.is_open and (up or missing_input(sheet, sheet.awaits) is None)

    @Slot()
    def _stop_asked(self) -> None:
        sheet = self._answers.sheet
        if sheet is not None and not self.stop(sheet):
            self._asking.stop(sheet)
