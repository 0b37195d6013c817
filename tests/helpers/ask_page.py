"""A text, a reader of it without a model, and the keys that ask it."""

from __future__ import annotations

import threading

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocumentFragment
from pytestqt.qtbot import QtBot

from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard, QaCalibration
from app.core.report import Progress, Report
from app.core.requests import ModelChoice, Question
from app.core.results import Answer, Reading
from app.core.text import Span
from app.ui.ask.answer_card import AnswerCard
from app.ui.ask.ask import AskView
from app.ui.ask.run import AskRun
from app.ui.ask.sheet import Sheet
from app.ui.document.marks.places import with_places

CARD = ModelCard(
    "reader", "/models/reader", "bert", (Head.QUESTION_ANSWERING,), calibration=QaCalibration(threshold=0.4)
)
TEXT = (
    "Passwords are called secrets. 👩\u200d👩 They must be at least 12 characters in length.\n\n"
    "Passwords of at least 64 characters are permitted. More than 128 characters are denied.\n" * 2
)
SHARES = (0.94, 0.06, 0.05)  # all of them are worth listing
WORDS = ("at least 12 characters in length", "64 characters", "More than 128 characters")


def answers(text: str, *words: str, likely: float = SHARES[0]) -> tuple[Answer, ...]:
    found = []
    for word, share in zip(words, (likely, *SHARES[1:]), strict=False):
        at = text.index(word)
        found.append(Answer(0, Span(at, at + len(word)), word, share, 5.0, 1.0))
    return tuple(found)


def take_partial(run: AskRun, reading: Reading) -> bool:
    return run.take_partial(with_places(reading, run.documents))


def finish(run: AskRun, reading: Reading) -> None:
    run.finish(with_places(reading, run.documents))


class Reader:
    """What the fake model process does: the question's words say how the reading goes."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def __call__(self, question: Question, choice: ModelChoice | None, report: Report) -> Reading:
        text = question.documents[0].text
        if "broken" in question.text:
            raise SpanlightError("The reader's file is damaged.", "Install it again.")
        if "slow" in question.text:
            report.progress(Progress(34, 100, "Reading", 12.0))
            report.partial(Reading(answers(text, WORDS[1]), True, 0.2, 0.4, 34, 100, 1.0, complete=False))
            while not self.go_on.wait(0.01):
                report.check()
        if "boiling" in question.text:
            nearest = answers(text, WORDS[1], likely=0.07)
            quick = question.quick
            return Reading(nearest, False, 0.93, 0.4, 1, 1, 0.1, quick=quick, windows_whole=20, absent=0.13)
        if "doubtful" in question.text:
            words = answers(text, *WORDS, likely=0.31)
            return Reading(words, False, 0.65, 0.4, 3, 3, 0.1, model="reader", absent=0.13)
        likely = 0.17 if "several" in question.text else 0.94
        return Reading(answers(text, *WORDS, likely=likely), True, 0.05, 0.4, 3, 3, 0.1)


def likelihood(card: AnswerCard) -> str:
    """The probability in words and as a number, and the answer's place, as the card says them."""
    return QTextDocumentFragment.fromHtml(card.likely.text()).toPlainText()


def ask(view: AskView, qtbot: QtBot, question: str, text: str = TEXT) -> Sheet:
    """Ask from the keyboard, and wait for the end."""
    sheet = start(view, qtbot, question, text)
    qtbot.waitUntil(lambda: sheet.session.run is None or not sheet.session.run.is_running)
    return sheet


def start(view: AskView, qtbot: QtBot, question: str, text: str = TEXT) -> Sheet:
    sheet = view.sheets.current()
    if sheet.pane.text() != text:
        sheet.pane.set_text(text)
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, question)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)
    return sheet
