"""A fake engine without models: it answers with the last word of the question."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from app.core.errors import SpanlightError
from app.core.models import DeviceChoice, Head, LoadedModel, ModelCard, ProblemType, QaCalibration
from app.core.report import Progress, Report
from app.core.requests import (
    CalibrationData,
    ClassCalibrationData,
    ModelChoice,
    PassagePairs,
    Question,
    QuestionBatch,
    TextBatch,
    TextsToClassify,
    TextsToTag,
    TextToFill,
)
from app.core.results import (
    Answer,
    Classification,
    Classifications,
    ClassScore,
    FilledBlank,
    FilledText,
    FollowOn,
    FollowOns,
    Guess,
    Reading,
)
from app.core.text import Span
from app.engine.client import Engine
from app.flows.workspace import Workspace
from app.models.disk.installed import Shelf
from app.settings.paths import default_paths
from app.settings.settings import Settings
from tests.helpers.documents_here import documents_here
from tests.helpers.names_here import FINDER, find

LABELS = ("negative", "positive")
READER = ModelCard("reader", "/models/reader", "bert", (Head.QUESTION_ANSWERING,))
CLASSIFIER = ModelCard("classifier", "/models/classifier", "bert", (Head.CLASSIFICATION,), LABELS)
FILLER = ModelCard("filler", "/models/filler", "bert", (Head.MASKED_WORDS,))
FOLLOWER = ModelCard("follower", "/models/follower", "bert", (Head.NEXT_SENTENCE,))


class FakeShelf:
    """Holds cards that stand for no folder; those above where none are given."""

    refused: dict[str, SpanlightError] = {}

    def __init__(self, *cards: ModelCard) -> None:
        self._cards = cards or (READER, CLASSIFIER, FILLER, FOLLOWER, FINDER)

    def cards(self) -> tuple[ModelCard, ...]:
        return self._cards

    def find(self, name_or_folder: str, head: Head) -> ModelCard:
        for card in self.cards():
            if card.name == name_or_folder and head in card.heads:
                return card
        raise SpanlightError(f"There is no model “{name_or_folder}”.", "Installed: reader, classifier.")

    def default(self, head: Head) -> ModelCard:
        for card in self.cards():
            if head in card.heads:
                return card
        raise SpanlightError(f"No model with the head {head} is here.")


class FakeEngine:
    """Answers with the place of the question's last word, a question with "Perhaps" with low confidence only, and
    corrects "lnadlord"; a text is positive where it says good.

    `before` is called with each request and may raise. `requests` and `choices` remember what was asked.
    """

    alive = True
    pid: int | None = None

    def __init__(self, before: Callable[[object], None] | None = None) -> None:
        self.requests: list[object] = []
        self.choices: list[ModelChoice | None] = []
        self.closed = False
        self.begun = 0
        self.ended = 0
        self.before = before

    def begin(self) -> None:
        """Take note of having been started early."""
        self.begun += 1

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        report.check()
        if self.before:
            self.before(request)
        self.requests.append(request)
        self.choices.append(choice)
        match request:
            case Question():
                return read(request)
            case QuestionBatch():
                readings = tuple(read(question) for question in request.questions)
                for index, reading in enumerate(readings):
                    report.partial((index, reading))
                    report.progress(Progress(index + 1, len(readings), "questions"))
                return readings
            case TextBatch():
                items = tuple(classes(text) for text in request.texts)
                for index, item in enumerate(items):
                    report.partial((index, item))
                    report.progress(Progress(index + 1, len(items), "texts"))
                return items
            case TextsToClassify():
                return Classifications(
                    tuple(classes(text) for text in request.texts), 0.1, model="classifier"
                )
            case PassagePairs():
                return FollowOns(tuple(follows(*pair) for pair in request.pairs), 0.1, model="follower")
            case TextToFill():
                return filled(request)
            case TextsToTag():
                return find(request, choice, report)
            case CalibrationData():
                return QaCalibration(temperature=2.0, threshold=0.4)
            case ClassCalibrationData():
                return 1.7
        raise TypeError(f"no task answers {type(request).__name__}")

    def run_opened(self, request: object, choice: ModelChoice, report: Report) -> Any:
        return self.run(request, choice, report)

    def end(self) -> None:
        self.ended += 1

    def load(self, choice: ModelChoice, head: Head, report: Report) -> LoadedModel:
        card = FakeShelf().default(head)
        return LoadedModel(card, DeviceChoice("cpu", "float32", "a test"))

    def close(self) -> None:
        self.closed = True


class Slow(FakeEngine):
    """An engine that has an answer after 30 of 100 windows, and is interrupted by Ctrl+C after 34."""

    found = True

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        assert isinstance(request, Question)
        if self.found:
            report.partial(replace(read(request), complete=False, windows=30, windows_total=100))
        report.progress(Progress(34, 100, "windows", 9.0))
        signal.raise_signal(signal.SIGINT)
        report.check()
        raise AssertionError("it was not stopped")


def read(question: Question) -> Reading:
    right = question.text.replace("lnadlord", "landlord")
    return replace(_read(question), read_as=right if right != question.text else "")


def _read(question: Question) -> Reading:
    word = question.text.rstrip("?").split()[-1]
    threshold = 0.5 if question.threshold is None else question.threshold
    for number, document in enumerate(question.documents):
        start = document.text.find(word)
        if start >= 0:
            sure = 0.3 if question.text.startswith("Perhaps") else 0.8
            answer = Answer(number, Span(start, start + len(word)), word, sure, 6.0, 2.0)
            answered = threshold <= sure
            return Reading(
                (answer,), answered, 1 - sure, threshold, 1, 1, 0.01, model="reader", device="CPU", absent=0.2
            )
    text = question.documents[0].text
    guess = text.split()[0] if text.split() else ""
    start = text.find(guess)
    answers = (Answer(0, Span(start, start + len(guess)), guess, 0.05, 1.0, 3.0),) if guess else ()
    answered = bool(answers) and threshold <= 0.1
    return Reading(answers, answered, 0.9, threshold, 1, 1, 0.01, model="reader", device="CPU", absent=0.2)


def classes(text: str) -> Classification:
    positive = 0.9 if "good" in text else 0.2
    scores = (ClassScore("negative", 1 - positive), ClassScore("positive", positive))
    return Classification(scores, "positive" if positive > 0.5 else "negative", 1, len(text.split()))


def follows(first: str, second: str) -> FollowOn:
    """Likely where the second begins with "Then"; a passage of more than 400 words is cut."""
    cut = (len(first.split()) > 400, len(second.split()) > 400)
    likely = second.startswith("Then")
    return FollowOn(0.9 if likely else 0.12, (1.1, -1.1), (len(first.split()), len(second.split())), cut)


def filled(request: TextToFill) -> FilledText:
    """Every blank is "hot" or else "old"; any word asked about is the seventh."""
    guesses = (Guess("hot", 0.75, 1), Guess("old", 0.034, 2))[: request.top_k]
    asked = [Guess(word, 0.0005, 7) if word else None for word in request.asked or [""] * len(request.blanks)]
    blanks = [FilledBlank(blank, guesses, word) for blank, word in zip(request.blanks, asked, strict=True)]
    return FilledText(tuple(blanks), 0.1, model="filler", device="CPU")


def fake_workspace(
    home: Path, engine: FakeEngine | None = None, settings: Settings | None = None, *cards: ModelCard
) -> Workspace:
    """A workspace of these, whose folders lie below `home`."""
    return Workspace(
        settings or Settings(),
        default_paths({"SPANLIGHT_HOME": str(home)}),
        cast("Shelf", FakeShelf(*cards)),
        cast("Engine", engine or FakeEngine()),
        documents_here(),
    )


def keeping_workspace(
    home: Path,
    engine: FakeEngine | None,
    *heads: Head,
    labels: tuple[str, ...] = LABELS,
    problem: ProblemType = ProblemType.SINGLE_LABEL,
) -> Workspace:
    """A workspace whose only model keeps notes, in the folder `model` of `home`."""
    folder = home / "model"
    folder.mkdir()
    card = ModelCard("kept", str(folder), "bert", heads, labels, problem)
    return fake_workspace(home, engine, None, card)
