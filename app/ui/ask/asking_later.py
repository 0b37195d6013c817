"""Which question is read for next: those asked before their files were open, and those paused, wait for their turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import time

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.ui.ask.answer_panel import AnswerPanel
from app.ui.ask.answers import Answers
from app.ui.ask.asking import Asking, lacks
from app.ui.ask.opening import Opening
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets


@dataclass(frozen=True, slots=True)
class _Waiting:
    """What is known of a question that waits: whether `whole` of its text is to be read, and when it was asked."""

    whole: bool
    asked: float = field(default_factory=time)


class AskingLater(QObject):
    """Asks a question at once, or as soon as the sheet's file is there and no other question is being read for.

    What was asked last is read for first, then those that wait and those that are paused, the one asked last before the
    others. One waits a sheet, the last that was asked; it stands among the questions asked before, so that it can be
    brought back where its file cannot be opened.
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
        # Later, always: none may begin in the middle of what another one is asked or ended by.
        self._may_go_on.connect(self._go_on, Qt.ConnectionType.QueuedConnection)
        for ready in (asking.over, opening.opened, sheets.up):
            ready.connect(self._may_go_on)
        for unread in (opening.unread, opening.kept):
            unread.connect(self.forget)
        panel.strip.stop_asked.connect(self._stop_asked)

    def ask(self, sheet: Sheet, *, whole: bool = False) -> None:
        """Ask the question in the box about the sheet that is up, now or as soon as its file is there."""
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
        """Let go of the question that waits for a sheet; returns whether there was one."""
        if not sheet.awaits:
            return False
        self.forget(sheet)
        return True

    @Slot(object)
    def forget(self, sheet: Sheet) -> None:
        """Let go of the question that waits for a sheet."""
        if self._waiting.pop(sheet, None) is not None:
            sheet.awaits = ""
            self._answers.show_if_up(sheet)

    @Slot()
    def _go_on(self) -> None:
        """Read for the next question, where none is being read for or the person sees a newer one."""
        ready = [sheet for sheet in self._waiting if self._can_be_asked(sheet)]
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

    def _can_be_asked(self, sheet: Sheet) -> bool:
        """Whether a sheet's file is there, and somebody sees it where there is nothing in it to be asked about."""
        up = sheet is self._answers.sheet
        return sheet.is_open and (up or lacks(sheet, sheet.awaits) is None)

    @Slot()
    def _stop_asked(self) -> None:
        sheet = self._answers.sheet
        if sheet is not None and not self.stop(sheet):
            self._asking.stop(sheet)
