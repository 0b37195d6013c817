"""A reader without a model, which finds what a test scripts, when the test says so."""

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


class ScriptedReader:
    """Reads for a question: one that begins with "Long" follows its script of steps, any other ends at once.

    `asked` are the questions in the order in which they were read for. The answer is the question's last word.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.closed = threading.Event()
        self._steps: dict[str, list[Callable[[Report], Reading | None]]] = {}

    def __call__(self, question: Question, choice: ModelChoice | None, report: Report) -> Reading:
        steps = self._steps[question.text] = []
        self._question = question
        self.asked.append(question.text)
        if not question.text.startswith("Long"):
            return self.whole(question)
        while not self.closed.wait(0.002):
            report.check()
            while steps:
                if (end := steps.pop(0)(report)) is not None:
                    return end
        return self.whole(question)

    @staticmethod
    def whole(question: Question) -> Reading:
        return replace(read(question), windows=100, windows_total=100)

    def add_step(self, question: str, step: Callable[[Report], Reading | None]) -> None:
        """Add a step to the script of a question that is being read for."""
        self._steps[question].append(step)

    def found(self, question: str, word: str, windows: int) -> None:
        """Report a partial reading after this many of a hundred windows, with this word as its best answer."""
        part = read(replace(self._question, text=word))
        self.tell(question, replace(part, complete=False, windows=windows, windows_total=100))

    def tell(self, question: str, part: Reading) -> None:
        """Report a partial reading, and how far it came."""

        def step(report: Report) -> None:
            report.partial(part)
            report.progress(Progress(part.windows, part.windows_total, "windows", 30.0))

        self.add_step(question, step)

    def progress(self, question: str, windows: int) -> None:
        """Report progress without a new result."""
        self.add_step(question, lambda report: report.progress(Progress(windows, 100, "windows", 30.0)))

    def end(self, question: str, reading: Reading | None = None) -> None:
        """End the reading, with this one or that of the question's last word."""
        whole = reading or self.whole(replace(self._question, text=question))
        self.add_step(question, lambda report: whole)

    def fail(self, question: str, error: Exception) -> None:
        """Fail the reading."""

        def step(report: Report) -> None:
            raise error

        self.add_step(question, step)


def ask_in(view: AskView, qtbot: QtBot, sheet: Sheet, question: str) -> None:
    """Show a sheet, and ask about it from the keyboard."""
    view.sheets.bring(view.sheets.all().index(sheet))
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, question)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)


def sheet_with(view: AskView, text: str) -> Sheet:
    """Return a new sheet with a text, which is shown."""
    sheet = view.sheets.new()
    sheet.pane.set_text(text)  # type: ignore[union-attr]
    return sheet
