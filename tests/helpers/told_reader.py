"""A reader that a test tells what it finds and when, one list for each question, anew each time it is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.report import Progress, Report
from app.core.requests import ModelChoice, Question
from app.core.results import Reading
from app.ui.ask.ask import AskView
from app.ui.ask.sheet import Sheet
from tests.flows.fake_engine import read


class ToldReader:
    """What the fake model process does. A question that begins with "Long" ends when it is told to, others at once.

    `asked` are the questions in the order in which they were read for. Its answers are by the last word.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.closed = threading.Event()
        self._told: dict[str, list[Callable[[Report], Reading | None]]] = {}

    def __call__(self, question: Question, choice: ModelChoice | None, report: Report) -> Reading:
        told = self._told[question.text] = []
        self._question = question
        self.asked.append(question.text)
        if not question.text.startswith("Long"):
            return self.whole(question)
        while not self.closed.wait(0.002):
            report.check()
            while told:
                if (end := told.pop(0)(report)) is not None:
                    return end
        return self.whole(question)

    @staticmethod
    def whole(question: Question) -> Reading:
        return replace(read(question), windows=100, windows_total=100)

    def tell(self, question: str, step: Callable[[Report], Reading | None]) -> None:
        """Have something done in the reading that goes on for a question."""
        self._told[question].append(step)

    def found(self, question: str, word: str, windows: int) -> None:
        """Have it come so far of a hundred windows, with this word as the best answer by now."""
        asked = self._question

        def step(report: Report) -> None:
            part = read(replace(asked, text=word))
            report.partial(replace(part, complete=False, windows=windows, windows_total=100))
            report.progress(Progress(windows, 100, "windows", 30.0))

        self.tell(question, step)

    def came_to(self, question: str, windows: int) -> None:
        """Have it come so far without anything new."""
        self.tell(question, lambda report: report.progress(Progress(windows, 100, "windows", 30.0)))

    def end(self, question: str) -> None:
        """Have it come to its end."""
        asked = self._question
        self.tell(question, lambda report: self.whole(replace(asked, text=question)))

    def fail(self, question: str, error: Exception) -> None:
        """Have it fail."""

        def step(report: Report) -> None:
            raise error

        self.tell(question, step)


def ask_in(view: AskView, qtbot: QtBot, sheet: Sheet, question: str) -> None:
    """Bring a sheet up and ask about it from the keyboard."""
    view.sheets.bring(view.sheets.all().index(sheet))
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, question)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)


def sheet_with(view: AskView, text: str) -> Sheet:
    """A tab with a text, brought up."""
    sheet = view.sheets.new()
    sheet.pane.set_text(text)  # type: ignore[union-attr]
    return sheet
